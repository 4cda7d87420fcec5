package openai

import "github.com/ai-agent-go/ai-agent/llm/internal/wire"

// item is one item of a response.
type item struct {
	kind                                   string
	id, callID, name, arguments, encrypted []byte
	text, refusal                          []byte
}

// read takes in an item. What it keeps is valid as long as the data is.
func (in *item) read(data []byte) {
	s := new(wire.Scanner)
	s.Reset(data)
	for open := s.Object(); open && s.More(); {
		switch string(s.Key()) {
		case "type":
			in.kind = s.String()
		case "id":
			in.id = s.Text()
		case "call_id":
			in.callID = s.Text()
		case "name":
			in.name = s.Text()
		case "arguments":
			in.arguments = s.Text()
		case "encrypted_content":
			in.encrypted = s.Text()
		case "content":
			in.parts(s, "")
		case "summary":
			in.parts(s, "\n\n")
		default:
			s.Skip()
		}
	}
}

// parts reads a list of texts, which are set apart by between.
func (in *item) parts(s *wire.Scanner, between string) {
	for open := s.Array(); open && s.More(); {
		for field := s.Object(); field && s.More(); {
			switch string(s.Key()) {
			case "text":
				if len(in.text) > 0 {
					in.text = append(in.text, between...)
				}
				in.text = append(in.text, s.Text()...)
			case "refusal":
				in.refusal = append(in.refusal, s.Text()...)
			default:
				s.Skip()
			}
		}
	}
}

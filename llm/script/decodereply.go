package script

import (
	"encoding/json"
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
)

func decodeScript(v any) (*Script, error) {
	d := new(decoder)
	s := new(Script)
	d.object("", v, map[string]field{
		"name":   text(d, &s.Name),
		"repeat": text(d, &s.Repeat),
		"turns":  list(d, &s.Turns, d.turn),
		"usage":  usage(d, &s.Usage),
	})
	if err := oneOf("repeat", s.Repeat, repeats); d.err == nil {
		d.err = err
	}
	if s.Usage != nil && d.err == nil {
		d.err = checkUsage(*s.Usage)
	}
	if len(s.Turns) == 0 {
		d.fail("turns", "a script needs at least one")
	}
	if d.err != nil {
		return nil, d.err
	}
	return s, nil
}

// turn reads a list of attempts or one attempt.
func (d *decoder) turn(p *Attempts) field {
	return func(at string, v any) {
		object, _ := v.(map[string]any)
		if _, several := object["attempts"]; !several {
			*p = make(Attempts, 1)
			d.reply(&(*p)[0])(at, v)
			return
		}
		var replies []Reply
		if len(object) > 1 {
			d.fail(at+".attempts", "other keys stand beside it: they belong into an attempt")
			return
		}
		list(d, &replies, d.reply)(at+".attempts", object["attempts"])
		if len(replies) == 0 {
			d.fail(at+".attempts", "a turn needs at least one")
		}
		*p = replies
	}
}

// reply reads an attempt; a text alone is one that says it.
func (d *decoder) reply(r *Reply) field {
	return func(at string, v any) {
		if s, ok := v.(string); ok {
			v = map[string]any{"text": s}
		}
		d.object(at, v, map[string]field{
			"break_after":    d.breakAfter(&r.BreakAfter),
			"calls":          list(d, &r.Calls, d.call),
			"chunk_delay_ms": whole(d, &r.ChunkDelayMS),
			"chunk_size":     whole(d, &r.ChunkSize),
			"cost_usd":       amount(d, &r.CostUSD),
			"delay_ms":       whole(d, &r.DelayMS),
			"error":          d.failure(&r.Error),
			"expect":         d.expect(&r.Expect),
			"finish":         text(d, &r.Finish),
			"model":          text(d, &r.Model),
			"parts":          list(d, &r.Parts, d.part),
			"provider":       text(d, &r.Provider),
			"reasoning":      d.reasonings(&r.Reasoning),
			"response_id":    text(d, &r.ResponseID),
			"text":           text(d, &r.Text),
			"usage":          usage(d, &r.Usage),
			"warnings":       texts(d, &r.Warnings),
			"when":           d.when(&r.When),
		})
		if d.err != nil {
			return
		}
		err := r.check()
		if err == nil {
			err = r.checkTemplates()
		}
		if err != nil {
			d.err = fmt.Errorf("%s.%w", at, err)
		}
	}
}

func (d *decoder) part(p *Part) field {
	return func(at string, v any) {
		d.object(at, v, map[string]field{
			"text": text(d, &p.Text),
			"reasoning": func(at string, v any) {
				p.Reasoning = new(llm.Reasoning)
				d.reasoning(p.Reasoning)(at, v)
			},
			"call": func(at string, v any) {
				p.Call = new(Call)
				d.call(p.Call)(at, v)
			},
		})
	}
}

func (d *decoder) call(c *Call) field {
	return func(at string, v any) {
		d.object(at, v, map[string]field{
			"arguments": func(at string, v any) {
				switch v.(type) {
				case string, map[string]any:
					c.Arguments = v
				default:
					d.want(at, "an object, or text for arguments that are malformed", v)
				}
			},
			"id":   text(d, &c.ID),
			"name": text(d, &c.Name),
		})
		if object, ok := v.(map[string]any); ok {
			if _, named := object["name"]; !named {
				d.fail(at, "the call has no name")
			}
		}
	}
}

// reasonings reads a list of thoughts, or one.
func (d *decoder) reasonings(p *[]llm.Reasoning) field {
	return func(at string, v any) {
		if _, several := v.([]any); several {
			list(d, p, d.reasoning)(at, v)
			return
		}
		*p = make([]llm.Reasoning, 1)
		d.reasoning(&(*p)[0])(at, v)
	}
}

// reasoning reads a thought; a text alone is one without a signature.
func (d *decoder) reasoning(r *llm.Reasoning) field {
	return func(at string, v any) {
		if s, ok := v.(string); ok {
			r.Text = s
			return
		}
		d.object(at, v, map[string]field{
			"id": text(d, &r.ID), "redacted": text(d, &r.Redacted),
			"signature": text(d, &r.Signature), "text": text(d, &r.Text),
		})
	}
}

func (d *decoder) failure(p **Failure) field {
	return func(at string, v any) {
		f := new(Failure)
		d.object(at, v, map[string]field{
			"class": text(d, &f.Class), "code": text(d, &f.Code), "headers": dictionary(d, &f.Headers),
			"message": text(d, &f.Message), "status": whole(d, &f.Status),
		})
		*p = f
	}
}

// breakAfter reads limits; a number alone counts chunks.
func (d *decoder) breakAfter(p **Break) field {
	return func(at string, v any) {
		b := new(Break)
		if _, ok := v.(json.Number); ok {
			whole(d, &b.Chunks)(at, v)
		} else {
			d.object(at, v, map[string]field{"bytes": whole(d, &b.Bytes), "chunks": whole(d, &b.Chunks)})
		}
		*p = b
	}
}

func (d *decoder) expect(p **Expect) field {
	return func(at string, v any) {
		e := new(Expect)
		d.object(at, v, map[string]field{
			"model":           text(d, &e.Model),
			"notice_contains": text(d, &e.NoticeContains),
			"result_contains": func(at string, v any) {
				if s, ok := v.(string); ok {
					e.ResultContains = map[string]string{"": s}
					return
				}
				dictionary(d, &e.ResultContains)(at, v)
			},
			"tools_exclude": texts(d, &e.ToolsExclude),
			"tools_include": texts(d, &e.ToolsInclude),
			"user_contains": text(d, &e.UserContains),
		})
		*p = e
	}
}

func (d *decoder) when(p **When) field {
	return func(at string, v any) {
		w := new(When)
		d.object(at, v, map[string]field{"model": text(d, &w.Model)})
		*p = w
	}
}

package llmtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
)

// Bare reads chatter with the loop that anybody would write: net/http, bufio,
// encoding/json. Adapters are measured by it.
func (c *Chatter) Bare(ctx context.Context) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://llm.test/", strings.NewReader("{}"))
	if err != nil {
		return "", fmt.Errorf("bare loop: %w", err)
	}
	response, err := (&http.Client{Transport: c}).Do(request)
	if err != nil {
		return "", fmt.Errorf("bare loop: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	var text strings.Builder
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if c.Kind == events && !ok || data == "[DONE]" || data == "" {
			continue
		}
		piece, err := c.Read([]byte(data))
		if err != nil {
			return "", err
		}
		text.WriteString(piece)
	}
	if err := lines.Err(); err != nil {
		return "", fmt.Errorf("bare loop: %w", err)
	}
	return text.String(), nil
}

// bareReaders read one piece each. Their structs hold what a program needs of a
// piece and nothing more, which is to their advantage.
var bareReaders = map[Format]func(data []byte) (string, error){
	FormatChat: func(data []byte) (string, error) {
		var chunk struct {
			ID, Model string
			Choices   []struct {
				Delta struct {
					Content   string
					ToolCalls []struct {
						Index    int
						ID       string
						Function struct{ Name, Arguments string }
					} `json:"tool_calls"`
				}
				FinishReason *string `json:"finish_reason"`
			}
			Usage *struct{ PromptTokens, CompletionTokens int }
		}
		if err := json.Unmarshal(data, &chunk); err != nil || len(chunk.Choices) == 0 {
			return "", err
		}
		return chunk.Choices[0].Delta.Content, nil
	},
	FormatResponses: func(data []byte) (string, error) {
		var event struct {
			Type, Delta string
			OutputIndex int `json:"output_index"`
			Item        *struct{ ID, Type, Name, Arguments string }
			Response    *struct{ ID, Model, Status string }
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return "", err
		}
		return event.Delta, nil
	},
	FormatMessages: func(data []byte) (string, error) {
		var event struct {
			Type    string
			Index   int
			Message *struct{ ID, Model string }
			Delta   struct {
				Type, Text, Thinking string
				PartialJSON          string `json:"partial_json"`
				StopReason           string `json:"stop_reason"`
			}
			Usage *struct {
				OutputTokens int `json:"output_tokens"`
			}
		}
		if err := json.Unmarshal(data, &event); err != nil {
			return "", err
		}
		return event.Delta.Text, nil
	},
	FormatGenerate: func(data []byte) (string, error) {
		var answer struct {
			Candidates []struct {
				Content struct {
					Parts []struct {
						Text         string
						Thought      bool
						FunctionCall *struct {
							Name string
							Args json.RawMessage
						}
					}
				}
				FinishReason string
			}
			UsageMetadata *struct{ PromptTokenCount, CandidatesTokenCount, TotalTokenCount int }
			ResponseID    string
		}
		if err := json.Unmarshal(data, &answer); err != nil || len(answer.Candidates) == 0 || len(answer.Candidates[0].Content.Parts) == 0 {
			return "", err
		}
		return answer.Candidates[0].Content.Parts[0].Text, nil
	},
	FormatLines: func(data []byte) (string, error) {
		var line struct {
			Model   string
			Message struct{ Content, Thinking string }
			Done    bool
		}
		if err := json.Unmarshal(data, &line); err != nil {
			return "", err
		}
		return line.Message.Content, nil
	},
}

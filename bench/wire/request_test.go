package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

const system = "Be brief."

// words is what is said in a turn: a question and an answer of usual lengths.
func words(turn, who int) string {
	if who == 0 {
		return fmt.Sprintf("Question %d, with \"quotes\" and a line\nor two.", turn)
	}
	return fmt.Sprintf("Answer %d. ", turn) + strings.Repeat("It goes on for a while, as answers do. ", 12)
}

func said(turn, who int) *llm.Message {
	m := llm.Text([]llm.Role{llm.RoleUser, llm.RoleAssistant}[who], words(turn, who))
	return &m
}

// swallow reads a request to its end, as a network does, and answers with
// nothing of use.
type swallow struct{}

func (swallow) RoundTrip(r *http.Request) (*http.Response, error) {
	if _, err := io.Copy(io.Discard, r.Body); err != nil {
		return nil, fmt.Errorf("swallow: %w", err)
	}
	return &http.Response{
		Status: "200 OK", StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader("{}")), Request: r,
	}, nil
}

func plainMessage(role, text string) any {
	return struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	}{role, text}
}

func contentMessage(role, text string) any {
	type part struct {
		Text string `json:"text"`
	}
	return struct {
		Role  string `json:"role"`
		Parts []part `json:"parts"`
	}{role, []part{{text}}}
}

// bareTurns sends a conversation as anybody would: all of it is encoded for
// every request.
func (f *format) bareTurns(ctx context.Context, n int) error {
	client := &http.Client{Transport: swallow{}}
	var messages []any
	for i := range n {
		messages = append(messages, f.message("user", words(i, 0)))
		body, err := json.Marshal(map[string]any{"model": "m", "system": system, f.field: messages})
		if err != nil {
			return fmt.Errorf("bare loop: %w", err)
		}
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://llm.test/", bytes.NewReader(body))
		if err != nil {
			return fmt.Errorf("bare loop: %w", err)
		}
		response, err := client.Do(request)
		if err != nil {
			return fmt.Errorf("bare loop: %w", err)
		}
		_, _ = io.Copy(io.Discard, response.Body)
		_ = response.Body.Close()
		messages = append(messages, f.message("assistant", words(i, 1)))
	}
	return nil
}

package provider_test

import (
	"encoding/base64"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// The rules of services that their types cannot say: who may follow whom, which
// ids there may be, and that every call is answered once.

const nineAlphanumerics = `^[A-Za-z0-9]{9}$`

var plainID = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

func read(t *testing.T, body []byte, v any) {
	t.Helper()
	if !utf8.Valid(body) {
		t.Error("not UTF-8")
	}
	if err := json.Unmarshal(body, v); err != nil {
		t.Fatal(err)
	}
}

// messagesRules: users and the model take turns and a user begins and ends;
// results are the first thing in the message after their calls, all of them;
// no text is blank, and thinking has its proof.
func messagesRules(t *testing.T, body []byte) {
	t.Helper()
	var r struct {
		Thinking struct{ Type string }
		Messages []struct {
			Role    string
			Content []struct {
				Type, Text, ID, Signature, Data string
				ToolUseID                       string `json:"tool_use_id"`
			}
		}
	}
	read(t, body, &r)
	var open []string
	used := make(map[string]bool)
	var started string // the type of the first block of the message with the last calls
	for i, m := range r.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			t.Errorf("message %d is the %s's, want %s", i, m.Role, want)
		}
		if len(m.Content) == 0 {
			t.Errorf("message %d is empty", i)
		}
		var calls, answered []string
		for n, b := range m.Content {
			switch b.Type {
			case "text":
				if strings.TrimSpace(b.Text) == "" {
					t.Errorf("message %d: blank text", i)
				}
			case "thinking", "redacted_thinking":
				if b.Signature == "" && b.Data == "" || n == len(m.Content)-1 {
					t.Errorf("message %d: thinking without a proof, or at the end", i)
				}
			case "tool_use":
				if !plainID.MatchString(b.ID) || used[b.ID] {
					t.Errorf("message %d: call id %q", i, b.ID)
				}
				used[b.ID], started = true, m.Content[0].Type
				calls = append(calls, b.ID)
			case "tool_result":
				if n != len(answered) {
					t.Errorf("message %d: something stands before its results", i)
				}
				answered = append(answered, b.ToolUseID)
			}
		}
		if slices.Sort(answered); !slices.Equal(answered, sorted(open)) {
			t.Errorf("message %d answers %q, want %q", i, answered, open)
		}
		if open = calls; i == len(r.Messages)-1 {
			last := len(answered) > 0 && r.Thinking.Type == "enabled"
			if last && started != "thinking" && started != "redacted_thinking" {
				t.Error("thinking is on while calls without thinking are answered")
			}
		}
	}
	if len(r.Messages)%2 == 0 || len(open) > 0 {
		t.Errorf("the last of %d messages is not a user's", len(r.Messages))
	}
}

func sorted(list []string) []string { return slices.Sorted(slices.Values(list)) }

// chatRules: the messages after calls are their results, all of them; ids are
// short, or of exactly one form.
func chatRules(length int, form string) func(t *testing.T, body []byte) {
	pattern := regexp.MustCompile(form)
	return func(t *testing.T, body []byte) {
		t.Helper()
		var r struct {
			Messages []struct {
				Role       string
				Content    any
				ToolCalls  []struct{ ID string } `json:"tool_calls"`
				ToolCallID string                `json:"tool_call_id"`
			}
		}
		read(t, body, &r)
		var open []string
		used := make(map[string]bool)
		for i, m := range r.Messages {
			if m.Role == "tool" {
				at := slices.Index(open, m.ToolCallID)
				if at < 0 {
					t.Errorf("message %d answers %q, want one of %q", i, m.ToolCallID, open)
					continue
				}
				open = slices.Delete(open, at, at+1)
				continue
			}
			if len(open) > 0 {
				t.Errorf("message %d: calls %q are not answered", i, open)
			}
			if m.Role == "assistant" && m.Content == nil && len(m.ToolCalls) == 0 {
				t.Errorf("message %d says nothing", i)
			}
			for _, c := range m.ToolCalls {
				if c.ID == "" || len(c.ID) > length || used[c.ID] || !pattern.MatchString(c.ID) {
					t.Errorf("message %d: call id %q", i, c.ID)
				}
				used[c.ID] = true
				open = append(open, c.ID)
			}
		}
		if len(open) > 0 {
			t.Errorf("calls %q are not answered", open)
		}
	}
}

// responsesRules: every call has one output, after it; reasoning has its proof
// and something of the model after it; items with ids have the right ones.
func responsesRules(t *testing.T, body []byte) {
	t.Helper()
	var r struct {
		Input []struct {
			Type, Role, ID string
			CallID         string `json:"call_id"`
			Encrypted      string `json:"encrypted_content"`
		}
	}
	read(t, body, &r)
	open := make(map[string]bool)
	used := make(map[string]bool)
	for i, item := range r.Input {
		switch item.Type {
		case "function_call":
			if !plainID.MatchString(item.CallID) || used[item.CallID] {
				t.Errorf("item %d: call id %q", i, item.CallID)
			}
			if item.ID != "" && (!strings.HasPrefix(item.ID, "fc") || strings.HasSuffix(item.ID, "_")) {
				t.Errorf("item %d: id %q", i, item.ID)
			}
			open[item.CallID], used[item.CallID] = true, true
		case "function_call_output":
			if !open[item.CallID] {
				t.Errorf("item %d answers %q, which nobody asked", i, item.CallID)
			}
			delete(open, item.CallID)
		case "reasoning":
			next := i + 1
			if item.Encrypted == "" || next == len(r.Input) || r.Input[next].Role == "user" || r.Input[next].Type == "function_call_output" {
				t.Errorf("item %d: reasoning without a proof, or with nothing after it", i)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("calls %v are not answered", open)
	}
}

// generateRules: the content after calls answers them, in number and by name;
// signatures are base64, and models of the third generation get one, or the
// word that stands for none, with the first call of a turn.
func generateRules(t *testing.T, body []byte) {
	t.Helper()
	type call struct{ Name string }
	var r struct {
		Contents []struct {
			Role  string
			Parts []struct {
				Text             *string
				ThoughtSignature string
				FunctionCall     *call
				FunctionResponse *call
				InlineData       any
			}
		}
	}
	read(t, body, &r)
	var open []string
	for i, c := range r.Contents {
		var calls, answers []string
		for _, p := range c.Parts {
			switch {
			case p.FunctionCall != nil:
				calls = append(calls, p.FunctionCall.Name)
			case p.FunctionResponse != nil:
				answers = append(answers, p.FunctionResponse.Name)
			case p.Text == nil && p.InlineData == nil:
				t.Errorf("content %d: a part with nothing", i)
			}
			if _, err := base64.StdEncoding.DecodeString(p.ThoughtSignature); err != nil && p.ThoughtSignature != "skip_thought_signature_validator" {
				t.Errorf("content %d: signature %q", i, p.ThoughtSignature)
			}
		}
		if !slices.Equal(answers, open) {
			t.Errorf("content %d answers %q, want %q", i, answers, open)
		}
		if open = calls; len(c.Parts) == 0 {
			t.Errorf("content %d is empty", i)
		}
	}
	if n := len(r.Contents); n == 0 || r.Contents[0].Role != "user" || r.Contents[n-1].Role != "user" {
		t.Error("a user does not begin, or does not end")
	}
}

// ollamaRules: results follow their calls, in order, by name.
func ollamaRules(t *testing.T, body []byte) {
	t.Helper()
	var r struct {
		Messages []struct {
			Role      string
			ToolCalls []struct{ Function struct{ Name string } } `json:"tool_calls"`
			ToolName  string                                     `json:"tool_name"`
		}
	}
	read(t, body, &r)
	open := 0
	for i, m := range r.Messages {
		switch {
		case m.Role == "tool" && open == 0:
			t.Errorf("message %d answers nobody", i)
		case m.Role == "tool":
			open--
		case open > 0:
			t.Errorf("message %d: %d calls are not answered", i, open)
		default:
			open = len(m.ToolCalls)
		}
	}
	if open > 0 {
		t.Errorf("%d calls are not answered", open)
	}
}

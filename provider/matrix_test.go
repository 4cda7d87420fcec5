package provider_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/ai-agent-go/ai-agent/dialect"
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/openai"
	"github.com/ai-agent-go/ai-agent/provider"
	"github.com/ai-agent-go/ai-agent/spec"
)

// source is a service whose authentic answers are in its adapter's test data.
type source struct {
	config provider.Config
	model  string
	wire   string // the directory
}

func sources() []source {
	key := spec.Secret{Ref: "env:KEY"}
	return []source{
		{provider.Config{Name: "anthropic", Key: key}, "claude-opus-4-5", "../llm/anthropic/testdata/wire"},
		{provider.Config{Name: "chat", Type: provider.OpenAI, Mode: "chat", Key: key}, "gpt-5", "../llm/openai/testdata/chat"},
		{provider.Config{Name: "openai", Key: key}, "gpt-5", "../llm/openai/testdata/responses"},
		{provider.Config{Name: "google", Key: key}, "gemini-2.5-pro", "../llm/google/testdata/wire"},
		{provider.Config{Name: "ollama"}, "qwen3", "../llm/ollama/testdata/wire"},
	}
}

// destination is where a conversation may go on.
type destination struct {
	config provider.Config
	model  string
	// judge reads a request as the vendor does; nil where the vendor has no
	// types in Go.
	judge func(t *testing.T, body []byte)
	// rules are those of the service's documentation that types cannot say.
	rules func(t *testing.T, body []byte)
}

func destinations() []destination {
	key := spec.Secret{Ref: "env:KEY"}
	return []destination{
		{provider.Config{Name: "anthropic", Key: key}, "claude-opus-4-5", judgeMessages, messagesRules},
		{provider.Config{Name: "anthropic", Key: key}, "claude-sonnet-5-5", judgeMessages, messagesRules},
		{provider.Config{Name: "chat", Type: provider.OpenAI, Mode: "chat", Key: key}, "gpt-5", judgeChat, chatRules(40, "")},
		{provider.Config{Name: "mistral", Key: key}, "mistral-large-latest", nil, chatRules(9, nineAlphanumerics)},
		{provider.Config{Name: "openrouter", Key: key}, "z-ai/glm-5", nil, chatRules(40, "")},
		{provider.Config{Name: "lab", Type: provider.Compatible, BaseURL: "http://lab.test/v1", Flavor: openai.FlavorCompatible}, "llama", nil, chatRules(40, "")},
		{provider.Config{Name: "openai", Key: key}, "gpt-5", judgeResponses, responsesRules},
		{provider.Config{Name: "openai", Key: key}, "gpt-6.1-sol", judgeResponses, responsesRules},
		{provider.Config{Name: "google", Key: key}, "gemini-2.5-pro", judgeGenerate, generateRules},
		{provider.Config{Name: "google", Key: key}, "gemini-3.8-flash", judgeGenerate, generateRules},
		{provider.Config{Name: "ollama"}, "qwen3", nil, ollamaRules},
	}
}

// stories are the cases whose answers a conversation is made of.
var stories = []string{
	"plain-text", "one-call", "text-and-call", "parallel-calls", "thinking-and-call", "redacted-thinking", "length", "duplicate-ids", "missing-ids",
	"no-arguments", "bad-arguments", "interleaved", "unicode", "empty",
}

// play gives the answer of a case to the adapter that it was written for.
func (s *source) play(t *testing.T, name string) (*llm.Receipt, bool) {
	t.Helper()
	file, err := txtar.ParseFile(filepath.Join(s.wire, name+".txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range file.Files {
		head, body, _ := bytes.Cut(f.Data, []byte("\n\n"))
		if f.Name != "stream" && f.Name != "whole" || !bytes.HasPrefix(head, []byte("200 ")) {
			continue
		}
		body = bytes.ReplaceAll(body, []byte("@cut\n"), nil)
		kind, _, _ := strings.Cut(string(head[len("200 "):]), "\n")
		w := &wire{answer: string(body), kind: kind}
		p := mustNew(t, &s.config, &provider.World{Getenv: environment("KEY=" + secret), Transport: w})
		request := hello(s.config.Name, s.model)
		request.Stream, request.Tools = f.Name == "stream", weather()
		return llm.Call(t.Context(), p, request), true
	}
	return nil, false
}

func weather() []llm.Tool {
	return []llm.Tool{{Name: "weather", Parameters: []byte(`{"type":"object","properties":{"city":{"type":"string"}}}`)}}
}

// history is a long conversation with one service, with all that can be in one:
// signed and encrypted thinking, calls in parallel, odd ids, images, an answer
// that was cut off, and one that was aborted.
func (s *source) history(t *testing.T) (items []dialect.Item, said []llm.Envelope) {
	t.Helper()
	for i, name := range stories {
		receipt, ok := s.play(t, name)
		if !ok {
			continue
		}
		if receipt.Error != nil {
			t.Fatalf("%s/%s: %v", s.config.Name, name, receipt.Error)
		}
		question := llm.Text(llm.RoleUser, fmt.Sprintf("Question %d?", i))
		if i%3 == 0 {
			question.Parts = append(question.Parts, llm.Part{Kind: llm.PartImage, Image: &llm.Image{MediaType: "image/png", Data: []byte("a picture")}})
		}
		items = append(items, dialect.Item{Kind: dialect.ItemUser, User: &question})
		items = append(items, turn(&receipt.Output, i)...)
		said = append(said, receipt.Output)
		if len(receipt.Output.Reasoning) > 0 {
			// The same once more, stopped when it had thought and said nothing yet,
			// which is let through in the middle of a run (contract R6).
			only := llm.Envelope{Reasoning: receipt.Output.Reasoning, Origin: receipt.Output.Origin}
			items = append(items, dialect.Item{Kind: dialect.ItemUser, User: &question}, dialect.Item{Kind: dialect.ItemAssistant, Assistant: &only})
		}
	}
	// What failed midway is kept for people and never sent (contract V5).
	if receipt, ok := s.play(t, "cut"); ok && receipt.Error != nil {
		receipt.Output.AssistantText += aborted
		items = append(items, dialect.Item{Kind: dialect.ItemTerminal, Assistant: &receipt.Output})
	}
	if len(said) < 10 {
		t.Fatalf("%s: only %d answers in its history", s.config.Name, len(said))
	}
	return items, said
}

const aborted = "THIS-WAS-ABORTED"

// turn is an answer and the results of its calls, some of which are missing,
// failed, empty or pictures.
func turn(e *llm.Envelope, i int) []dialect.Item {
	items := []dialect.Item{{Kind: dialect.ItemAssistant, Assistant: e}}
	for n := range e.ToolCalls {
		r := &llm.ToolResult{CallID: e.ToolCalls[n].ID, Name: e.ToolCalls[n].Name, Content: fmt.Sprintf("result %d.%d", i, n), Failed: e.ToolCalls[n].Bad}
		switch (i + n) % 4 {
		case 0:
			r.Images = []llm.Image{{MediaType: "image/png", Data: []byte("a map")}}
		case 1:
			r.Content = ""
		case 2:
			if n > 0 {
				continue // nobody answered
			}
		}
		items = append(items, dialect.Item{Kind: dialect.ItemResult, Result: r})
	}
	return items
}

// stranger is a history that no adapter of ours would have written: ids of all
// forms that occur in the wild, and thoughts of every kind.
func stranger() ([]dialect.Item, []llm.Envelope) {
	origin := &llm.Origin{Provider: "elsewhere", Model: "other"}
	long := "call_" + strings.Repeat("x", 220) + "|fc_" + strings.Repeat("y", 230)
	e := llm.Envelope{Origin: origin, AssistantText: "Let me see."}
	for _, id := range []string{long, long + "z", "functions.weather:0", "", "ünïcode", "abc def", "fc_trailing_", strings.Repeat("a", 64), strings.Repeat("a", 65)} {
		e.ToolCalls = append(e.ToolCalls, llm.ToolCall{ID: id, Name: "weather", Arguments: []byte(`{"city":"Berlin"}`), Signature: "not base64!"})
	}
	e.Reasoning = []llm.Reasoning{
		{Text: "<think>Signed.</think>", Signature: "FOREIGN-SIGNATURE-1", ID: "rs_foreign_1"}, {Redacted: "FOREIGN-REDACTED-1", ID: "rs_foreign_2"}, {Text: "Cut off"},
	}
	only := llm.Envelope{Origin: origin, Reasoning: []llm.Reasoning{{Text: "Only a thought.", Signature: "FOREIGN-SIGNATURE-2", ID: "reasoning_content"}}}
	question := llm.Text(llm.RoleUser, "Hello?")
	items := []dialect.Item{{Kind: dialect.ItemUser, User: &question}}
	items = append(items, turn(&e, 0)...)
	items = append(items, dialect.Item{Kind: dialect.ItemAssistant, Assistant: &only})
	return items, []llm.Envelope{e, only}
}

// Each provider's authentic history goes on with every other one: whatever is
// stored, and wherever it is cut off, is a request that the next one accepts,
// with proofs of thinking sent to the model that gave them and to no other.
//
// contract: V2, V4
func TestEveryHistoryGoesOnWithEveryModel(t *testing.T) {
	t.Parallel()
	for _, s := range append(sources(), source{config: provider.Config{Name: "elsewhere"}, model: "other"}) {
		items, said := stranger()
		if s.wire != "" {
			items, said = s.history(t)
		}
		for _, d := range destinations() {
			t.Run(fmt.Sprintf("%s/to=%s-%s", s.config.Name, d.config.Name, strings.ReplaceAll(d.model, "/", "-")), func(t *testing.T) {
				t.Parallel()
				w := &wire{answer: "{}"}
				p := mustNew(t, &d.config, &provider.World{Getenv: environment("KEY=" + secret), Transport: w})
				for n := 1; n <= len(items); n++ {
					body := d.send(t, p, w, items[:n])
					if d.judge != nil {
						d.judge(t, body)
					}
					d.rules(t, body)
					if bytes.Contains(body, []byte(aborted)) {
						t.Error("what was aborted is sent")
					}
					same := d.config.Name == s.config.Name && d.model == s.model
					proofs(t, body, said, same, n == len(items))
					if t.Failed() {
						t.Fatalf("after %d of %d items: %s", n, len(items), body)
					}
				}
			})
		}
	}
}

// send makes a request of a transcript, through the projection that sessions
// use, and returns what arrived.
func (d *destination) send(t *testing.T, p llm.Provider, w *wire, items []dialect.Item) []byte {
	t.Helper()
	projector := dialect.NewProjector(spec.TransportNative)
	projector.Append(items...)
	run := &spec.Run{System: "Be brief.", Transport: spec.TransportNative}
	request := projector.Request(run, &spec.Target{Provider: d.config.Name, Model: d.model}, new(dialect.Toolset), new(dialect.Ask))
	request.Tools, request.ToolChoice = weather(), llm.ToolChoiceAuto
	request.Sampling = llm.Sampling{ReasoningEffort: "high", MaxTokens: new(int64(8000))}
	if r := llm.Call(t.Context(), p, request); len(w.sent) == 0 {
		t.Fatalf("nothing was sent: %v", r.Error)
	}
	return []byte(w.sent[len(w.sent)-1])
}

var inList = regexp.MustCompile(`"(?:data|signature)":"([^"]+)"`)

// proofs checks that opaque data went to where it came from, all of it, and
// nowhere else.
func proofs(t *testing.T, body []byte, said []llm.Envelope, same, whole bool) {
	t.Helper()
	for i := range said {
		for _, r := range said[i].Reasoning {
			list := []string{r.Signature, r.Redacted}
			if strings.HasPrefix(r.Signature, "[") { // a router's account, which holds proofs
				list = nil
				for _, found := range inList.FindAllStringSubmatch(r.Signature, -1) {
					list = append(list, found[1])
				}
			}
			for _, proof := range list {
				switch has := bytes.Contains(body, []byte(proof)); {
				case proof == "":
				case has && !same:
					t.Errorf("a proof of another model is sent: %s", proof)
				case !has && same && whole:
					t.Errorf("a proof is lost: %s", proof)
				}
			}
		}
	}
}

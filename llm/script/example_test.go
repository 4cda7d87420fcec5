package script_test

import (
	"context"
	"fmt"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/script"
)

// A script in code: the model calls a tool, is rate limited once, and answers
// with what the tool returned.
func Example() {
	provider := script.New(
		script.Calls(script.Call{Name: "weather", Arguments: map[string]any{"city": "Paris"}}),
		script.Turn(
			script.Fail(429, "slow down"),
			script.Text(`It is {{tool "weather"}}.`),
		),
	)

	// What an agent does, in short: ask, run the tool, ask again, try again.
	question := llm.Text(llm.RoleUser, "How is the weather in Paris?")
	request := &llm.Request{History: []*llm.Message{&question}}
	receipt := llm.Call(context.Background(), provider, request)
	call := receipt.Output.ToolCalls[0]
	fmt.Println(call.Name, string(call.Arguments))

	wish := receipt.Output.Message()
	result := llm.Message{Role: llm.RoleTool, Parts: []llm.Part{{
		Kind: llm.PartToolResult, Result: &llm.ToolResult{CallID: call.ID, Content: "sunny"},
	}}}
	request.History = append(request.History, &wish, &result)
	for range 2 {
		receipt = llm.Call(context.Background(), provider, request)
		if receipt.Error != nil {
			fmt.Println(receipt.Error)
			continue
		}
		fmt.Println(receipt.Output.AssistantText)
	}

	// Output:
	// weather {"city":"Paris"}
	// rate_limit (status 429): slow down
	// It is sunny.
}

// A script in a file, streamed.
func ExampleParse() {
	s, err := script.Parse("greeting.yaml", []byte(`
turns:
  - text: "You said: {{user}}"
    chunk_size: 8
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	hello := llm.Text(llm.RoleUser, "hello")
	request := &llm.Request{History: []*llm.Message{&hello}, Stream: true}
	for delta, receipt := range script.Play(s, script.Options{}).Generate(context.Background(), request) {
		if receipt != nil {
			fmt.Println(receipt.Finish.Reason)
			break
		}
		fmt.Printf("%q\n", delta.Text)
	}

	// Output:
	// "You said"
	// ": hello"
	// stop
}

// Package aiagent runs AI agents: it talks to language models, executes tools,
// and always returns an answer.
//
// The easy path is one call. It needs a provider, an agent and a prompt, and it
// returns a result for every failure (contract B2):
//
//	result := aiagent.Run(ctx, aiagent.Config{
//		Providers: map[string]llm.Provider{"script": script},
//	}, &aiagent.Agent{
//		System:  "You are a weather service.",
//		Targets: []aiagent.Target{{Provider: "script", Model: "demo"}},
//		Tools:   []tool.Tool{weather},
//	}, "Athens tomorrow?")
//	fmt.Println(result.Text())
//
// The raw path is a [Runtime], which sessions share, and [Session.Execute],
// which streams events and returns when the session has an answer or waits for
// somebody: a remote tool's result, an approval. Sessions live in a store and
// outlast the process.
//
// The library writes nothing to stdout, stderr or disk by itself (contract B1).
package aiagent

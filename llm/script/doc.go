// Package script is a provider that answers from a script instead of a model,
// so that agents can be tested, shown and debugged offline: no key, no network,
// no cost, and the same answer every time.
//
// # In code
//
//	provider := script.New(
//		script.Calls(script.Call{Name: "weather", Arguments: map[string]any{"city": "{{user}}"}}),
//		script.Turn(
//			script.Fail(429, "slow down"),
//			script.Text(`The weather is {{tool "weather"}}.`),
//		),
//	)
//
// # In a file
//
// The same in YAML, or in JSON with the same keys; [Open] and [Load] tell them
// apart by the file's extension. A turn is one attempt, or a list of attempts;
// a text alone is an attempt that says it.
//
//	turns:
//	  - calls:
//	      - {name: weather, arguments: {city: "{{user}}"}}
//	  - attempts:
//	      - error: {status: 429, message: slow down, headers: {retry-after: "3"}}
//	      - text: The weather is {{tool "weather"}}.
//
// Loading is strict: an unknown key is an error with its place and the key that
// was probably meant. The keys are the JSON names of [Script] and [Reply]. Three
// values have short forms: reasoning may be a text, one thought or a list of
// them; break_after may be a number of chunks; result_contains may be a text.
//
// # Which turn, which attempt
//
// The turn is one more than the number of assistant messages in the request's
// history. So it depends on the conversation alone: a second run of the same
// session goes on where the first one ended, and a turn of which nothing was
// committed is asked for again.
//
// The attempt is the last number of the request's correlation id when that has
// the form session/run/turn/attempt. The provider is stateless then, and a
// replay gets the same answers. Otherwise the provider counts the requests it
// has seen for the turn, apart for each session that the id begins with.
//
// Attempt n is answered by the n-th attempt of its turn, and by the last one
// when there are fewer: a turn with a single error fails for good. An attempt
// with a condition ([When]) is passed over for models it is not meant for: the
// nearest one before it answers, or else the nearest one after it.
//
// After the last turn the script is at an end, which is an error unless it
// repeats its last turn.
//
// # Templates
//
// Texts and the strings in arguments are templates of package text/template,
// with five functions:
//
//	{{tool "NAME"}}  the content of the last result of the tool NAME
//	{{result "ID"}}  the content of the result of the call ID
//	{{user}}         the text of the last user message
//	{{turn}}         the number of the turn
//	{{nonce}}        the nonce of the tags that the request asks for
//
// Write {{"{{"}} for two braces that mean themselves.
//
// # Streams
//
// The provider keeps the rules of [llm.Provider]. With Stream set, deltas come
// as the script cuts and delays them, the request's time-out limits each
// silence, and a failure comes with what had arrived. Without it the answer
// arrives whole or not at all: one delta per part after all delays together,
// which the time-out limits in sum, and nothing before a failure.
//
// What is wrong with the script itself (no such turn, a template that fails, an
// expectation that is not met) ends in a receipt of class [llm.ClassModel] with
// the code [ErrorCode], whose message names script, turn and attempt.
package script

// Package anthropic speaks the Messages API of Anthropic, and of everything
// that imitates it.
//
// What a newcomer to the API stumbles over is decided here, once:
//
//   - The API demands max_tokens. Where none is configured [DefaultMaxTokens] is
//     sent, and the receipt warns of it.
//   - Up to generation 4.5 thinking is a budget of tokens, and a reasoning effort
//     becomes a share of the output tokens; later models think as they like, and
//     the effort is sent as it is ([Config.Effort]). Temperature, top_k and a forced tool are illegal while
//     thinking; they are left out with a warning.
//   - Thinking goes back with its signature to the model that it came from. To
//     any other model it is plain text, and what was encrypted is dropped.
//   - Results of tools are content of a user's message. Those of one turn, and
//     what the user or a notice says next, are one message.
//   - Up to four cache marks are set: on the tools, on the system prompt, on
//     the last block of the history and on the block that was last one request
//     ago. What belongs to one request alone is never marked.
package anthropic

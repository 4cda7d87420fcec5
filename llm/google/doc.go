// Package google speaks the Gemini API: generateContent, in one piece and as a
// stream.
//
// Its habits, and what becomes of them:
//
//   - Calls and results are matched by name and order, not by id. A call that
//     came without an id gets one of ours; none is ever sent.
//   - Any part may carry a signature: a thought, a call, or an empty text. It is
//     kept and goes back at the same place to the model that it came from.
//   - From Gemini 3 on the first call of a message must have a signature. Calls
//     of other models get the word that the service takes instead.
//   - Thinking is a level from Gemini 3 on, and a budget of tokens before.
//   - Pictures in the results of tools are parts of them from Gemini 3 on, and a
//     message of the user before.
package google

// Package dialect speaks to models and listens to them. It has two halves, both
// pure and both versioned:
//
//   - A [Projector] turns a transcript into the request for one target: which
//     messages, which tools, which notices. Whatever the history looks like,
//     the request is valid (contract V2).
//   - Observe turns a response into an [Observation]: which calls it makes and
//     whether they may run, whether it holds a report and whether that is fit,
//     how large everything is. The kernel decides by the observation alone and
//     never reads a model's text.
//
// A [Filter] is Observe for listeners: what of a response may be shown while it
// arrives. Both read tags and think blocks with the same machinery.
//
// Calls and the report travel in one of three transports (contract M1):
//
//	            tools           report   results
//	native      tool calls      call     tool messages
//	xml-final   tool calls      tag      tool messages
//	xml         tags in slots   tag      one user message per turn
//
// A tag is <ai-agent-NONCE-SLOT …>payload</ai-agent-NONCE-SLOT>, with a nonce of
// the session and slots that are never used twice. Which slots are free, and
// everything else that must be said of tags, is told with each request and is
// no part of the conversation. A conversation that was held in one transport
// goes on in any other.
//
// Nothing here decides anything: no retry, no limit, no end. The kernel sends an
// [Ask] that says what this request is for; both halves work from the same one.
package dialect

// Version is the version of the projection and of the observation. It is in
// every frame; a journal is compared bit for bit only with its own version.
const Version = 1

// Package dialect speaks to models and listens to them. It has two halves, both
// pure and both versioned:
//
//   - Project turns a transcript into the request for one target: which
//     messages, which tools, which notices. Whatever the history looks like,
//     the request is valid (contract V2).
//   - Observe turns a response into an [Observation]: which calls it makes and
//     whether they may run, whether it holds a report and whether that is fit,
//     how large everything is. The kernel decides by the observation alone and
//     never reads a model's text.
//
// Nothing here decides anything: no retry, no limit, no end. The kernel sends an
// [Ask] that says what this request is for; both halves work from the same one.
package dialect

// Version is the version of the projection and of the observation. It is in
// every frame; a journal is compared bit for bit only with its own version.
const Version = 1

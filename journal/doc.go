// Package journal defines what a session leaves behind: frames, in order, each
// chained to the one before by its hash, and the content-addressed blobs that
// frames refer to.
//
// A frame is one input with everything that followed from it. The journal does
// not know what inputs, effects and facts mean: to it they are [Record]s, a
// kind and bytes. It knows how they are encoded ([Codec]: one value has one
// encoding), how they are named ([Ref], [Key]) and how a change to any of them
// is noticed ([Chain]).
//
// Frames hold references to user text, never the text itself, so that a blob
// can be erased and the chain stays valid.
//
// The package is pure: bytes in, bytes out.
package journal

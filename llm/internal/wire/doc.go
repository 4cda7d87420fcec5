// Package wire is what all adapters share: one HTTP exchange per call, the
// reading of server-sent events and of JSON without waste, the encoding of
// conversations that only grow, and the sorting of failures into classes.
//
// An adapter brings three things: the body of its request, a [Decoder] for the
// answers, and a table of the error codes that its service uses ([Rules]). The
// rest is here, once, so that cancelling, time-outs, limits and secrets behave
// the same whoever is asked.
//
//	request --> Conversation --> Body --> Client.Exchange --> Decoder --> Answer --> receipt
package wire

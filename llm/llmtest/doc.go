// Package llmtest is the suite that every adapter to a language model passes:
// one table of cases, played over scripted wire traffic from an HTTP server in
// the same process, in fake time and without a network.
//
// A case says what is asked and what must come of it. The adapter brings the
// traffic: for every case a file <case>.txtar, in its service's own words.
// Because the expectation stands here and not in the files, the same case gives
// the same envelope whoever answers (contract P8, P9).
//
//	What this file protects, in a sentence.
//	-- stream --
//	200 text/event-stream
//
//	data: {"the": "answer, piece by piece"}
//
//	@hold
//	-- whole --
//	200 application/json
//
//	{"the": "answer in one piece"}
//	-- sent --
//	POST /v1/path
//	...
//
// The sections stream and whole are answers; a case plays those that its file
// has, and a file that lacks one says why under "no stream" or "no whole". sent
// is the request that must have arrived, kept for the cases that are about it;
// [Adapter.Update] rewrites it.
//
// Lines that begin with @ are directions to the server:
//
//	@hold         keep the connection open and say no more, until the client goes
//	@cut          break the connection
//	@wait 4s      let time pass
//
// and {{key}} stands for the secret of the call, {{repeat 1000 ab}} for that
// many times the text.
package llmtest

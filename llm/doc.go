// Package llm is the vocabulary between this project and language models:
// messages made of typed parts, a request as data, and a stream that ends in
// exactly one receipt.
//
// It knows nothing of agents, sessions or tools that run (contract P13). A
// [Provider] makes one request per call: no retry, no back-off, no default
// that changes meaning. Whoever calls it decides what a failure means, from
// the [ErrorClass] in the receipt.
//
//	for delta, receipt := range provider.Generate(ctx, request) {
//		if receipt != nil {
//			return receipt // always the last element, failure included
//		}
//		show(delta)
//	}
//
// The package is pure: it reads no clock, opens no socket and starts no
// goroutine. Adapters, which do, are its sub-packages.
package llm

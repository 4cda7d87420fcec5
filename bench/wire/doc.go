// Package wire measures the adapters beside the vendors' own libraries and
// beside the loop that anybody would write with net/http and encoding/json.
//
//	go test -run '^$' -bench . ./bench/wire
//
// prints a line for every wire format: the processor time of a streamed chunk
// and of a request, the allocations, and both as multiples of the others'. The
// three take turns in one process, so that a busy machine slows all of them. The
// multiples that adapters must keep are tests of the adapters (llmtest.Speed).
package wire

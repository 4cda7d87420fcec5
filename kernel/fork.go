package kernel

import "github.com/ai-agent-go/ai-agent/journal"

// Rest returns what the conversation of this state still lacks to stand on its
// own: a fork of the session begins with the transcript up to its head and with
// these entries. A message that waits to be said is said, calls without a result
// are answered: with what results has for their id, "interrupted" otherwise
// (contract V2). Remote calls and approvals that are awaited are among them: a
// fork inherits nobody's promise to answer. What is queued for after the run
// stays with the original. The state is not changed; results that were used are
// taken out of the map, and blobs are the contents that are new.
func (s *State) Rest(results map[string]ToolResult) (entries []Entry, answered *Inner, blobs []journal.Blob) {
	next := s.clone()
	x := &step{s: &next}
	if r := next.Run; r != nil {
		r.Open = nil
		x.say()
		x.answer(results)
		x.settleBatch(string(ToolInterrupted))
		for _, c := range r.Steers {
			x.addUser(c)
		}
	}
	for _, f := range x.out.Facts {
		if m, ok := f.(*Message); ok {
			entries = append(entries, m.Entry)
		}
	}
	return entries, next.Answered, x.out.Blobs
}

// answer gives calls whose result is not in the conversation yet another one.
func (x *step) answer(results map[string]ToolResult) {
	b := x.s.Run.Batch
	if b == nil {
		return
	}
	for i := b.Admitted; i < int64(len(b.Calls)); i++ {
		c := &b.Calls[i]
		t, ok := results[c.ID]
		if !ok || c.Group > 0 {
			continue
		}
		delete(results, c.ID)
		if c.Done, c.Failed, c.Error, c.Result = true, false, "", t.Content; t.Failed {
			x.stub(c, t.Error, t.Error)
		}
	}
}

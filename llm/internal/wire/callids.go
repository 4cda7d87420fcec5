package wire

import (
	"maps"
	"slices"
)

// CallIDs gives every call of a conversation an id that its service accepts and
// that no other call of the conversation has: ids are unique in their message
// only. Results are renamed with their calls (contract V4). The zero value is
// ready; what it hands out is never stored.
type CallIDs struct {
	// used are the ids on the wire.
	used map[string]bool
	// open are the calls of the last message by their own ids, pending those
	// that have no result yet, in order.
	open    map[string]string
	pending []string
}

// Begin starts an assistant message.
func (c *CallIDs) Begin() { c.open, c.pending = nil, nil }

// Call returns the id of a call on the wire. fit makes an id that the service
// accepts out of any text.
func (c *CallIDs) Call(id string, fit func(string) string) string {
	if c.used == nil {
		c.used = make(map[string]bool)
	}
	if c.open == nil {
		c.open = make(map[string]string)
	}
	wire := fit(id)
	for again := id; c.used[wire]; {
		again += "+"
		wire = fit(again)
	}
	c.used[wire] = true
	c.open[id] = wire
	c.pending = append(c.pending, id)
	return wire
}

// Result returns the id on the wire of the call that a result answers. It is
// false for a result that no call waits for, which services refuse.
func (c *CallIDs) Result(id string) (string, bool) {
	i := slices.Index(c.pending, id)
	if i < 0 {
		return "", false
	}
	if i == 0 {
		c.pending = c.pending[1:]
	} else {
		c.pending = slices.Delete(slices.Clone(c.pending), i, i+1)
	}
	return c.open[id], true
}

// Pending lists the calls that have no result yet, by their own ids.
func (c *CallIDs) Pending() []string { return slices.Clone(c.pending) }

// Clone returns ids that go their own way from here.
func (c *CallIDs) Clone() CallIDs {
	return CallIDs{used: maps.Clone(c.used), open: maps.Clone(c.open), pending: slices.Clone(c.pending)}
}

package view

// Snapshot is a run as a whole, for whoever keeps such things (contract B3).
type Snapshot struct {
	// Reason is final: the run has ended.
	Reason    string       `json:"reason"`
	SessionID string       `json:"sessionId"`
	OriginID  string       `json:"originId"`
	Timestamp int64        `json:"timestamp"`
	Snapshot  SnapshotBody `json:"snapshot"`
}

// SnapshotBody is the tree with the version of its form. In version 2 contents
// are there by reference, with a preview: the whole is in the journal.
type SnapshotBody struct {
	Version int          `json:"version"`
	OpTree  *SessionNode `json:"opTree"`
}

// SnapshotVersion is the version of the form in which snapshots are written.
const SnapshotVersion = 2

// Snapshot is the tree as it is now.
func (t *Tree) Snapshot(at int64) *Snapshot {
	id := &t.s.identity
	return &Snapshot{
		Reason: "final", SessionID: id.Session, OriginID: id.Origin, Timestamp: at,
		Snapshot: SnapshotBody{Version: SnapshotVersion, OpTree: t.Root()},
	}
}

// AccountingFlush is all accounts of a run at once, for whoever appends them to
// a ledger.
type AccountingFlush struct {
	SessionID string            `json:"sessionId"`
	OriginID  string            `json:"originId"`
	Timestamp int64             `json:"timestamp"`
	Entries   []AccountingEntry `json:"entries"`
}

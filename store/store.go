package store

import (
	"context"
	"errors"
	"iter"

	"github.com/ai-agent-go/ai-agent/journal"
)

// Conditions a caller branches on.
var (
	// ErrNotFound is a session, blob or command that is not there, or belongs
	// to somebody else: the two cannot be told apart.
	ErrNotFound = errors.New("not found")
	// ErrFenced is an append or renewal by somebody whose lease is no longer
	// the newest.
	ErrFenced = errors.New("another writer has taken over this session")
	// ErrLeased is a lease asked for while somebody else's is still good.
	ErrLeased = errors.New("session is leased to another writer")
	// ErrKeyReused is an idempotency key that came back with another body.
	ErrKeyReused = errors.New("idempotency key was used before with another request")
	// ErrBudget is a reservation that does not fit its account's limit.
	ErrBudget = errors.New("budget exhausted")
	// ErrClosed is a call to a store after its Close.
	ErrClosed = errors.New("store is closed")
	// ErrFull is a store that has no room left. What it holds can be read, and
	// the call may be repeated when there is room.
	ErrFull = errors.New("no room left in the store")
	// ErrReadOnly is a store that can be read and not written.
	ErrReadOnly = errors.New("store is read-only")
	// ErrDevice is a store whose disk or network failed. Whether what was to be
	// written is there must be asked again: what is certain is only that it
	// was not acknowledged.
	ErrDevice = errors.New("the store's device failed")
)

// Store is all of it. Every method may be called concurrently.
type Store interface {
	Journal
	Blobs
	Inbox
	Leases
	Index
	Ledger
	// Close releases what the store holds. Calls after it are [ErrClosed].
	Close() error
}

// Journal keeps frames.
type Journal interface {
	// Append writes a batch, all or nothing, durable when it returns. It fails
	// with [ErrFenced] when the batch's lease is not the session's newest, and
	// with [journal.ErrCorrupt] when its frames do not follow the last one.
	Append(ctx context.Context, key journal.Key, batch Batch) error
	// Read yields a session's frames from number from on, as of the call. An
	// unknown session yields [ErrNotFound].
	Read(ctx context.Context, key journal.Key, from uint64) iter.Seq2[Frame, error]
	// Head tells where a session stands.
	Head(ctx context.Context, key journal.Key) (Head, error)
	// Delete removes a session: frames, inbox, lease, and the blobs that no
	// other session of the tenant holds. Deleting twice is ErrNotFound.
	Delete(ctx context.Context, key journal.Key) error
}

// Frame is an encoded frame. Hash is the hash of Data.
type Frame struct {
	Seq  uint64
	Time int64
	Hash journal.Ref
	Prev journal.Ref
	Data []byte
}

// Encode makes a frame ready to be stored.
func Encode(f *journal.Frame) Frame {
	data := f.Encode()
	return Frame{Seq: f.Seq, Time: f.Time, Hash: journal.RefOf(data), Prev: f.Prev, Data: data}
}

// Batch is what one append writes.
type Batch struct {
	Lease  Lease
	Frames []Frame
	// Blobs become the session's; those the tenant has already are only noted.
	Blobs []journal.Blob
	// Inherit makes blobs of another session this one's too, without sending
	// them again: what a fork needs.
	Inherit Inherit
	// Answers settles commands of the inbox: they are pending no longer, and
	// their answer is given to whoever sends the same key again.
	Answers []Answer
	// Letters are commands to other sessions of the tenant, put into their
	// inboxes with this append: all of it is durable or nothing is. A letter
	// whose key was used before, or whose session is not there and is not to be
	// created, is left out.
	Letters []Letter
	// Summary replaces what List and Due know of the session.
	Summary Summary
	// State, if not nil, is the encoded state after the last frame.
	State []byte
}

// Inherit names blobs that a session of the same tenant holds. The append is
// [ErrNotFound] if that session is not there or does not hold one of them.
type Inherit struct {
	// Session is whose blobs they are; empty inherits nothing.
	Session string
	// Refs are the blobs; nil is all that the session holds.
	Refs []journal.Ref
}

// Letter is a command from one session to another.
type Letter struct {
	To   string
	Item Item
}

// Answer is what came of a command.
type Answer struct {
	Position uint64
	Body     []byte
}

// Summary is what can be asked of a session without reading its journal.
type Summary struct {
	Status string `json:"status"`
	Agent  string `json:"agent,omitempty"`
	Title  string `json:"title,omitempty"`
	// Parent is the session that this one is a child of.
	Parent string `json:"parent,omitempty"`
	// Active says that the session has work that only an actor can go on with:
	// when its lease lapses somebody must take it over.
	Active bool `json:"active,omitempty"`
	// WakeAt is when a timer of the session is due; zero is never.
	WakeAt int64 `json:"wake_at,omitempty"`
	// Cost is in nano-dollars.
	Cost int64 `json:"cost,omitempty"`
}

// Head is a session's end.
type Head struct {
	Summary
	Created int64
	Updated int64
	// Seq and Hash are the last frame's; zero before the first.
	Seq  uint64
	Hash journal.Ref
	// State is the newest saved state and StateSeq the frame that it follows.
	State    []byte
	StateSeq uint64
}

// Blobs keeps content.
type Blobs interface {
	// PutBlob stores content for a session ahead of the append that refers to
	// it. A large blob is written so; others travel in the batch.
	PutBlob(ctx context.Context, key journal.Key, data []byte) (journal.Ref, error)
	// Blob returns content that the session holds, checked against its name.
	Blob(ctx context.Context, key journal.Key, ref journal.Ref) ([]byte, error)
}

// Inbox takes in commands from anybody, in order, each key once.
type Inbox interface {
	// Put stores a command, durable when it returns. The first command of a
	// session must have Create set; any other for a session that does not
	// exist is ErrNotFound. A key that was used before gives the ticket of its
	// first use, or [ErrKeyReused] when the body differs.
	Put(ctx context.Context, key journal.Key, item Item) (Ticket, error)
	// Pending returns the commands that no append has settled, in order.
	Pending(ctx context.Context, key journal.Key, limit int) ([]Item, error)
	// Ticket returns what became of the command with this idempotency key.
	Ticket(ctx context.Context, key journal.Key, idempotencyKey string) (Ticket, error)
}

// Item is a command in an inbox. Position is given by the store and grows.
type Item struct {
	Position uint64
	// Key is the idempotency key; every command has one.
	Key    string
	At     int64
	Create bool
	Record journal.Record
	// Blobs is the content that the record refers to.
	Blobs []journal.Blob
}

// Digest is what two uses of one key must share.
func (it *Item) Digest() journal.Ref {
	c := journal.Encode(nil, &it.Record)
	for _, b := range it.Blobs {
		c = append(c, b.Ref[:]...)
	}
	return journal.RefOf(c)
}

// Ticket is a command's place and, once an append has settled it, its answer.
type Ticket struct {
	Position uint64
	// Repeated says that the key had been put before.
	Repeated bool
	Settled  bool
	Answer   []byte
}

// Leases lends sessions to one writer at a time.
type Leases interface {
	// Acquire takes a session for an owner until now+ttl. It fails with
	// [ErrLeased] while another owner's lease is good. Every success has a
	// higher token than the one before, also for the same owner, so whoever
	// held the session earlier is fenced off. A lease may be taken on a session
	// that has no frames yet.
	Acquire(ctx context.Context, key journal.Key, owner string, now, ttl int64) (Lease, error)
	// Renew moves a lease's end; [ErrFenced] when it is not the newest.
	Renew(ctx context.Context, lease Lease, now, ttl int64) (Lease, error)
	// Release ends a lease early. Releasing one that is not the newest is no
	// error: there is nothing left to release.
	Release(ctx context.Context, lease Lease) error
}

// Lease is the right to append to one session.
type Lease struct {
	Key     journal.Key
	Owner   string
	Token   uint64
	Expires int64
}

// Index answers questions over sessions.
type Index interface {
	// Due returns sessions of all tenants that need an actor now: a timer has
	// come, a command is pending, or an active session's lease has lapsed.
	// Sessions whose lease is good are left out. The longest due come first.
	Due(ctx context.Context, now int64, limit int) ([]Due, error)
	// NextWake is the earliest time after now at which Due may have more to
	// say on its own: a timer or the end of an active session's lease. Zero
	// is never.
	NextWake(ctx context.Context, now int64) (int64, error)
	// List returns a tenant's sessions, the newest first.
	List(ctx context.Context, tenant string, query Query) (Page, error)
	// Watch yields whenever a session has new frames or commands since the
	// last yield, and once at the start. It ends with ctx or when the loop
	// breaks; an unknown session yields [ErrNotFound].
	Watch(ctx context.Context, key journal.Key) iter.Seq2[Change, error]
}

// DueReason is why a session is due.
type DueReason string

// The reasons. When several hold, the first of these is given.
const (
	DueWake   DueReason = "wake"
	DueInbox  DueReason = "inbox"
	DueOrphan DueReason = "orphan"
)

// Due is a session that needs an actor.
type Due struct {
	Key    journal.Key
	Reason DueReason
	Since  int64
}

// Query narrows a list. The zero query asks for the first 100 sessions.
type Query struct {
	Status string
	Agent  string
	Parent string
	// Cursor goes on where a page ended.
	Cursor string
	// Limit is at most 1,000; zero is 100.
	Limit int
}

// Page is a part of a list. Cursor is empty on the last page.
type Page struct {
	Sessions []Listed
	Cursor   string
}

// Listed is one session of a list.
type Listed struct {
	Key journal.Key
	Head
}

// Change is what a watcher is told: the last frame and the last command.
type Change struct {
	Seq      uint64
	Position uint64
}

// Ledger keeps money accounts that outlive sessions, in nano-dollars. Each
// call carries an id; repeating a call changes nothing.
type Ledger interface {
	// Reserve sets amount aside under id unless spent + reserved + amount
	// exceeds limit, which is [ErrBudget]. A limit below zero means none.
	Reserve(ctx context.Context, tenant, account, id string, amount, limit int64) error
	// Settle replaces the reservation by what was really spent. Settling an
	// unknown id is ErrNotFound; settling twice keeps the first.
	Settle(ctx context.Context, tenant, account, id string, spent int64) error
	// Balance tells what an account has spent and holds in reserve.
	Balance(ctx context.Context, tenant, account string) (Balance, error)
}

// Balance is an account's state.
type Balance struct {
	Spent    int64
	Reserved int64
}

package host

import (
	"time"

	"github.com/google/uuid"
)

// Clock tells the time and wakes up. It is the only source of time in this
// project: everything below the host is told.
type Clock interface {
	// Now is the time in milliseconds since 1970.
	Now() int64
	// Timer fires once after ms milliseconds; stop releases it.
	Timer(ms int64) (fired <-chan time.Time, stop func())
	// After calls f in a goroutine of its own after ms milliseconds, unless it
	// is stopped before.
	After(ms int64, f func()) (stop func())
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now implements [Clock].
func (SystemClock) Now() int64 { return time.Now().UnixMilli() }

// Timer implements [Clock].
func (SystemClock) Timer(ms int64) (<-chan time.Time, func()) {
	t := time.NewTimer(time.Duration(ms) * time.Millisecond)
	return t.C, func() { t.Stop() }
}

// After implements [Clock].
func (SystemClock) After(ms int64, f func()) func() {
	t := time.AfterFunc(time.Duration(ms)*time.Millisecond, f)
	return func() { t.Stop() }
}

// IDs makes names that nobody else has.
type IDs interface {
	// New returns an id for a session, a command or an owner.
	New() string
}

// RandomIDs draws from the system's randomness; ids sort by time.
type RandomIDs struct{}

// New implements [IDs].
func (RandomIDs) New() string { return uuid.Must(uuid.NewV7()).String() }

//go:build !unix

package llmtest

import "time"

var started = time.Now()

// CPU is the time that this process has run, where the system does not tell how
// much of it was work.
func CPU() time.Duration { return time.Since(started) }

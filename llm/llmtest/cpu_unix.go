//go:build unix

package llmtest

import (
	"syscall"
	"time"
)

// CPU is the processor time that this process has used. Unlike the time of day
// it does not run on while others have the machine.
func CPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err) // no input can cause it
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

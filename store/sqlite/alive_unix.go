//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// lockFile takes the lock on a file, if nobody has it. It is given up when the
// file is closed.
func lockFile(f *os.File) bool {
	return syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

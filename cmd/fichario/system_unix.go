//go:build unix

package main

import (
	"os/signal"
	"syscall"
)

// writeBeyondLimits has a write beyond the limit of a file's size fail, as one on a full disk does, and not end the
// program.
func writeBeyondLimits() { signal.Ignore(syscall.SIGXFSZ) }

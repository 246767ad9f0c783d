//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// writeBeyondLimits has a write beyond the limit of a file's size fail, as one on a full disk does, and not end the
// program.
func writeBeyondLimits() { signal.Ignore(syscall.SIGXFSZ) }

// ownedLike gives a new file of root's to whom the file at path belongs to. Who is not root can give nothing away, and
// needs not.
func ownedLike(file *os.File, path string) error {
	if os.Geteuid() != 0 {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	owner, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return nil
	}
	return file.Chown(int(owner.Uid), int(owner.Gid))
}

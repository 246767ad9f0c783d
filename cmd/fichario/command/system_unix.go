//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"
)

// WriteBeyondLimits makes a write beyond the file size limit fail, like one to a full disk, instead of ending the
// program.
func WriteBeyondLimits() { signal.Ignore(syscall.SIGXFSZ) }

// Waits reports whether a listener has a connection to accept or a connection something to read, or that cannot be
// told.
func Waits(fd uintptr) bool {
	n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
	return n > 0 || err != nil
}

// OwnedLike gives a new file the owner of the file at path. Only root can, and only root's files need it.
func OwnedLike(file *os.File, path string) error {
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

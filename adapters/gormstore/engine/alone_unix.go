//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package engine

import (
	"errors"
	"os"
	"syscall"
)

// lockFile opens a file and locks it until it is closed; errTaken when another process has locked it.
func lockFile(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case err == nil:
		return file, nil
	case errors.Is(err, syscall.EWOULDBLOCK):
		err = errTaken
	}
	return nil, errors.Join(err, file.Close())
}

// Package proc inspects other processes through /proc, so it needs Linux.
package proc

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// Alive reports whether the process still runs. A zombie does not: it has ended and only awaits its parent.
func Alive(pid int) bool {
	if pid <= 0 || syscall.Kill(pid, 0) == syscall.ESRCH {
		return false
	}
	state, _, ok := stat(pid)
	return !ok || state != 'Z'
}

// WaitGone waits until the process has ended, at most for the given time, and reports whether it has.
func WaitGone(pid int, limit time.Duration) bool {
	for end := time.Now().Add(limit); Alive(pid); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			return false
		}
	}
	return true
}

// WaitStopped waits until a process is stopped, or gone, and reports whether it is in time: SIGSTOP takes a while on a
// busy machine, and a process that is not stopped yet may still make others.
func WaitStopped(pid int, limit time.Duration) bool {
	for end := time.Now().Add(limit); ; time.Sleep(time.Millisecond) {
		if state, _, ok := stat(pid); !ok || state == 'T' || state == 'Z' {
			return true
		}
		if time.Now().After(end) {
			return false
		}
	}
}

// Children returns the running processes that the given one started.
func Children(pid int) []int {
	entries, _ := filepath.Glob("/proc/[0-9]*")
	var children []int
	for _, entry := range entries {
		child, err := strconv.Atoi(filepath.Base(entry))
		if err != nil {
			continue
		}
		if state, parent, ok := stat(child); ok && parent == pid && state != 'Z' {
			children = append(children, child)
		}
	}
	return children
}

// stat reads the state and the parent. The name before them is in brackets and may itself contain brackets and spaces.
func stat(pid int) (state byte, parent int, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 2 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(string(fields[1]))
	return fields[0][0], parent, err == nil
}

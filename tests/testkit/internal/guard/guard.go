// Package guard cleans up what a test process started, however that process ends.
//
// A test binary that panics, times out or is killed runs none of its cleanups. So the first guarded resource starts
// the same executable once more; the copy only waits at the other end of a pipe, and when the pipe closes it undoes
// whatever is left. It has its own process group, so that Ctrl-C does not reach it.
package guard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"syscall"
)

// environment marks a process as the guard.
const environment = "FICHARIO_TEST_GUARD"

// Thing is something that must not outlive the tests: one of Process, Directory, Cluster, Container and Databases.
type Thing struct {
	Kind string
	Args []string
}

// Entry is a thing under guard.
type Entry struct {
	id    int
	thing Thing
	once  sync.Once
	err   error
}

// message goes over the pipe: a thing to guard, or, without a thing, the release of id.
type message struct {
	ID    int
	Thing *Thing
}

var (
	mu   sync.Mutex
	pipe *json.Encoder
	last int
)

// The copy must never reach main, where it would run another package's tests.
func init() {
	if os.Getenv(environment) != "" {
		watch(os.Stdin)
		os.Exit(0)
	}
}

// Add puts a thing under guard.
func Add(thing Thing) (*Entry, error) {
	mu.Lock()
	defer mu.Unlock()
	if pipe == nil {
		if err := start(); err != nil {
			return nil, fmt.Errorf("starting the guard of the tests: %w", err)
		}
	}
	last++
	if err := pipe.Encode(message{ID: last, Thing: &thing}); err != nil {
		return nil, fmt.Errorf("telling the guard of the tests: %w", err)
	}
	return &Entry{id: last, thing: thing}, nil
}

// Undo removes the thing now, in this process. A second call does nothing and returns the same error.
func (e *Entry) Undo() error {
	e.once.Do(func() {
		if e.err = undo(e.thing); e.err == nil {
			e.forget()
		}
	})
	return e.err
}

// Forget releases a thing that is already gone.
func (e *Entry) Forget() {
	e.once.Do(e.forget)
}

func (e *Entry) forget() {
	mu.Lock()
	defer mu.Unlock()
	// Ignore the error: if the guard is gone, there is nobody to tell.
	_ = pipe.Encode(message{ID: e.id})
}

func start() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	// Discard its output: otherwise `go test` would wait for whoever holds its pipe.
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), environment+"=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	pipe = json.NewEncoder(stdin)
	return nil
}

// watch is the guard's main loop: it records things, and at the end of the input undoes what is left, newest first.
func watch(in io.Reader) {
	things := map[int]Thing{}
	newest := 0
	for decoder := json.NewDecoder(bufio.NewReader(in)); ; {
		var m message
		if err := decoder.Decode(&m); err != nil {
			break
		}
		if m.Thing == nil {
			delete(things, m.ID)
			continue
		}
		things[m.ID] = *m.Thing
		newest = m.ID
	}
	for id := newest; id > 0; id-- {
		if thing, left := things[id]; left {
			// Nobody is left to read an error.
			_ = undo(thing)
		}
	}
}

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// openTerminal returns a terminal: the side that programs read, and the side where somebody types.
func openTerminal(t *testing.T) (terminal, person *os.File) {
	t.Helper()
	person, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = person.Close() })
	if err := unix.IoctlSetPointerInt(int(person.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(person.Fd()), unix.TIOCGPTN)
	if err == nil {
		terminal, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = terminal.Close() })
	return terminal, person
}

// shows reports whether a terminal echoes what is typed.
func shows(t *testing.T, terminal *os.File) bool {
	t.Helper()
	state, err := unix.IoctlGetTermios(int(terminal.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	return state.Lflag&unix.ECHO != 0
}

// TestAPasswordIsTypedUnseen: the terminal does not echo it, and Ctrl+C ends the program that waits for it; then the
// echo is restored.
func TestAPasswordIsTypedUnseen(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	org := p.made("org", "create", "--name", "Agência")
	id := p.made("member", "add", "--org", org, "--name", "Ana", "--email", "ana@x.example", "--role", "owner",
		"--password-stdin")
	for _, interrupted := range []bool{false, true} {
		terminal, person := openTerminal(t)
		ctx, interrupt := context.WithCancel(t.Context())
		asked, errOut := io.Pipe()
		var out bytes.Buffer
		ended := make(chan int, 1)
		go func() {
			ended <- execute(ctx, []string{"member", "password", id, "--password-stdin", p.database}, terminal, &out, errOut)
			_ = errOut.Close()
		}()
		question := make([]byte, len("Password: "))
		if _, err := io.ReadFull(asked, question); err != nil || string(question) != "Password: " || shows(t, terminal) {
			t.Fatalf("%q, %v; what is typed is shown: %t", question, err, shows(t, terminal))
		}
		want := 1
		if interrupted {
			interrupt()
		} else {
			want = 0
			if _, err := io.WriteString(person, "outra senha longa\n"); err != nil {
				t.Fatal(err)
			}
		}
		said, err := io.ReadAll(asked)
		if code := <-ended; code != want || err != nil || strings.Contains(string(said), "interrupted") != interrupted {
			t.Errorf("interrupted %t: code %d, %q, %s%v", interrupted, code, said, out.String(), err)
		}
		if !shows(t, terminal) {
			t.Errorf("interrupted %t: the terminal still hides input", interrupted)
		}
		interrupt()
	}
}

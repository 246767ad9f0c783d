package command

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// hideTyping turns off the echo of a terminal on standard input until show is called. isTerminal is false where
// standard input is none.
func (e *Environment) hideTyping() (show func(), isTerminal bool) {
	terminal, isFile := e.In.(*os.File)
	hide := exec.CommandContext(e.Ctx, "stty", "-echo")
	back := exec.CommandContext(context.WithoutCancel(e.Ctx), "stty", "echo")
	hide.Stdin, back.Stdin = terminal, terminal
	if !isFile || hide.Run() != nil {
		return func() {}, false
	}
	return func() { _ = back.Run() }, true
}

// Typed prompts for and reads a line without echo. It also returns when the command is interrupted, so that the
// terminal's echo is restored.
func (e *Environment) Typed(lines *bufio.Reader, prompt string) (string, error) {
	show, isTerminal := e.hideTyping()
	defer show()
	if isTerminal {
		fmt.Fprint(e.ErrOut, prompt)
		defer fmt.Fprintln(e.ErrOut)
	}
	type answer struct {
		line string
		err  error
	}
	read := make(chan answer, 1)
	go func() {
		line, err := lines.ReadString('\n')
		read <- answer{line, err}
	}()
	select {
	case a := <-read:
		if a.err != nil && !errors.Is(a.err, io.EOF) {
			return "", fmt.Errorf("standard input: %w", a.err)
		}
		return strings.TrimRight(a.line, "\r\n"), nil
	case <-e.Ctx.Done():
		return "", e.Ctx.Err()
	}
}

package main

import (
	"context"
	"os"
	"os/exec"
)

// hideTyping has a terminal on standard input not show what is typed, until show is called. isTerminal is false where
// standard input is none.
func (e *environment) hideTyping() (show func(), isTerminal bool) {
	terminal, isFile := e.in.(*os.File)
	hide := exec.CommandContext(e.ctx, "stty", "-echo")
	back := exec.CommandContext(context.WithoutCancel(e.ctx), "stty", "echo")
	hide.Stdin, back.Stdin = terminal, terminal
	if !isFile || hide.Run() != nil {
		return func() {}, false
	}
	return func() { _ = back.Run() }, true
}

package main

import (
	"os"
	"os/exec"
)

// hideTyping has a terminal on standard input not show what is typed, until show is called. isTerminal is false where
// standard input is none.
func (e *environment) hideTyping() (show func(), isTerminal bool) {
	stty := func(arg string) error {
		cmd := exec.Command("stty", arg)
		cmd.Stdin, _ = e.in.(*os.File)
		return cmd.Run()
	}
	if _, isFile := e.in.(*os.File); !isFile || stty("-echo") != nil {
		return func() {}, false
	}
	return func() { _ = stty("echo") }, true
}

package main

import (
	"os"
	"os/exec"
)

// hideTyping has a terminal on standard input not show what is typed, until the function that it returns is called.
func (e *environment) hideTyping() (show func()) {
	in, ok := e.in.(*os.File)
	if !ok {
		return func() {}
	}
	if info, err := in.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return func() {}
	}
	stty := func(arg string) {
		cmd := exec.Command("stty", arg)
		cmd.Stdin = in
		_ = cmd.Run() // where there is no such program, what is typed is seen
	}
	stty("-echo")
	return func() { stty("echo") }
}

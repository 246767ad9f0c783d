package main

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"fichario/adapters/docsite"
	"fichario/adapters/sandbox"
	"fichario/cmd/fichario/command"
)

type sandboxBureauCmd struct {
	Script string `placeholder:"FILE" help:"File of cases: the answers to requests, and the failures (docs/sandbox.md)."`
	Check  bool   `help:"Only check the script; every error is shown with its line."`
}

// Run serves the sandbox bureau until the context ends.
func (c *sandboxBureauCmd) Run(e *command.Environment) error {
	e.Settings.SandboxScript = cmp.Or(c.Script, e.Settings.SandboxScript)
	if c.Check && e.Settings.SandboxScript == "" {
		return errors.New("--check needs a script: give it with --script FILE")
	}
	bureau, err := e.Sandbox()
	var problems sandbox.Problems
	if errors.As(err, &problems) && e.JSON {
		_ = e.Print(map[string]any{"ok": false, "problems": problems}, "")
	}
	if err != nil {
		return err
	}
	if c.Check {
		return e.Print(map[string]any{"ok": true}, "%s is a valid script.\n", e.Settings.SandboxScript)
	}
	return serveSandbox(e, withDoors(bureau, bureau))
}

// serveSandbox serves until the context ends.
func serveSandbox(e *command.Environment, handler http.Handler) error {
	listener, err := new(net.ListenConfig).Listen(e.Ctx, "tcp", e.Settings.Listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log, flush := command.NewLogger(e.Settings, e.ErrOut)
	defer flush()
	log.Info("listening", "addr", listener.Addr().String())
	select {
	case err := <-served:
		return err
	case <-e.Ctx.Done():
		stop, cancel := context.WithTimeout(context.WithoutCancel(e.Ctx), time.Second)
		defer cancel()
		if err := server.Shutdown(stop); err != nil {
			return server.Close() // cut off callers that wait for a time-out
		}
		return nil
	}
}

type sandboxMetaCmd struct{}

// Run serves the stand-in for Meta until the context ends.
func (*sandboxMetaCmd) Run(e *command.Environment) error {
	m := sandbox.NewMeta()
	return serveSandbox(e, m.MetaDoors())
}

type sandboxLinkedInCmd struct{}

// Run serves the stand-in for LinkedIn until the context ends.
func (*sandboxLinkedInCmd) Run(e *command.Environment) error {
	return serveSandbox(e, sandbox.NewLinkedIn().LinkedInDoors())
}

// withDoors serves the bureau's control endpoints, and passes everything else to next unchanged: a ServeMux would
// redirect unusual paths.
func withDoors(bureau *sandbox.Bureau, next http.Handler) http.Handler {
	doors := bureau.Doors()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/_/") {
			doors.ServeHTTP(w, r)
			return
		}
		next.ServeHTTP(w, r)
	})
}

func sandboxDocuments() []docsite.SandboxDocument {
	var list []docsite.SandboxDocument
	for _, s := range sandbox.Scripts() {
		list = append(list, docsite.SandboxDocument{
			Type: string(s.Type), Document: s.Document, What: s.What, WhatEnglish: s.English(),
		})
	}
	return list
}

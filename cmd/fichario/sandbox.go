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
)

type sandboxBureauCmd struct {
	Script string `placeholder:"FILE" help:"File of cases: the answers to requests, and the failures (docs/sandbox.md)."`
	Check  bool   `help:"Only check the script; every error is shown with its line."`
}

// Run serves the sandbox bureau until the context ends.
func (c *sandboxBureauCmd) Run(e *environment) error {
	e.settings.SandboxScript = cmp.Or(c.Script, e.settings.SandboxScript)
	if c.Check && e.settings.SandboxScript == "" {
		return errors.New("--check needs a script: give it with --script FILE")
	}
	bureau, err := e.sandbox()
	var problems sandbox.Problems
	if errors.As(err, &problems) && e.json {
		_ = e.print(map[string]any{"ok": false, "problems": problems}, "")
	}
	if err != nil {
		return err
	}
	if c.Check {
		return e.print(map[string]any{"ok": true}, "%s is a valid script.\n", e.settings.SandboxScript)
	}
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", e.settings.Listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: withDoors(bureau, bureau), ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	log, flush := newLogger(e.settings, e.errOut)
	defer flush()
	log.Info("listening", "addr", listener.Addr().String())
	select {
	case err := <-served:
		return err
	case <-e.ctx.Done():
		stop, cancel := context.WithTimeout(context.WithoutCancel(e.ctx), time.Second)
		defer cancel()
		if err := server.Shutdown(stop); err != nil {
			return server.Close() // cut off callers that wait for a time-out
		}
		return nil
	}
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

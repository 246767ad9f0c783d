package main

import (
	"context"
	"net"
	"net/http"
	"time"

	"fichario/adapters/httpapi"
	"fichario/adapters/sandbox"
)

type sandboxBureauCmd struct{}

// Run serves the sandbox bureau until the context ends.
func (sandboxBureauCmd) Run(e *environment) error {
	listener, err := new(net.ListenConfig).Listen(e.ctx, "tcp", e.settings.Listen)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: sandbox.Handler(), ReadHeaderTimeout: 5 * time.Second}
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
			return server.Close() // a caller that waits for a time-out is cut off
		}
		return nil
	}
}

func sandboxDocuments() []httpapi.SandboxDocument {
	var list []httpapi.SandboxDocument
	for _, s := range sandbox.Scripts() {
		list = append(list, httpapi.SandboxDocument{Type: string(s.Type), Document: s.Document, What: s.What})
	}
	return list
}

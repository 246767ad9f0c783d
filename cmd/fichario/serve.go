package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime/pprof"
	"sync"
	"time"

	"fichario/app"
)

// drainFor bounds how long a stopping service waits for requests in flight.
const drainFor = 30 * time.Second

type serveCmd struct {
	Demo       bool   `help:"On an empty database, make an organisation with people, a key and lookups; print lines to paste."`
	CPUProfile string `name:"cpu-profile" placeholder:"FILE" help:"Write a CPU profile of the whole run."`
}

// Run serves until the context ends, then finishes what is in flight.
func (c *serveCmd) Run(e *environment) error {
	stopProfile, err := startProfile(c.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	log, flush := newLogger(e.settings, e.errOut)
	defer flush()
	s, err := e.newService(log)
	if err != nil {
		return err
	}
	defer s.close()

	background, stopBackground := context.WithCancel(context.WithoutCancel(e.ctx))
	var work sync.WaitGroup
	work.Go(func() { app.RunChores(background, log, s.chores()...) })
	work.Go(func() { s.jobs.Run(background) })
	served := make(chan error, 1)
	go func() { served <- s.server.Serve(s.listener) }()
	log.Info("listening", "addr", s.listener.Addr().String(), "bureau", e.settings.Bureau)

	if c.Demo {
		if err := e.demo(e.ctx, s.store, s.keys, s.lookupsConfig, s.listener.Addr().String()); err != nil {
			log.Error("demo data not made", "error", err)
		}
	}
	select {
	case err = <-served:
	case <-e.ctx.Done():
		log.Info("stopping: finishing what is in flight")
		err = drain(e.ctx, s.server)
	}
	s.lookups.Close() // calls whose client is gone are finished and stored too
	stopBackground()
	work.Wait()
	log.Info("stopped")
	return err
}

func drain(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return fmt.Errorf("requests still in flight after %s: %w", drainFor, err)
	}
	return nil
}

// startProfile begins a CPU profile; an empty path means none.
func startProfile(path string) (stop func(), err error) {
	if path == "" {
		return func() {}, nil
	}
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = file.Close()
	}, nil
}

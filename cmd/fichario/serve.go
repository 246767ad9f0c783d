package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"sync"
	"time"

	"fichario/app"
	"fichario/cmd/fichario/command"
	"fichario/cmd/fichario/demo"
)

const (
	// drainFor bounds how long a stopping service takes: for balancers to notice, for requests in flight, calls to the
	// bureau, outcomes not written yet, and running jobs.
	drainFor = 30 * time.Second
	// callsFor is how long it waits for calls to the bureau. Later ones are recorded as charged and without an answer, and
	// their requests are told so.
	callsFor = 25 * time.Second
)

type serveCmd struct {
	Demo       bool   `xor:"data" help:"On an empty database, create an organisation with people, a key and lookups; print commands to paste."`
	Ephemeral  bool   `xor:"data" help:"For test suites: keep everything in memory, print one line of JSON when ready, exit with the parent process."`
	CPUProfile string `name:"cpu-profile" placeholder:"FILE" help:"Write a CPU profile of the whole run."`
}

// Run serves until the context ends, then drains.
func (c *serveCmd) Run(e *command.Environment) error {
	stopProfile, err := startProfile(c.CPUProfile)
	if err != nil {
		return err
	}
	defer stopProfile()
	if c.Ephemeral {
		e.Settings, e.Ctx = forgetful(e.Settings), withParent(e.Ctx)
	}
	log, flush := command.NewLogger(e.Settings, e.ErrOut)
	defer flush()
	s, err := startedService(e, log, c.Demo)
	if errors.Is(err, command.ErrStopped) || e.Ctx.Err() != nil && errors.Is(err, context.Canceled) {
		log.Info("stopped")
		return nil
	}
	if err != nil {
		return err
	}
	defer s.close()

	background, stopBackground := context.WithCancel(context.WithoutCancel(e.Ctx))
	running, stopRunning := context.WithCancel(s.withTracer(e.Ctx))
	defer stopRunning()
	var work sync.WaitGroup
	work.Go(func() { app.RunChores(background, log, s.chores()...) })
	// What has not begun is left to other instances, or to the next start.
	work.Go(func() { s.run(running) })
	if e.Settings.Lookup {
		work.Go(func() { s.batches.Run(running) })
	}
	s.preparing.Store(c.Demo) // /readyz waits for the demonstration
	if c.Ephemeral && e.Invented != nil {
		s.handler = withDoors(e.Invented, s.handler)
	}
	s.answer(s.handler)
	log.Info("listening", "addr", s.listener.Addr().String(), "bureau", e.Settings.Bureau)

	if c.Demo {
		s.show(e)
	}
	debug.FreeOSMemory() // a start takes, and with GOGC keeps, several times what a service at rest needs
	if c.Ephemeral {
		err = ephemeral(e.Ctx, e, s)
	}
	var turnAway time.Duration
	if err == nil {
		select {
		case err = <-s.served:
		case <-e.Ctx.Done():
			turnAway = e.Settings.DrainDelay
			log.Info("stopping: finishing requests in flight", "drain_delay", turnAway.String())
		}
	}
	stopRunning()
	err = errors.Join(err, s.drain(e.Ctx, log, turnAway))
	stopBackground()
	work.Wait()
	log.Info("stopped")
	return err
}

// show makes the demonstration.
func (s *service) show(e *command.Environment) {
	err := demo.Fill(e.Ctx, e, demo.Use{
		Store: s.store, Keys: s.lookups.keys, Config: s.lookups.config, Batches: s.batches, Leads: s.intake.leads,
		Meta: s.meta, Addr: s.listener.Addr().String(),
	})
	if err != nil {
		s.log.Error("demonstration data not created", "error", err)
	}
	s.preparing.Store(false)
}

// drain finishes what is in flight. Cutting something off is no error as long as the database accounts for it: an
// unanswered post is sent again, a call is charged in its entry. An outcome that could not be written is an error.
// During turnAway it serves as before, and only reports not ready, because a balancer still sends requests.
func (s *service) drain(ctx context.Context, log *slog.Logger, turnAway time.Duration) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	patience := time.AfterFunc(callsFor, s.lookups.ledger.GiveUp)
	defer patience.Stop()
	s.draining.Store(true)
	time.Sleep(turnAway)
	close(s.stopping)
	s.closeDoor(ctx)
	if err := s.server.Shutdown(ctx); err != nil {
		log.Warn("requests were cut off", "after", drainFor)
		_ = s.server.Close()
	}
	// Calls whose client is gone are finished and stored as well, before a slow mail server can take up the remaining
	// time.
	lost := s.lookups.ledger.Stop(ctx)
	s.team.links.Wait(ctx)
	if lost > 0 {
		return fmt.Errorf("the outcomes of %d lookups could not be written and are lost; they stay charged", lost)
	}
	return nil
}

// startProfile starts a CPU profile; an empty path means none.
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

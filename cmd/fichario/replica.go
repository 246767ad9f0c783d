package main

import (
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/cmd/fichario/command"
)

// readElsewhere makes lists read from the replica of the database, where there is one.
func readElsewhere(s *service) error {
	lag := readLag(s.Environment)
	if lag == 0 {
		return nil
	}
	if err := s.store.ReadFrom(s.Ctx, s.Settings.ReadURL, lag, s.log); err != nil {
		return err
	}
	s.follow = []app.Chore{{Name: "follow the replica", Every: engine.ReplicaEvery(lag), Do: s.store.FollowReplica}}
	s.metrics.Replica(func() (bool, time.Duration, int64, int64) {
		f, _ := s.store.Replica()
		return f.InUse, f.Lag, f.Answered, f.Passed
	})
	return nil
}

// readLag is how stale lists may be; zero where they are read from the primary.
func readLag(e *command.Environment) time.Duration {
	if e.Settings.ReadURL == "" {
		return 0
	}
	return e.Settings.ReadMaxLag
}

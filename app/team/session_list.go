package team

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/ports"
)

// List returns the caller's own live sessions, the last one seen first; present is the token of the requesting one.
// Faults: NotFound, ServiceUnavailable.
func (s *Sessions) List(ctx context.Context, by app.Caller, present string) ([]access.Session, error) {
	if by.MemberID() == "" {
		return nil, noSession()
	}
	token, _ := access.ParseSessionToken(present)
	now := s.clock()
	all, err := s.store.Repos().Sessions.List(ctx, by.MemberID(), token, now.Add(-access.SessionIdle))
	var alive []access.Session
	for _, one := range all {
		if one.AliveAt(now) {
			alive = append(alive, one)
		}
	}
	return alive, err
}

func noSession() *fault.Error {
	return app.Missing("session", "Esta sessão não existe, ou já terminou.")
}

// End ends one of the caller's own sessions. Faults: NotFound, ServiceUnavailable.
func (s *Sessions) End(ctx context.Context, by app.Caller, id string) error {
	if by.MemberID() == "" || !app.ValidID(id) {
		return noSession()
	}
	line := audit.Line{OrgID: by.OrgID(), Action: audit.SessionEnded, Object: by.MemberID()}
	err := app.Recorded(ctx, s.store, by, line,
		func(ctx context.Context, r ports.Repos) error { return r.SessionEnds.EndByID(ctx, by.MemberID(), id) })
	if errors.Is(err, ports.ErrNotFound) {
		return noSession()
	}
	return err
}

// EndOthers ends the caller's own sessions except the requesting one. Faults: NotFound, ServiceUnavailable.
func (s *Sessions) EndOthers(ctx context.Context, by app.Caller, present string) error {
	token, ok := access.ParseSessionToken(present)
	if by.MemberID() == "" || !ok {
		return noSession()
	}
	line := audit.Line{OrgID: by.OrgID(), Action: audit.SessionsEnded, Object: by.MemberID()}
	return app.Recorded(ctx, s.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.SessionEnds.EndOthers(ctx, by.MemberID(), token)
	})
}

package app

import (
	"context"
	"errors"

	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/ports"
)

// List returns the caller's own live sessions, the last one seen first; present is the token of the requesting one.
// Faults: NotFound, ServiceUnavailable.
func (s *Sessions) List(ctx context.Context, by Caller, present string) ([]access.Session, error) {
	if by.memberID == "" {
		return nil, noSession()
	}
	token, _ := access.ParseSessionToken(present)
	now := s.clock()
	all, err := s.store.Repos().Sessions.List(ctx, by.memberID, token, now.Add(-access.SessionIdle))
	var alive []access.Session
	for _, one := range all {
		if one.AliveAt(now) {
			alive = append(alive, one)
		}
	}
	return alive, err
}

func noSession() *fault.Error {
	return missing("session", "Esta sessão não existe, ou já terminou.")
}

// End ends one of the caller's own sessions. Faults: NotFound, ServiceUnavailable.
func (s *Sessions) End(ctx context.Context, by Caller, id string) error {
	if by.memberID == "" || !validID(id) {
		return noSession()
	}
	line := audit.Line{OrgID: by.orgID, Action: audit.SessionEnded, Object: by.memberID}
	err := recorded(ctx, s.store, by, line, func(r ports.Repos) error { return r.Sessions.EndByID(ctx, by.memberID, id) })
	if errors.Is(err, ports.ErrNotFound) {
		return noSession()
	}
	return err
}

// EndOthers ends the caller's own sessions except the requesting one. Faults: NotFound, ServiceUnavailable.
func (s *Sessions) EndOthers(ctx context.Context, by Caller, present string) error {
	token, ok := access.ParseSessionToken(present)
	if by.memberID == "" || !ok {
		return noSession()
	}
	line := audit.Line{OrgID: by.orgID, Action: audit.SessionsEnded, Object: by.memberID}
	return recorded(ctx, s.store, by, line, func(r ports.Repos) error {
		return r.Sessions.EndOthers(ctx, by.memberID, token)
	})
}

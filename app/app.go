// Package app holds the use cases of Fichário. Each is a concrete type with the
// ports that it needs; the driving adapters (HTTP API, interface, commands) parse,
// call and map, and know no rule.
package app

import (
	"context"
	"log/slog"
	"time"

	"fichario/domain/access"
	"fichario/domain/document"
	"fichario/domain/fault"
)

// Caller is who asks: a key of the API, or a member in the interface. Each driving
// adapter builds it after it has authenticated somebody.
type Caller struct {
	// OrgID is the organisation whose history and data are used.
	OrgID string
	// Key is the calling key; nil for a member.
	Key *access.Key
	// MemberID is the member who asks; empty for a key.
	MemberID string
}

func (c Caller) may(t document.Type) bool { return c.Key == nil || c.Key.Has(t) }

func (c Caller) keyID() string {
	if c.Key == nil {
		return ""
	}
	return c.Key.ID
}

// Clock tells the time; tests give their own.
type Clock func() time.Time

func invalid(field, message string) *fault.Error {
	return fault.New(fault.InvalidRequest, message).At(field)
}

// Run settles lookups and saves the use of keys, at start and every few seconds,
// until ctx ends; then it saves once more.
func Run(ctx context.Context, l *Lookups, k *Keys, log *slog.Logger) {
	ticker := time.NewTicker(3 * time.Second)
	defer ticker.Stop()
	for {
		for what, f := range map[string]func(context.Context) error{"settle lookups": l.Settle, "save use of keys": k.SaveUse} {
			if err := f(ctx); err != nil && ctx.Err() == nil {
				log.WarnContext(ctx, "background work failed; it will be tried again", "work", what, "error", err)
			}
		}
		select {
		case <-ticker.C:
		case <-ctx.Done():
			_ = k.SaveUse(context.WithoutCancel(ctx)) // only the time of last use
			return
		}
	}
}

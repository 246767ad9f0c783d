// Package app holds the use cases of Fichário. Each is a concrete type with the
// ports that it needs; the driving adapters (HTTP API, interface, commands) parse,
// call and map, and know no rule.
package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
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
	// MemberID is the member who asks, Role what he may do; empty for a key.
	MemberID string
	Role     crm.Role
	operator bool
}

// Operator is who runs the instance, at the command line: all organisations, all
// rights.
func Operator() Caller { return Caller{operator: true} }

// ErrNotFound and ErrForbidden are behind faults about things that a caller asks for
// by their id. What belongs to another organisation is not found.
var (
	ErrNotFound  = errors.New("there is no such thing for this caller")
	ErrForbidden = errors.New("the caller's role does not allow it")
)

func missing(field, message string) *fault.Error {
	return invalid(field, message).Because(ErrNotFound)
}

// sees reports whether what belongs to an organisation is there for the caller.
func (c Caller) sees(orgID string) bool { return c.operator || c.OrgID == orgID }

// Manages returns the fault of a caller who may not change what his organisation has
// set up.
func (c Caller) Manages() error { return c.manages(c.OrgID) }

// manages returns the fault of a caller who may not change what an organisation has
// set up: only owners and administrators may.
func (c Caller) manages(orgID string) error {
	if !c.sees(orgID) {
		return missing("org", "Não há organização com este id.")
	}
	if c.operator || c.Role == crm.Owner || c.Role == crm.Admin {
		return nil
	}
	return fault.New(fault.InvalidRequest, "Só titulares da organização e quem a administra podem fazer isto.").Because(ErrForbidden)
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

// listMax is the most entries that a page of a list has.
const listMax = 500

// All is the limit of a list that is wanted whole.
const All = 1 << 30

// paged reads a list page by page until limit entries are there, or all.
func paged[T any](limit int, page func(after string, limit int) ([]T, error), id func(T) string) ([]T, error) {
	if limit < 1 {
		return nil, invalid("limit", "O limite é de ao menos 1.")
	}
	var out []T
	after := ""
	for {
		n := min(limit-len(out), listMax)
		part, err := page(after, n)
		if err != nil {
			return nil, err
		}
		if out = append(out, part...); len(part) < n || len(out) == limit {
			return out, nil
		}
		after = id(part[len(part)-1])
	}
}

// checkPage checks the bounds of a page of a list.
func checkPage(after string, limit int) error {
	if limit < 1 || limit > listMax {
		return invalid("limit", fmt.Sprintf("O limite vai de 1 a %d.", listMax))
	}
	if after != "" && !validID(after) {
		return invalid("after", "A página começa depois de um id que veio na anterior.")
	}
	return nil
}

// Chore is background work that is done again and again.
type Chore struct {
	// Name says for the log what it does.
	Name  string
	Every time.Duration
	Do    func(context.Context) error
	// AtEnd is whether it is done once more when the service stops.
	AtEnd bool
}

// RunChores does chores at start and again after their time, until ctx ends.
func RunChores(ctx context.Context, log *slog.Logger, chores ...Chore) {
	var running sync.WaitGroup
	for _, c := range chores {
		running.Go(func() {
			ticker := time.NewTicker(c.Every)
			defer ticker.Stop()
			for {
				if err := c.Do(ctx); err != nil && ctx.Err() == nil {
					log.WarnContext(ctx, "background work failed; it will be tried again", "work", c.Name, "error", err)
				}
				select {
				case <-ticker.C:
					continue
				case <-ctx.Done():
				}
				if c.AtEnd {
					_ = c.Do(context.WithoutCancel(ctx)) // nobody is left to be told
				}
				return
			}
		})
	}
	running.Wait()
}

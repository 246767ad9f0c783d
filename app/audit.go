package app

import (
	"context"
	"errors"
	"strings"

	"fichario/domain/audit"
	"fichario/ports"
)

// Via is how a request came in. Driving adapters set it with Through.
type Via struct {
	Door audit.Door
	// Address is the network that the request came from, RequestID its id in the answer and in the log.
	Address, RequestID string
	// Device names the browser and its system.
	Device string
	// Unattended is whether a page made the request by itself, so that nobody need be there.
	Unattended bool
}

type viaKey struct{}

// Through returns a context for a request that came in like that.
func Through(ctx context.Context, v Via) context.Context { return context.WithValue(ctx, viaKey{}, v) }

// ViaOf returns how a request came in; the command line for the operator, and the service itself where nobody asks.
func ViaOf(ctx context.Context, by Caller) Via {
	v, _ := ctx.Value(viaKey{}).(Via)
	switch {
	case v.Door != "":
	case by.operator:
		v.Door = audit.Command
	default:
		v.Door = audit.Own
	}
	return v
}

// actor returns the caller as the audit names it.
func (c Caller) actor() audit.Actor {
	switch {
	case c.operator:
		return audit.Operator
	case c.automationID != "":
		return audit.ByAutomation(c.automationID)
	case c.key != nil:
		return audit.ByKey(c.key.ID)
	case c.memberID != "":
		return audit.ByMember(c.memberID)
	}
	return audit.Nobody
}

// Record writes a line of the audit in the transaction of the change, so that neither exists without the other. Callers
// set the organisation, the action, the object's id and, as Detail, what else there is to say, which is encrypted:
//
//	return record(ctx, r, by, audit.Line{OrgID: orgID, Action: audit.KeyRevoked, Object: key.ID})
//
// It adds who, when, and by which door. Every use case that changes something has such a line, or states in
// TestEveryChangeIsInTheAudit why it has none.
func Record(ctx context.Context, r ports.Repos, by Caller, l audit.Line) error {
	now, err := r.Clock.Now(ctx, ports.Now())
	if err != nil {
		return err
	}
	via := ViaOf(ctx, by)
	l.At, l.Door, l.Address, l.RequestID = now, via.Door, via.Address, via.RequestID
	if l.ID == "" {
		l.ID = NewID()
	}
	if l.Actor == "" {
		l.Actor = by.actor()
	}
	return r.Audit.Append(ctx, l)
}

// ErrUnchanged is returned by a change in Recorded that finds nothing to change: it ends well, without a line.
var ErrUnchanged = errors.New("nothing changes")

// Recorded runs f in a transaction that ends with a line of the audit.
func Recorded(ctx context.Context, s ports.Store, by Caller, l audit.Line, f ports.Tx) error {
	return s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		err := f(ctx, r)
		switch {
		case errors.Is(err, ErrUnchanged): // and nothing was written
			return nil
		case err != nil:
			return err
		}
		return Record(ctx, r, by, l)
	})
}

// Looked writes the line of a caller who is about to see something, and who may not see it without one.
func Looked(ctx context.Context, s ports.Store, by Caller, l audit.Line) error {
	return Recorded(ctx, s, by, l, func(context.Context, ports.Repos) error { return nil })
}

// Differing returns the values that a change altered, as "before → after".
func Differing(before, after audit.Detail) audit.Detail {
	out := audit.Detail{}
	for name, is := range after {
		if was := before[name]; was != is {
			out[name] = was + " → " + is
		}
	}
	return out
}

// NameOf is the detail of something with a name.
func NameOf(name string) audit.Detail { return audit.Detail{"nome": name} }

// Joined lists words, separated by commas.
func Joined[T ~string](words []T) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = string(w)
	}
	return strings.Join(out, ", ")
}

// YesNo is a flag in the words of the audit.
func YesNo(b bool) string {
	if b {
		return "sim"
	}
	return "não"
}

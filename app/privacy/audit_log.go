package privacy

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"regexp"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Audit shows an organisation's audit to its owners and to the operator, and verifies its chain.
type Audit struct {
	store ports.Store
	clock app.Clock
}

// NewAudit returns the use case.
func NewAudit(store ports.Store, clock app.Clock) *Audit { return &Audit{store, clock} }

// AuditSearch selects lines. Zero values select all.
type AuditSearch struct {
	// Who is the id of a member, a key or an automation, or one of the actors without an id.
	Who    string
	Action audit.Action
	// Since is inclusive, Until exclusive.
	Since, Until time.Time
	// After is the number of the last line of the page before.
	After int64
}

// AuditLine is a line with the name of who did it.
type AuditLine struct {
	audit.Line
	// Who is empty for an actor that no longer exists.
	Who string
}

// AuditPage is a page of lines, the newest first.
type AuditPage struct {
	Lines []AuditLine
	More  bool
	// People maps the ids of members, keys and automations to their names.
	People map[string]string
	// Names are what the ids in the lines' details stand for, as far as they still stand for something.
	Names crm.Names
}

// idInText is an id within the text of a detail.
var idInText = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)

// InDetail replaces ids in a value of a line's detail by the names that they stand for.
func (p AuditPage) InDetail(value string) string {
	return idInText.ReplaceAllStringFunc(value, func(id string) string {
		return cmp.Or(p.Names[id].Name, "algo que já não há")
	})
}

// auditAtOnce is how many lines are read together.
const auditAtOnce = 500

// query checks a search. An id that names nobody is a fault.
func (a *Audit) query(s AuditSearch, people map[string]string, kinds map[string]audit.Actor) (ports.AuditQuery, error) {
	q := ports.AuditQuery{Action: s.Action, Since: s.Since, Until: s.Until, After: s.After}
	switch {
	case s.Action != "" && !s.Action.Valid():
		return q, app.Invalid("action", "Não há ação com este nome.")
	case s.Who == "":
	case s.Who == string(audit.Operator), s.Who == string(audit.Nobody), s.Who == string(audit.Service):
		q.Actor = audit.Actor(s.Who)
	case people[s.Who] == "":
		return q, app.Missing("member", "Não há ninguém com este id.")
	default:
		q.Actor = kinds[s.Who]
	}
	return q, nil
}

// people returns the names of everybody who may appear in an organisation's audit, and their actors.
func (a *Audit) people(ctx context.Context, orgID string) (map[string]string, map[string]audit.Actor, error) {
	names, actors := map[string]string{}, map[string]audit.Actor{}
	n, err := a.store.Repos().Names.All(ctx, orgID, app.PeopleKinds...)
	for id, who := range n {
		switch names[id] = app.ActorIn(n, id); who.Kind {
		case crm.NamedMember:
			actors[id] = audit.ByMember(id)
		case crm.NamedKey:
			actors[id] = audit.ByKey(id)
		default:
			actors[id] = audit.ByAutomation(id)
		}
	}
	return names, actors, err
}

// whose returns the name of a line's actor.
func whose(l audit.Line, names map[string]string) string {
	switch l.Actor {
	case audit.Operator:
		return "operador"
	case audit.Service:
		return "serviço"
	case audit.Nobody:
		return "alguém sem sessão"
	}
	return names[l.Actor.ID()]
}

// Page returns a page of the caller's organisation, the newest first. Faults: NotFound, Forbidden, InvalidRequest,
// ServiceUnavailable.
func (a *Audit) Page(ctx context.Context, by app.Caller, s AuditSearch, limit int) (AuditPage, error) {
	r := a.store.Repos()
	if err := app.MayOwnOrg(ctx, r, by, by.OrgID()); err != nil {
		return AuditPage{}, err
	}
	if err := app.CheckPage("", limit); err != nil {
		return AuditPage{}, err
	}
	names, actors, err := a.people(ctx, by.OrgID())
	if err != nil {
		return AuditPage{}, err
	}
	q, err := a.query(s, names, actors)
	if err != nil {
		return AuditPage{}, err
	}
	q.Limit = limit + 1
	found, err := r.Audit.Page(ctx, by.OrgID(), q)
	if err != nil {
		return AuditPage{}, err
	}
	page := AuditPage{People: names, More: len(found) > limit}
	var ids []string
	for _, l := range found[:min(limit, len(found))] {
		page.Lines = append(page.Lines, AuditLine{l, whose(l, names)})
		for _, value := range l.Detail {
			ids = append(ids, idInText.FindAllString(value, -1)...)
		}
	}
	page.Names, err = app.NamesOf(ctx, r, by.OrgID(), ids...)
	return page, err
}

// All yields the lines that a search finds, the newest first, or an error at which they end; they are read as they are
// consumed. A member's request gets a line of its own. Faults: those of Page.
func (a *Audit) All(
	ctx context.Context, by app.Caller, orgID string, s AuditSearch) (iter.Seq2[AuditLine, error], error,
) {
	r := a.store.Repos()
	if err := app.MayOwnOrg(ctx, r, by, orgID); err != nil {
		return nil, err
	}
	names, actors, err := a.people(ctx, orgID)
	if err != nil {
		return nil, err
	}
	q, err := a.query(s, names, actors)
	if err != nil {
		return nil, err
	}
	if !by.IsOperator() {
		if err := app.Looked(ctx, a.store, by, audit.Line{OrgID: orgID, Action: audit.AuditDownloaded}); err != nil {
			return nil, err
		}
	}
	q.Limit = auditAtOnce
	return app.ReadAhead(ctx, auditAtOnce, func(ctx context.Context, last *AuditLine) ([]AuditLine, error) {
		q := q // each walk starts where the search does
		if last != nil {
			q.After = last.Number
		}
		found, err := r.Audit.Page(ctx, orgID, q)
		out := make([]AuditLine, len(found))
		for i, l := range found {
			out[i] = AuditLine{l, whose(l, names)}
		}
		return out, err
	}), nil
}

// AuditFound is the result of a check.
type AuditFound struct {
	// Lines is how many lines are valid, First the number of the first one that is kept, Emptied how many lost their
	// detail to an erasure.
	Lines, First, Emptied int64
	// Head is the hash of the last line, to be kept elsewhere.
	Head audit.Hash
	// Finding is the first thing that is wrong; nil where the whole chain holds.
	Finding *audit.Finding
	// Seen is whether the head that was passed in is the hash of one of the lines, or of the last one removed for its age.
	Seen bool
	// Witnessed is how many of the given outside heads are in the chain, TooOld how many belong to lines that were removed
	// for their age and cannot be compared any more.
	Witnessed, TooOld int64
}

// Verify follows the chain of an organisation from its first line to its end. seen is a head that was printed earlier,
// the zero value for none; witnessed are heads that left the house before, whose signatures are checked and which must
// be in the chain too. Other work may go on beside it. Faults: NotFound, Forbidden, ServiceUnavailable.
func (a *Audit) Verify(
	ctx context.Context, by app.Caller, orgID string, seen audit.Hash, witnessed ...audit.Witnessed,
) (AuditFound, error) {
	r := a.store.Repos()
	if err := app.MayOwnOrg(ctx, r, by, orgID); err != nil {
		return AuditFound{}, err
	}
	outside, err := a.outside(ctx, witnessed)
	if err != nil || outside.broken != nil {
		return AuditFound{Finding: outside.broken}, err
	}
	for {
		head, err := r.Audit.Head(ctx, orgID)
		if errors.Is(err, ports.ErrUnreadable) || errors.Is(err, ports.ErrNotFound) {
			return AuditFound{Finding: &audit.Finding{Number: head.Number, Problem: audit.AtHead}}, nil
		}
		if err != nil {
			return AuditFound{}, err
		}
		found, err := a.follow(ctx, head, seen, outside.heads)
		if err != nil || found.Finding == nil {
			return found, err
		}
		now, err := r.Audit.Head(ctx, orgID)
		if err != nil || now.RemovedNumber == head.RemovedNumber {
			return found, err
		} // old lines were removed meanwhile
	}
}

// follow walks the chain once.
func (a *Audit) follow(
	ctx context.Context, head audit.Head, seen audit.Hash, outside map[int64][]string,
) (AuditFound, error) {
	r, walk, met := a.store.Repos(), audit.NewWalk(head), map[int64]audit.Hash{}
	found := AuditFound{Head: head.Hash, First: head.RemovedNumber + 1, Seen: seen == head.RemovedHash}
	for l, err := range a.lines(ctx, head.OrgID, head.RemovedNumber) {
		if err != nil {
			return found, err
		}
		if l.Number > head.Number {
			break
		}
		if found.Finding = walk.Next(l); found.Finding != nil {
			return found, a.moved(ctx, head.OrgID, l, found.Finding)
		}
		if found.Lines++; l.ErasedBy != "" {
			found.Emptied++
		}
		found.Seen = found.Seen || l.Hash == seen
		if outside[l.Number] != nil {
			met[l.Number] = l.Hash
		}
	}
	var err error
	found.Finding, err = walk.End(func(id string) (audit.Erasure, error) { return a.erasure(ctx, head, id) })
	if err != nil || found.Finding != nil {
		return found, err
	}
	last, err := r.Audit.Last(ctx, head.OrgID)
	if err != nil {
		return found, err
	}
	now, err := r.Audit.Head(ctx, head.OrgID) // read after the lines, so that it is never behind them
	if err == nil && last > now.Number {
		found.Finding = &audit.Finding{Number: now.Number + 1, Problem: audit.Added}
	}
	if found.Finding == nil {
		found.Finding = found.against(head, outside, met)
	}
	return found, err
}

// erasure finds what stands beyond a head about an erasure, and whether it is still running.
func (a *Audit) erasure(ctx context.Context, head audit.Head, id string) (out audit.Erasure, err error) {
	r := a.store.Repos()
	begun, err := r.Audit.Find(ctx, head.OrgID, id)
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		return out, err
	}
	out.Begun = err == nil && begun.Action == audit.SubjectErased && begun.Number > head.Number
	e, err := r.Erasures.FindErasure(ctx, head.OrgID, id) // before its last line, so that it is not missed
	if err != nil && !errors.Is(err, ports.ErrNotFound) {
		return out, err
	}
	if err == nil && e.OrgID == head.OrgID && e.State == privacy.Running && e.Person != nil {
		out.Running, out.Emptied = true, e.Person.Emptied
	}
	for l, err := range a.lines(ctx, head.OrgID, head.Number) {
		if err != nil {
			return out, err
		}
		if out.Ended == nil && l.Action == audit.SubjectEmptied && l.Object == id {
			out.Ended = &l
		}
	}
	return out, nil
}

// lines yields the lines of a chain, oldest first.
func (a *Audit) lines(ctx context.Context, orgID string, after int64) iter.Seq2[audit.Line, error] {
	return app.ReadAhead(ctx, auditAtOnce, func(ctx context.Context, last *audit.Line) ([]audit.Line, error) {
		q := ports.AuditQuery{After: after, Ascending: true, Limit: auditAtOnce}
		if last != nil {
			q.After = last.Number
		}
		return a.store.Repos().Audit.Page(ctx, orgID, q)
	})
}

// moved finds out whether a line that does not fit is merely in another place.
func (a *Audit) moved(ctx context.Context, orgID string, l audit.Line, f *audit.Finding) error {
	if f.Problem != audit.Changed || l.Unreadable {
		return nil
	}
	for behind, err := range a.lines(ctx, orgID, 0) {
		if err != nil {
			return err
		}
		if at, was := l.WasAt(behind); was && at != l.Number {
			f.Problem, f.Moved = audit.Reordered, at
			return nil
		}
	}
	return nil
}

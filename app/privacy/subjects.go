// Package privacy serves the law: purposes, persons and their erasure, retention, and the audit.
package privacy

import (
	"context"
	"errors"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Subjects serves the rights of persons whose data an organisation holds (LGPD, art. 18): access and erasure.
type Subjects struct {
	store   ports.Store
	index   ports.SubjectIndex
	journal ports.ErasureJournal
	clock   app.Clock
	part    Part
}

// Part undoes a merge of contacts, also of one that was merged into another one before that became part of intoID;
// automations are told only if tell is true. Faults: NotFound, InvalidRequest where it can no longer be undone,
// ServiceUnavailable.
type Part func(ctx context.Context, intoID, fromID string, tell bool) error

// NewSubjects returns the use case.
func NewSubjects(
	store ports.Store, index ports.SubjectIndex, journal ports.ErasureJournal, clock app.Clock, part Part,
) *Subjects {
	return &Subjects{store, index, journal, clock, part}
}

// SubjectQuery identifies a person by at least one of the last three, as people write them.
type SubjectQuery struct {
	OrgID                  string
	Document, Email, Phone string
}

// contactsAtOnce is how many contacts are read together.
const contactsAtOnce = 500

func (q SubjectQuery) identities() (out []privacy.Identity, err error) {
	if q.Document != "" {
		i, err := privacy.ByDocument(q.Document)
		if err != nil {
			return nil, app.Invalid("document", err.Error())
		}
		out = append(out, i)
		if twin, ok := i.Twin(); ok {
			out = append(out, twin)
		}
	}
	if q.Email != "" {
		i, err := privacy.ByEmail(q.Email)
		if err != nil {
			return nil, app.Invalid("email", err.Error())
		}
		out = append(out, i)
	}
	if q.Phone != "" {
		i, ok := privacy.ByPhone(q.Phone)
		if !ok {
			return nil, app.Invalid("phone", "O telefone não tem um formato aceito. Escreva com o DDD, como (11) 98765-4321.")
		}
		out = append(out, i)
	}
	if len(out) == 0 {
		return nil, app.Invalid("document", "Informe de quem se trata: documento, e-mail ou telefone.")
	}
	return out, nil
}

// asked is the name of the caller, as receipts have it.
func (s *Subjects) asked(ctx context.Context, by app.Caller) (string, error) {
	if by.IsOperator() {
		return "operador", nil
	}
	m, err := s.store.Repos().Members.Find(ctx, by.OrgID(), by.MemberID())
	return m.Name, err
}

// find finds a person: the contacts with the identities asked for, and through these the person's other identities. It
// brings the index up to date first.
func (s *Subjects) find(ctx context.Context, by app.Caller, q SubjectQuery) (*privacy.Person, error) {
	if err := app.MayOwnOrg(ctx, s.store.Repos(), by, q.OrgID); err != nil {
		return nil, err
	}
	identities, err := q.identities()
	if err != nil {
		return nil, err
	}
	if err := s.index.CatchUp(ctx); err != nil {
		return nil, err
	}
	p := &privacy.Person{OrgID: q.OrgID}
	for _, i := range identities {
		p.Add(i)
	}
	_, err = s.extend(ctx, p, identities)
	return p, err
}

// extend adds the contacts of identities, with those merged into them, and goes on with the identities in these. Who
// was merged with somebody else by mistake is taken without the other; it returns the contacts in which there are both.
func (s *Subjects) extend(
	ctx context.Context, p *privacy.Person, next []privacy.Identity,
) (shared []string, err error) {
	asked, w := map[privacy.Identity]int{}, &extending{s, p, next, map[string][]privacy.Someone{}}
	for len(w.next) > 0 {
		i := w.next[0]
		w.next = w.next[1:]
		err := s.contacts(ctx, p.OrgID, i, func(c crm.Contact) error { return w.found(ctx, c, i, "") })
		if err != nil {
			return nil, err
		}
		merged, err := s.store.Repos().Subjects.Merged(ctx, p.OrgID, i)
		for _, one := range merged {
			err = errors.Join(err, w.found(ctx, one.Into, i, one.ID))
		}
		if err != nil {
			return nil, err
		}
		// A phone may be shared, so it leads only to contacts with one of the person's names.
		for _, phone := range p.Phones {
			if len(w.next) > 0 || asked[phone] == len(p.Names) {
				continue
			}
			asked[phone] = len(p.Names)
			err := s.contacts(ctx, p.OrgID, phone, func(c crm.Contact) error {
				if !p.Named(c) {
					return nil
				}
				return w.found(ctx, c, phone, "")
			})
			if err != nil {
				return nil, err
			}
		}
	}
	for id, people := range w.families {
		if len(people) > 1 {
			shared = append(shared, id)
		}
	}
	return shared, nil
}

// extending is the search for a person's contacts.
type extending struct {
	*Subjects
	p *privacy.Person
	// next are identities that are to be searched for.
	next []privacy.Identity
	// families are those that were read, by the contact that stays.
	families map[string][]privacy.Someone
}

// found takes those of the people in a contact who are the person. The contact was found by an identity of its own or
// of one that was merged into it; merged is the id of that.
func (w *extending) found(ctx context.Context, c crm.Contact, i privacy.Identity, merged string) error {
	people, known := w.families[c.ID]
	if !known {
		var err error
		if people, err = w.people(ctx, c); err != nil {
			return err
		}
		w.families[c.ID] = people
	}
	is := w.p.IsIn
	// The content of a merged contact may no longer be kept.
	if merged != "" && !slices.ContainsFunc(people, func(one privacy.Someone) bool { return one.Held(i) }) {
		is = func(one privacy.Someone, _ privacy.Identity) bool { return w.p.WasIn(one, merged) }
	}
	stays := false
	for n, one := range people {
		if !is(one, i) {
			continue
		}
		for _, c := range one.All() {
			w.next = append(w.next, w.p.Take(c)...)
		}
		stays = stays || n == 0
	}
	if !stays && (merged != "" || i.Type == privacy.CPF || i.Type == privacy.CNPJ) {
		w.p.TakePart(c.ID)
	}
	return nil
}

// people are those whose contacts became this one, over any number of merges.
func (s *Subjects) people(ctx context.Context, c crm.Contact) ([]privacy.Someone, error) {
	f, err := s.family(ctx, c, crm.Removal{})
	return f.People(), err
}

func (s *Subjects) family(ctx context.Context, c crm.Contact, gone crm.Removal) (privacy.Family, error) {
	f := privacy.Family{Contact: c, Gone: gone}
	into, err := s.store.Repos().Removals.Into(ctx, c.OrgID, c.ID)
	for _, gone := range into {
		if err != nil {
			break
		}
		var one privacy.Family
		one, err = s.family(ctx, gone.Contact, gone)
		f.Merged = append(f.Merged, one)
	}
	return f, err
}

// apart undoes the mistaken merges of a person with somebody else in some contacts, so that an erasure leaves the
// other's with all that is its own, and nothing of the person. It reports whether there were any.
func (s *Subjects) apart(ctx context.Context, p *privacy.Person, shared []string) (parted bool, err error) {
	for _, id := range shared {
		for more := true; more; parted = parted || more {
			if more, err = s.partOne(ctx, p, id); err != nil {
				return parted, err
			}
		}
	}
	return parted, nil
}

// partOne undoes one mistaken merge in a contact, and reports whether there was one.
func (s *Subjects) partOne(ctx context.Context, p *privacy.Person, id string) (bool, error) {
	c, err := s.store.Repos().Contacts.Find(ctx, p.OrgID, id)
	if errors.Is(err, ports.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	people, err := s.people(ctx, c)
	if err != nil {
		return false, err
	}
	is := func(one privacy.Someone) bool { return p.Has(one.Contact.ID) }
	for _, one := range slices.Backward(people[1:]) { // the last first: who came before says whose the contact was
		if is(one) == is(people[one.Of]) {
			continue
		}
		err := s.part(ctx, id, one.Contact.ID, !is(people[0]))
		if code := fault.CodeOf(err); code != fault.NotFound && code != fault.InvalidRequest { // it cannot be undone
			return err == nil, err
		}
	}
	return false, nil
}

// contacts calls each for all contacts with an identity.
func (s *Subjects) contacts(
	ctx context.Context, orgID string, i privacy.Identity, each func(crm.Contact) error,
) error {
	for before := ""; ; {
		some, err := s.store.Repos().Subjects.Contacts(ctx, orgID, i, before, contactsAtOnce)
		for _, c := range some {
			err = errors.Join(err, each(c))
			before = c.ID
		}
		if err != nil || len(some) < contactsAtOnce {
			return err
		}
	}
}

// traces calls each with the ids of all data of one kind about a person, a few at a time, or none after a step that
// found none.
func (s *Subjects) traces(
	ctx context.Context, p *privacy.Person, k privacy.Kind, each func(ids []string) error,
) error {
	for after := ""; ; {
		ids, next, err := s.store.Repos().SubjectTraces.Traces(ctx, p, k, after, eraseAtOnce)
		if err == nil {
			err = each(ids)
		}
		if err != nil || next == "" {
			return err
		}
		after = next
	}
}

// Held counts the data held about a person.
type Held struct {
	privacy.Counts
	// Identities is how many identities the person has.
	Identities int
	// Blocked is whether the organisation may not look the person up.
	Blocked bool
	// More is whether time ran out before all rows without an index of persons were opened.
	More bool
}

// Count counts the data held about a person, and changes nothing. Rows without an index of persons, such as posts, are
// opened one by one: for within at most, or all of them if within is zero. Only the owners of the organisation may.
// Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (s *Subjects) Count(ctx context.Context, by app.Caller, q SubjectQuery, within time.Duration) (Held, error) {
	p, err := s.find(ctx, by, q)
	if err != nil {
		return Held{}, err
	}
	opening := ctx
	if within > 0 {
		var cancel context.CancelFunc
		opening, cancel = context.WithTimeout(ctx, within)
		defer cancel()
	}
	held := Held{Counts: privacy.Counts{}, Identities: len(p.Identities)}
	for _, k := range privacy.Kinds() {
		walk := ctx
		if k.Opened() {
			walk = opening
		}
		err := s.traces(walk, p, k, func(ids []string) error {
			held.Counts[k] += len(ids)
			if k != privacy.Lookups || len(ids) == 0 {
				return nil
			}
			n, err := s.answers(ctx, p, ids)
			held.Counts[privacy.Answers] += n
			return err
		})
		if walk.Err() != nil && ctx.Err() == nil {
			held.More, err = true, nil
		}
		if err != nil {
			return held, err
		}
	}
	if err := s.countHistory(ctx, p, held.Counts); err != nil {
		return held, err
	}
	hashes, err := s.store.Repos().Subjects.Hashes(ctx, p.OrgID, p.Identities...)
	if err == nil {
		held.Blocked, err = s.store.Repos().SubjectBlocks.Blocked(ctx, p.OrgID, hashes)
	}
	return held, err
}

// answers counts the answers of those lookups that are about a person.
func (s *Subjects) answers(ctx context.Context, p *privacy.Person, ids []string) (int, error) {
	entries, err := s.store.Repos().Statement.Entries(ctx, p.OrgID, ids)
	if err != nil {
		return 0, err
	}
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !aboutPerson(p, entries[id]) })
	answers, err := s.store.Repos().SubjectTraces.Answers(ctx, p.OrgID, ids)
	return len(answers), err
}

// countHistory counts the history and the runs of a person's contacts, each once: those of a merged contact are also
// read with those of the one that stayed.
func (s *Subjects) countHistory(ctx context.Context, p *privacy.Person, counts privacy.Counts) error {
	counted := map[string]bool{}
	count := func(k privacy.Kind, id string) {
		if !counted[id] {
			counts[k]++
		}
		counted[id] = true
	}
	for _, id := range p.Contacts {
		events, err := s.events(ctx, p, id)
		if err != nil {
			return err
		}
		for _, e := range events {
			count(privacy.Happenings, e.ID)
		}
		runs, err := s.runsOf(ctx, p, id)
		if err != nil {
			return err
		}
		for _, j := range runs {
			count(privacy.Runs, j.ID)
		}
	}
	return nil
}

// events returns what happened to a person's contact and those merged into it that are the person's, too, without the
// names of others.
func (s *Subjects) events(ctx context.Context, p *privacy.Person, contactID string) ([]crm.Event, error) {
	all, err := s.store.Repos().ContactHistory.Events(ctx, p.OrgID, contactID)
	all = slices.DeleteFunc(all, func(e crm.Event) bool { return !p.Has(e.ContactID) })
	for n, e := range all {
		if (e.Kind == crm.Merged || e.Kind == crm.Parted) && !p.Called(e.Subject) {
			all[n].Subject = "" // somebody else's name
		}
	}
	return all, err
}

// runsOf returns the runs of automations for the same contacts.
func (s *Subjects) runsOf(ctx context.Context, p *privacy.Person, contactID string) ([]automation.Job, error) {
	all, err := app.Paged(app.All, func(after string, n int) ([]automation.Job, error) {
		return s.store.Repos().JobRuns.Page(ctx, p.OrgID, automation.JobFilter{ContactID: contactID}, after, n)
	}, func(j automation.Job) string { return j.ID })
	return slices.DeleteFunc(all, func(j automation.Job) bool { return !p.Has(j.ContactID) }), err
}

// Ready reports whether the index covers all data of persons; after an upgrade that takes a while.
func (s *Subjects) Ready(ctx context.Context) (bool, error) { return s.index.Indexed(ctx) }

// Erasures returns erasures of an organisation, the newest first, that come after the one with id after ("" starts at
// the newest). Only its owners may see them. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (s *Subjects) Erasures(
	ctx context.Context, by app.Caller, orgID, after string, limit int,
) ([]privacy.Erasure, error) {
	if err := app.MayOwnOrg(ctx, s.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	if err := app.CheckPage(after, limit); err != nil {
		return nil, err
	}
	return s.store.Repos().Erasures.Erasures(ctx, orgID, after, limit)
}

// AllErasures returns all erasures of an organisation, the newest first. Faults: NotFound, Forbidden,
// ServiceUnavailable.
func (s *Subjects) AllErasures(ctx context.Context, by app.Caller, orgID string) ([]privacy.Erasure, error) {
	return app.Paged(app.All, func(after string, n int) ([]privacy.Erasure, error) {
		return s.Erasures(ctx, by, orgID, after, n)
	}, func(e privacy.Erasure) string { return e.ID })
}

// Erasure returns one erasure, with its receipt. Faults: those of AllErasures.
func (s *Subjects) Erasure(ctx context.Context, by app.Caller, id string) (privacy.Erasure, error) {
	none := app.Missing("erasure", "Não há pedido de eliminação com este id.")
	if !app.ValidID(id) {
		return privacy.Erasure{}, none
	}
	e, err := s.store.Repos().Erasures.FindErasure(ctx, by.FindsIn(), id)
	if errors.Is(err, ports.ErrNotFound) {
		return privacy.Erasure{}, none
	}
	if err == nil {
		err = app.MayOwnOrg(ctx, s.store.Repos(), by, e.OrgID)
	}
	return e, err
}

const (
	// eraseAtOnce is how many rows one transaction erases at most, so that posts hardly wait for SQLite's only writer:
	// one of each kind at first, twice as many after as many as that, and half as many after one that took longer than
	// eraseWithin, because a row may hold a megabyte about others.
	eraseAtOnce, eraseWithin = 100, 100 * time.Millisecond
	// eraseLease is how long an instance holds an erasure before another one may take it over; sweepLease is the same for
	// sweeping the database, which is a single step.
	eraseLease = 15 * time.Second
	sweepLease = 5 * time.Minute
)

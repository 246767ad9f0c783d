package portstest

import (
	"sync"
	"testing"
	"time"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/ports"
)

// sessions holds what lets members in to both databases.
func sessions(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	ana, rui := member(t, s, o.ID, crm.Owner, true), member(t, s, o.ID, crm.Common, true)
	begin := func(m crm.Member, seen time.Time) access.SessionToken {
		t.Helper()
		token := access.NewSessionToken()
		must(t, repos.Sessions.Create(ctx, token, access.Session{MemberID: m.ID, CreatedAt: at, SeenAt: seen}))
		return token
	}
	gone := func(what string, token access.SessionToken) {
		t.Helper()
		_, _, err := repos.Sessions.Find(ctx, token)
		wantErr(t, what, err, ports.ErrNotFound)
	}
	first, second, other := begin(ana, at), begin(ana, at), begin(rui, at)
	must(t, repos.Sessions.Touch(ctx, first, at.Add(time.Hour)))
	must(t, repos.Sessions.Touch(ctx, first, at.Add(time.Minute))) // what is later stays
	session, who, err := repos.Sessions.Find(ctx, first)
	must(t, err)
	same(t, "session", session, access.Session{MemberID: ana.ID, CreatedAt: at, SeenAt: at.Add(time.Hour)})
	same(t, "its member", who, ana)
	gone("a token that nobody has", access.NewSessionToken())
	must(t, repos.Sessions.End(ctx, second))
	gone("an ended session", second)
	third := begin(ana, at)
	must(t, repos.Sessions.EndAll(ctx, ana.ID))
	gone("all of a member's, the first", first)
	gone("all of a member's, the last", third)
	if _, _, err := repos.Sessions.Find(ctx, other); err != nil {
		t.Errorf("another member's session ended too: %v", err)
	}
	recent := begin(ana, at.Add(2*time.Hour))
	must(t, repos.Sessions.Forget(ctx, at.Add(time.Hour)))
	gone("a session not seen since", other)
	if _, _, err := repos.Sessions.Find(ctx, recent); err != nil {
		t.Errorf("a session seen since is forgotten: %v", err)
	}
}

// attempts to sign in are counted one after the other, also when they come together.
func attempts(t *testing.T, s ports.Store) {
	ctx, repos := t.Context(), s.Repos()
	const email = "ana@example.com"
	pause := func(before int) time.Duration { return map[bool]time.Duration{true: time.Minute}[before >= 5] }
	var wg sync.WaitGroup
	var mu sync.Mutex
	let := map[int]int{} // through, by the number of those before
	for range 40 {
		wg.Go(func() {
			before, wait, err := repos.Sessions.Attempt(ctx, email, at, pause)
			if err != nil {
				t.Error(err)
			}
			if wait <= 0 {
				mu.Lock()
				let[before]++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	same(t, "attempts that were let through", let, map[int]int{0: 1, 1: 1, 2: 1, 3: 1, 4: 1})
	attempt := func(email string, at time.Time) (int, time.Duration) {
		t.Helper()
		before, wait, err := repos.Sessions.Attempt(ctx, email, at, pause)
		must(t, err)
		return before, wait
	}
	before, wait := attempt(email, at.Add(20*time.Second))
	same(t, "too early", before, 5)
	same(t, "how long there is to wait", wait, 40*time.Second)
	before, wait = attempt("rui@example.com", at)
	same(t, "another address", before == 0 && wait <= 0, true)
	before, wait = attempt(email, at.Add(time.Minute))
	same(t, "after the pause", before == 5 && wait <= 0, true)
	before, _ = attempt(email, at.Add(time.Minute))
	same(t, "counted", before, 6)
	must(t, repos.Sessions.Clear(ctx, email))
	before, _ = attempt(email, at)
	same(t, "forgotten", before, 0)
	must(t, repos.Sessions.Forget(ctx, at.Add(time.Hour)))
	before, _ = attempt(email, at)
	same(t, "old ones forgotten", before, 0)
}

// setup changes what an organisation has set up.
func setup(t *testing.T, s ports.Store) {
	ctx, repos, o, other := t.Context(), s.Repos(), org(t, s), org(t, s)
	m := member(t, s, o.ID, crm.Common, true)
	m.Name, m.Role, m.Active, m.PasswordHash = "Ana Rocha", crm.Admin, false, "y"
	must(t, repos.Members.Update(ctx, m))
	found, err := repos.Members.ByEmail(ctx, m.Email)
	must(t, err)
	same(t, "member", found, m)
	_, err = repos.Members.ByEmail(ctx, "ninguem@example.com")
	wantErr(t, "an address that nobody has", err, ports.ErrNotFound)
	taken := member(t, s, o.ID, crm.Common, true)
	taken.Email = m.Email
	wantErr(t, "an address that somebody has", repos.Members.Update(ctx, taken), ports.ErrExists)
	stranger := m
	stranger.ID = id()
	wantErr(t, "an unknown member", repos.Members.Update(ctx, stranger), ports.ErrNotFound)

	f := funnelOf(t, s, o.ID, true, "Novo", "Proposta", "Ganho")
	c := crm.Contact{ID: id(), OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: f.Stages[0].ID, CreatedAt: at}
	event := crm.Event{ID: id(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: at}
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.Create(ctx, c, event) }))
	for i, want := range []bool{true, false} {
		used, err := repos.Contacts.InStage(ctx, f.Stages[i].ID)
		must(t, err)
		same(t, "a stage with contacts", used, want)
	}
	f.Name = "Vendas novas"
	f.Stages = []crm.Stage{f.Stages[2], {ID: id(), Name: "Contrato"}, f.Stages[0]}
	f.Stages[0].Name = "Fechado"
	must(t, repos.Funnels.Update(ctx, f))
	all, err := repos.Funnels.List(ctx, o.ID)
	must(t, err)
	same(t, "funnels", all, []crm.Funnel{f})
	theirs := f
	theirs.OrgID = other.ID
	wantErr(t, "another organisation's funnel", repos.Funnels.Update(ctx, theirs), ports.ErrNotFound)

	google, site := crm.Origin{ID: id(), OrgID: o.ID, Name: "Google"}, crm.Origin{ID: id(), OrgID: o.ID, Name: "Site"}
	must(t, repos.Origins.Create(ctx, google))
	must(t, repos.Origins.Create(ctx, site))
	google.Name = "Anúncios"
	must(t, repos.Origins.Rename(ctx, google))
	taking := crm.Origin{ID: google.ID, OrgID: o.ID, Name: "SITE"}
	wantErr(t, "a name that another has", repos.Origins.Rename(ctx, taking), ports.ErrExists)
	wantErr(t, "another organisation's origin", repos.Origins.Rename(ctx, crm.Origin{ID: google.ID, OrgID: other.ID, Name: "x"}), ports.ErrNotFound)
	with := c
	with.ID, with.OriginID, event.ID = id(), site.ID, id()
	event.ContactID = with.ID
	must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.Create(ctx, with, event) }))
	wantErr(t, "an origin that contacts have", repos.Origins.Remove(ctx, site), ports.ErrExists)
	wantErr(t, "another organisation's origin", repos.Origins.Remove(ctx, crm.Origin{ID: google.ID, OrgID: other.ID}), ports.ErrNotFound)
	must(t, repos.Origins.Remove(ctx, google))
	left, err := repos.Origins.List(ctx, o.ID)
	must(t, err)
	same(t, "origins", left, []crm.Origin{site})

	must(t, repos.Notifications.Create(ctx, crm.Notification{ID: id(), OrgID: o.ID, Kind: crm.JobDead, ContactID: c.ID, Subject: "X", At: at}))
	last := crm.Notification{ID: id(), OrgID: o.ID, Kind: crm.JobDead, ContactID: c.ID, Subject: "Y", At: at}
	must(t, repos.Notifications.Create(ctx, last))
	unread := func(want int) {
		t.Helper()
		n, err := repos.Notifications.Unread(ctx, o.ID, m.ID)
		must(t, err)
		same(t, "unread", n, want)
	}
	unread(2)
	must(t, repos.Notifications.ReadAll(ctx, o.ID, m.ID, last.ID))
	unread(0)
}

// figures counts by hour what the dashboard shows.
func figures(t *testing.T, s ports.Store) {
	ctx, repos, o := t.Context(), s.Repos(), org(t, s)
	stage := funnelOf(t, s, o.ID, true, "Novo").Stages[0].ID
	origin := id()
	for i, when := range []time.Time{at, at.Add(time.Minute), at.Add(time.Hour), at.Add(-24 * time.Hour)} {
		c := crm.Contact{ID: id(), OrgID: o.ID, Name: "Bia", Email: "bia@example.com", StageID: stage, CreatedAt: when}
		if i < 2 {
			c.OriginID = origin
		}
		event := crm.Event{ID: id(), OrgID: o.ID, ContactID: c.ID, Kind: crm.ContactAdded, Actor: "Ana", At: when}
		must(t, s.InTx(ctx, func(r ports.Repos) error { return r.Contacts.Create(ctx, c, event) }))
	}
	hour := at.Truncate(time.Hour)
	contacts, err := repos.Figures.Contacts(ctx, o.ID, at)
	must(t, err)
	same(t, "contacts", contacts, []ports.ContactFigure{{Hour: hour, OriginID: origin, Count: 2}, {Hour: hour.Add(time.Hour), Count: 1}})

	for i, charged := range []bool{true, true, false} {
		e := running(t, id())
		e.OrgID, e.At, e.Status, e.SettleAt, e.Cache = o.ID, at.Add(time.Duration(i)*time.Minute), lookup.Done, time.Time{}, !charged
		if !charged {
			e.Charged, e.Amount, e.Day, e.Month = false, 0, "", ""
		}
		must(t, repos.Statement.Add(ctx, e))
	}
	must(t, repos.Statement.Add(ctx, running(t, id()))) // another organisation's
	lookups, err := repos.Figures.Lookups(ctx, o.ID, at.AddDate(-6, 0, 0))
	must(t, err)
	same(t, "lookups", lookups, []ports.LookupFigure{{Hour: hour, Product: "cpf", Charged: 2, Cached: 1, Amount: 9000}})
}

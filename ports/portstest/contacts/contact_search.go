package contacts

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/text"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

// searched is an organisation with contacts to search, beside another one's.
type searched struct {
	repos    ports.Repos
	org      crm.Organisation
	stages   []crm.Stage
	foreign  crm.Stage
	origin   crm.Origin
	member   crm.Member
	contacts []crm.Contact
}

func toSearch(t *testing.T, s ports.Store) searched {
	t.Helper()
	o, other := kit.Org(t, s), kit.Org(t, s)
	c := searched{
		repos: s.Repos(), org: o, stages: kit.FunnelOf(t, s, o.ID, true, "Novo", "Ganho").Stages,
		foreign: kit.FunnelOf(t, s, other.ID, true, "Novo").Stages[0],
		origin:  crm.Origin{ID: kit.ID(), OrgID: o.ID, Name: "Site"},
		member:  kit.Member(t, s, o.ID, crm.Owner, true),
	}
	kit.Must(t, c.repos.Origins.Create(t.Context(), c.origin))
	c.contacts = kit.Made(t, s,
		crm.Contact{
			OrgID: o.ID, Name: "João Café", Email: "joao@example.com", Phone: "(11) 98765-4321", PhoneE164: "+5511987654321",
			StageID: c.stages[0].ID, Amount: 5_0000, Note: "segredo",
			Attribution: []crm.Attribute{{Key: "utm_source", Value: "x"}},
		},
		crm.Contact{
			OrgID: o.ID, Name: "ana 100%_certa", Email: "ana@example.com", Company: "Óptica Ção", StageID: c.stages[0].ID,
			Amount: 9_0000, OriginID: c.origin.ID, Phone: "ramal 4455",
		},
		crm.Contact{
			OrgID: o.ID, Name: "Álvaro", Email: "zé@example.com", StageID: c.stages[1].ID, Amount: 5_0000,
			AssigneeID: c.member.ID,
		},
		crm.Contact{OrgID: o.ID, Name: "Ana", Email: "a@example.com", StageID: c.stages[1].ID},
	)
	kit.Made(t, s, crm.Contact{
		OrgID: other.ID, Name: "João dos outros", Email: "joao@example.com", StageID: c.foreign.ID, Amount: 7,
	})
	return c
}

func (c searched) find(t *testing.T, q ports.ContactQuery) string {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	found, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, q)
	kit.Must(t, err)
	var got []string
	for _, c := range found {
		got = append(got, c.Name)
	}
	return strings.Join(got, "|")
}

func contactSearch(t *testing.T, s ports.Store) {
	c := toSearch(t, s)
	by := func(f ports.ContactFilter) ports.ContactQuery { return ports.ContactQuery{ContactFilter: f} }
	words := func(w ...string) ports.ContactQuery { return by(ports.ContactFilter{Words: w}) }
	newest := "Ana|Álvaro|ana 100%_certa|João Café"
	for _, want := range []struct {
		what string
		q    ports.ContactQuery
		want string
	}{
		{"newest", ports.ContactQuery{}, newest},
		{"oldest", ports.ContactQuery{Ascending: true}, "João Café|ana 100%_certa|Álvaro|Ana"},
		{"by name", ports.ContactQuery{Order: crm.ByName, Ascending: true}, "Álvaro|ana 100%_certa|Ana|João Café"},
		{"by name from the end", ports.ContactQuery{Order: crm.ByName}, "João Café|Ana|ana 100%_certa|Álvaro"},
		{"largest", ports.ContactQuery{Order: crm.ByAmount}, "ana 100%_certa|Álvaro|João Café|Ana"},
		{"a word without its accent", words(text.Fold("JOAO")), "João Café"},
		{"digits of a phone", words("987654321"), "João Café"},
		{"digits of no valid phone", words("4455"), "ana 100%_certa"},
		{"a company", words("optica"), "ana 100%_certa"},
		{"two words", words("ana", "certa"), "ana 100%_certa"},
		{"signs that mean something to LIKE are themselves", words("100%_"), "ana 100%_certa"},
		{"a sign that nobody has", words("_c%"), ""},
		{"a stage", by(ports.ContactFilter{StageID: c.stages[1].ID}), "Ana|Álvaro"},
		{"stages", by(ports.ContactFilter{Stages: []string{c.stages[0].ID}}), "ana 100%_certa|João Café"},
		{"an origin", by(ports.ContactFilter{OriginID: c.origin.ID}), "ana 100%_certa"},
		{"an assignee", by(ports.ContactFilter{AssigneeID: c.member.ID}), "Álvaro"},
		{"a webhook", by(ports.ContactFilter{WebhookID: kit.ID()}), ""},
		{"an amount", by(ports.ContactFilter{MinAmount: 5_0000}), "Álvaro|ana 100%_certa|João Café"},
		{"an amount and a stage", by(ports.ContactFilter{MinAmount: 5_0000, StageID: c.stages[1].ID}), "Álvaro"},
		{"an amount and a word", by(ports.ContactFilter{MinAmount: 6_0000, Words: []string{"a"}}), "ana 100%_certa"},
		{"an amount after another", ports.ContactQuery{
			ContactFilter: ports.ContactFilter{MinAmount: 5_0000}, After: c.contacts[2].ID,
		}, "ana 100%_certa|João Café"},
		{"an amount in the order of names", ports.ContactQuery{
			ContactFilter: ports.ContactFilter{MinAmount: 5_0000}, Order: crm.ByName, Ascending: true, After: c.contacts[2].ID,
		}, "ana 100%_certa|João Café"},
		{"since", by(ports.ContactFilter{Since: kit.At.Add(2 * time.Hour)}), "Ana|Álvaro"},
		{"another organisation's stage", by(ports.ContactFilter{StageID: c.foreign.ID}), ""},
		{"after an id that is newer than all", ports.ContactQuery{After: kit.ID()}, newest},
	} {
		kit.Same(t, want.what, c.find(t, want.q), want.want)
	}
	n, err := c.repos.ContactSearch.Count(t.Context(), c.org.ID, ports.ContactFilter{MinAmount: 5_0000}, 2)
	kit.Must(t, err)
	kit.Same(t, "with an amount, counted to two", n, 2)
	q := ports.ContactQuery{Ascending: true, Limit: 1}
	brief, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, q)
	kit.Must(t, err)
	kit.Same(t, "without what is encrypted", brief[0].Note == "" && brief[0].Attribution == nil, true)
	q.Whole = true
	whole, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, q)
	kit.Must(t, err)
	kit.Same(t, "whole", whole, c.contacts[:1])
}

// contactOrders pages through all contacts in every order, each once, while others come in.
func contactOrders(t *testing.T, s ports.Store) {
	c := toSearch(t, s)
	for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
		for _, ascending := range []bool{true, false} {
			q := ports.ContactQuery{Order: order, Ascending: ascending}
			want := strings.Split(c.find(t, q), "|")
			var got []string
			for q.Limit = 1; ; {
				page, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, q)
				kit.Must(t, err)
				if len(page) == 0 || len(got) > 9 {
					break
				}
				got, q.After = append(got, page[0].Name), page[0].ID
			}
			kit.Same(t, "page by page", got, want)
		}
	}
}

// contactsEdited are found once each, although the last one of a page is changed before the next is read.
func contactsEdited(t *testing.T, s ports.Store) {
	ctx, c := t.Context(), toSearch(t, s)
	for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
		for _, ascending := range []bool{true, false} {
			q := ports.ContactQuery{Order: order, Ascending: ascending}
			want := c.find(t, q)
			all, err := c.repos.ContactSearch.Select(ctx, c.org.ID, ports.ContactQuery{
				Order: order, Ascending: ascending, Limit: 10, Whole: true,
			})
			kit.Must(t, err)
			q.After, q.Last = all[0].ID, &all[0]
			for _, to := range []crm.Contact{{Name: "a", Amount: 0}, {Name: "z", Amount: 1e9}} {
				is := all[0]
				is.Name, is.Amount = to.Name, to.Amount
				edit(t, s, is)
				after := strings.Split(c.find(t, q), "|")
				after = slices.DeleteFunc(after, func(name string) bool { return name == is.Name }) // it comes again, as it is
				kit.Same(t, "after where it was", strings.Join(append([]string{all[0].Name}, after...), "|"), want)
			}
			edit(t, s, all[0])
		}
	}
}

func edit(t *testing.T, s ports.Store, is crm.Contact) {
	t.Helper()
	e := crm.Event{ID: kit.ID(), OrgID: is.OrgID, ContactID: is.ID, Kind: crm.ContactEdited, Actor: "Ana", At: kit.At}
	kit.Must(t, s.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error { return r.Contacts.Edit(ctx, is, e) }))
}

// contactsGone continues after contacts that were removed between two pages: always in the order of arrival, and in
// other orders as long as the place of the removed one is known.
func contactsGone(t *testing.T, s ports.Store) {
	ctx, c := t.Context(), toSearch(t, s)
	for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
		for _, merged := range []bool{false, true} {
			for _, ascending := range []bool{true, false} {
				q := ports.ContactQuery{Order: order, Ascending: ascending}
				all, err := c.repos.ContactSearch.Select(ctx, c.org.ID, ports.ContactQuery{
					Order: order, Ascending: ascending, Limit: 10, Whole: true,
				})
				kit.Must(t, err)
				want, gone := strings.Join(strings.Split(c.find(t, q), "|")[2:], "|"), all[1]
				removal := crm.Removal{Contact: gone, By: "Ana", At: kit.At}
				if merged {
					removal.IntoID = all[0].ID
				}
				remove(t, s, removal)
				q.After = gone.ID
				kit.Same(t, "after one that is gone", c.find(t, q), want)
				back := crm.Event{
					ID: kit.ID(), OrgID: c.org.ID, ContactID: gone.ID, Kind: crm.Restored, Actor: "Ana", At: kit.At,
				}
				kit.Must(t, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
					return r.Removals.Restore(ctx, gone, back)
				}))
			}
		}
	}
	forgotten := c.contacts[2]
	remove(t, s, crm.Removal{Contact: forgotten, By: "Ana", At: kit.At})
	_, err := c.repos.Removals.Forget(ctx, kit.At.Add(time.Hour), kit.At)
	kit.Must(t, err)
	kit.Same(t, "by arrival", c.find(t, ports.ContactQuery{After: forgotten.ID}), "ana 100%_certa|João Café")
	for _, after := range []string{forgotten.ID, kit.ID()} {
		for _, order := range []crm.ContactOrder{crm.ByName, crm.ByAmount} {
			_, err := c.repos.ContactSearch.Select(ctx, c.org.ID, ports.ContactQuery{Order: order, After: after, Limit: 9})
			kit.WantErr(t, "after one of whom nothing is known", err, ports.ErrNotFound)
		}
	}
}

// contactFilters compares filters in every order, page by page, with the same selection made in memory.
func contactFilters(t *testing.T, s ports.Store) {
	c := toSearch(t, s)
	w, _ := kit.Hook(t, s, c.org.ID)
	for i := range 24 {
		n := crm.Contact{
			OrgID: c.org.ID, Name: "Bia " + strings.Repeat("x", i%5), Email: "b@", StageID: c.stages[i%2].ID,
			Amount: catalog.Money(i % 4), CreatedAt: kit.At.Add(time.Duration(i) * time.Hour),
		}
		n.ID = kit.IDOf(n.CreatedAt)
		if i%3 == 0 {
			n.OriginID, n.WebhookID = c.origin.ID, w.ID
		}
		if i%4 == 0 {
			n.AssigneeID = c.member.ID
		}
		kit.Made(t, s, n)
	}
	for _, order := range []crm.ContactOrder{crm.ByArrival, crm.ByName, crm.ByAmount} {
		for _, ascending := range []bool{true, false} {
			all := ports.ContactQuery{Order: order, Ascending: ascending, Limit: 99}
			ordered, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, all)
			kit.Must(t, err)
			kit.Same(t, "all", len(ordered), 28)
			for chosen := range 1 << 5 {
				q, want, got := all, []crm.Contact{}, []crm.Contact{}
				q.Limit = 3
				for i, set := range []func(){
					func() { q.StageID = c.stages[0].ID }, func() { q.OriginID = c.origin.ID },
					func() { q.WebhookID = w.ID }, func() { q.AssigneeID = c.member.ID },
					func() { q.Since = kit.At.Add(11 * time.Hour) },
				} {
					if chosen&(1<<i) != 0 {
						set()
					}
				}
				for _, one := range ordered {
					if (q.StageID == "" || q.StageID == one.StageID) && (q.OriginID == "" || q.OriginID == one.OriginID) &&
						(q.WebhookID == "" || q.WebhookID == one.WebhookID) && !one.CreatedAt.Before(q.Since) &&
						(q.AssigneeID == "" || q.AssigneeID == one.AssigneeID) {
						want = append(want, one)
					}
				}
				for {
					page, err := c.repos.ContactSearch.Select(t.Context(), c.org.ID, q)
					kit.Must(t, err)
					if got = append(got, page...); len(page) < q.Limit {
						break
					}
					q.After = page[len(page)-1].ID
				}
				kit.Same(t, "page by page", got, want)
				n, err := c.repos.ContactSearch.Count(t.Context(), c.org.ID, q.ContactFilter, 99)
				kit.Must(t, err)
				kit.Same(t, "count", n, len(want))
			}
		}
	}
}

func contactTotals(t *testing.T, s ports.Store) {
	c := toSearch(t, s)
	count := func(f ports.ContactFilter, most int) int {
		t.Helper()
		n, err := c.repos.ContactSearch.Count(t.Context(), c.org.ID, f, most)
		kit.Must(t, err)
		return n
	}
	kit.Same(t, "count", count(ports.ContactFilter{}, 100), 4)
	kit.Same(t, "count up to most", count(ports.ContactFilter{Words: []string{"example"}}, 3), 3)

	most := 100
	totals := func(f ports.ContactFilter) map[string]ports.StageTotal {
		t.Helper()
		found, err := c.repos.ContactSearch.Totals(t.Context(), c.org.ID, f, most)
		kit.Must(t, err)
		return found
	}
	first, second := c.stages[0].ID, c.stages[1].ID
	both := ports.ContactFilter{Stages: []string{first, second}}
	kit.Same(t, "totals", totals(both), map[string]ports.StageTotal{
		first: {Count: 2, Amount: 14_0000}, second: {Count: 2, Amount: 5_0000},
	})
	kit.Same(t, "totals of an assignee", totals(ports.ContactFilter{Stages: both.Stages, AssigneeID: c.member.ID}),
		map[string]ports.StageTotal{second: {Count: 1, Amount: 5_0000}})
	kit.Same(t, "totals of all stages", totals(ports.ContactFilter{}), totals(both))
	most = 1
	ofOrigin := ports.ContactFilter{Stages: both.Stages, OriginID: c.origin.ID}
	kit.Same(t, "totals of as many as are counted", totals(ofOrigin),
		map[string]ports.StageTotal{first: {Count: 1, Amount: 9_0000}})
	kit.Made(t, s, crm.Contact{OrgID: c.org.ID, Name: "x", Email: "x@", StageID: first, Amount: 2_0000,
		OriginID: c.origin.ID})
	kit.Same(t, "totals of the newest", totals(ofOrigin), map[string]ports.StageTotal{first: {Count: 1, Amount: 2_0000,
		More: true}})
	kit.Same(t, "of all, none is left out", totals(both)[first], ports.StageTotal{Count: 3, Amount: 16_0000})
	kit.Same(t, "totals of another organisation's stage", len(totals(ports.ContactFilter{Stages: []string{c.foreign.ID}})),
		0)
	huge := crm.Contact{OrgID: c.org.ID, Name: "x", Email: "x@", StageID: second, Amount: catalog.Money(math.MaxInt64 - 1)}
	kit.Made(t, s, huge, huge)
	total := totals(both)[second]
	kit.Same(t, "a sum that is too large does not fail", total.Count == 4 && total.Amount > 1<<62, true)
}

package app_test

import (
	"context"
	"fmt"
	"testing"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/ports"
)

// editing is a store that changes something after each page of contacts.
type editing struct {
	ports.Store
	ports.ContactSearch
	edit func(last crm.Contact)
}

func (e editing) Repos() ports.Repos {
	r := e.Store.Repos()
	e.ContactSearch = r.ContactSearch
	r.ContactSearch = e
	return r
}

func (e editing) Select(ctx context.Context, orgID string, q ports.ContactQuery) ([]crm.Contact, error) {
	page, err := e.ContactSearch.Select(ctx, orgID, q)
	if len(page) > 0 {
		e.edit(page[len(page)-1])
	}
	return page, err
}

// TestAFileOfContactsThatChange has each of them, also where the last one of a page is edited before the next is read.
func TestAFileOfContactsThatChange(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, table := s.add("dona", crm.Owner), tableOf("Nome|E-mail|Valor")
		for i := range app.ListMax + 20 {
			table.Tabs[0].Rows = append(table.Tabs[0].Rows, batch.Row{
				Line: i + 2, Cells: []string{fmt.Sprintf("P%03d", i), fmt.Sprintf("p%d@example.com", i), "10"},
			})
		}
		made := must(s.bulks.PrepareImport(t.Context(), owner, table))
		must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.CreateDuplicates}))
		done(s.bulks.Work(t.Context()))
		store := editing{Store: s.store, edit: func(last crm.Contact) {
			last.Name, last.Amount = "Z", 0
			e := crm.Event{
				ID: app.NewID(), OrgID: last.OrgID, ContactID: last.ID, Kind: crm.ContactEdited, Actor: "dona", At: s.now(),
			}
			done(s.store.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
				return r.Contacts.Edit(ctx, last, e)
			}))
		}}
		for _, search := range []contacts.ContactSearch{{Order: crm.ByName, Ascending: true}, {Order: crm.ByAmount}} {
			found := map[string]bool{}
			for c, err := range contacts.New(store, s.now).All(t.Context(), owner, search) {
				done(err)
				found[c.ID] = true
			}
			equal(t, "contacts in the file", len(found), app.ListMax+20)
		}
	})
}

package gormstore

import (
	"bytes"
	"context"
	"path/filepath"
	"testing"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/ports"
)

// TestSearchOfOldContacts: contacts from before the migration are found without accents.
func TestSearchOfOldContacts(t *testing.T) {
	t.Parallel()
	s, err := Open("sqlite://"+filepath.Join(t.TempDir(), "test.db"),
		[][]byte{bytes.Repeat([]byte{7}, engine.DataKeySize)})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	const org, id = "01980000-0000-7000-8000-00000000000a", "01980000-0000-7000-8000-00000000000b"
	if err := s.Repos().Orgs.Create(t.Context(), crm.Organisation{ID: org, Name: "Org"}); err != nil {
		t.Fatal(err)
	}
	funnel := crm.Funnel{
		ID: org, OrgID: org, Name: "Vendas", Default: true, Stages: []crm.Stage{{ID: org, Name: "Novo"}},
		CreatedAt: time.Now(),
	}
	if err := s.Repos().Funnels.Create(t.Context(), funnel); err != nil {
		t.Fatal(err)
	}
	c := crm.Contact{
		ID: id, OrgID: org, Name: "JOÃO Conceição", Email: "j@example.com", StageID: org, CreatedAt: time.Now(),
	}
	added := crm.Event{ID: id, OrgID: org, ContactID: id, Kind: crm.ContactAdded, At: c.CreatedAt}
	err = s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
		return r.Contacts.Create(t.Context(), c, added)
	})
	if err != nil {
		t.Fatal(err)
	}
	before := "UPDATE contacts SET search = lower(name || ' ' || email || ' ' || company || ' ' || phone_e164)"
	if err := s.Writer.Exec(before).Error; err != nil {
		t.Fatal(err)
	}
	if err := s.FoldSearch(t.Context()); err != nil {
		t.Fatal(err)
	}
	words := ports.ContactFilter{Words: []string{"joao", "conceicao"}}
	got, err := s.Repos().ContactSearch.Select(t.Context(), org, ports.ContactQuery{ContactFilter: words, Limit: 5})
	if err != nil || len(got) != 1 {
		t.Errorf("found %d, %v", len(got), err)
	}
}

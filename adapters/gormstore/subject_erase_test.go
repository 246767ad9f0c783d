package gormstore

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestAnErasureIsSoundAfterEachStep: when an answer is removed with the line that bought it, other lines that it was
// served to, which later steps erase, no longer refer to it.
func TestAnErasureIsSoundAfterEachStep(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		takeOne(t, s)
		ctx, repos, now := t.Context(), s.Repos(), time.Now().UTC()
		doc := document.Restore(document.CPF, "52998224725")
		record := lookup.Record{ID: testID(99), OrgID: testID(1), Product: "cpf", Document: doc, AnsweredAt: now, Found: true}
		if err := repos.History.Save(ctx, record); err != nil {
			t.Fatal(err)
		}
		for i := range 151 {
			err := repos.Statement.Add(ctx, lookup.Entry{
				ID: testID(100 + i), OrgID: testID(1), Product: "cpf", Document: doc, At: now, Status: lookup.Done,
				RecordID: record.ID, Cache: i > 0,
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := s.CatchUp(ctx); err != nil {
			t.Fatal(err)
		}
		p := &privacy.Person{
			OrgID: testID(1), Identities: []privacy.Identity{{Type: privacy.CPF, Value: "52998224725"}},
		}
		for _, want := range []privacy.Counts{
			nil, {privacy.Lookups: 100, privacy.Answers: 1}, {privacy.Lookups: 51},
		} {
			if want != nil {
				erased := privacy.Counts{}
				err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
					ids, _, err := r.SubjectTraces.Traces(ctx, p, privacy.Lookups, "", 100)
					if err != nil {
						return err
					}
					erased, err = r.SubjectTraces.Erase(ctx, p, privacy.Lookups, ids)
					return err
				})
				if err != nil || erased[privacy.Lookups] != want[privacy.Lookups] ||
					erased[privacy.Answers] != want[privacy.Answers] {
					t.Fatalf("%s: erased %v, %v; want %v", s.Writer.Name(), erased, err, want)
				}
			}
			if broken := brokenIn(t, s); len(broken) > 0 {
				t.Errorf("%s: after %v: %v", s.Writer.Name(), want, broken)
			}
		}
	}
}

// TestSlowAStepOpensFewLargeRows: where each row holds a megabyte, a step ends long before its time is over, or an
// erasure would begin it again without end.
func TestSlowAStepOpensFewLargeRows(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, random := t.Context(), make([]byte, 660_000)
		_, _ = rand.Read(random)
		note := base64.StdEncoding.EncodeToString(random)
		const contacts = 120
		err := errors.Join(
			s.Repos().Orgs.Create(ctx, crm.Organisation{ID: testID(1), Name: "Org"}),
			s.Repos().Funnels.Create(ctx, crm.Funnel{
				ID: testID(1), OrgID: testID(1), Name: "Vendas", Default: true, CreatedAt: time.Now(),
				Stages: []crm.Stage{{ID: testID(1), Name: "Novo"}},
			}),
			s.InTx(ctx, func(ctx context.Context, r ports.Repos) (err error) {
				for i := range contacts {
					c := crm.Contact{
						ID: testID(100 + i), OrgID: testID(1), Name: "Ana", Note: note, StageID: testID(1), CreatedAt: time.Now(),
					}
					added := crm.Event{ID: c.ID, OrgID: c.OrgID, ContactID: c.ID, Kind: crm.ContactAdded, At: c.CreatedAt}
					err = errors.Join(err, r.Contacts.Create(ctx, c, added))
				}
				return err
			}),
		)
		opened := 0
		counting := s.Reader.Callback().Query().After("gorm:query").Register("test:count", func(db *gorm.DB) {
			if db.Statement.Table == "contacts" {
				opened += int(db.RowsAffected)
			}
		})
		p := &privacy.Person{OrgID: testID(1), Identities: []privacy.Identity{{Type: privacy.CPF, Value: "52998224725"}}}
		_, next, failed := s.Repos().SubjectTraces.Traces(ctx, p, privacy.Texts, "", 100)
		if err := errors.Join(err, counting, failed); err != nil || next == "" || opened == 0 || opened >= contacts {
			t.Errorf("%s: a step opened %d of %d rows, %v", s.Writer.Name(), opened, contacts, err)
		}
	}
}

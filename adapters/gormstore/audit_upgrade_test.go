package gormstore

import (
	"context"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestAnAuditOfAnEarlierVersionIsSealed once: a head without lines had no seal, and an erasure no last line. A head
// that is reset afterwards stays without one.
func TestAnAuditOfAnEarlierVersionIsSealed(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, quiet, busy := t.Context(), testID(61), testID(62)
		for _, id := range []string{quiet, busy} {
			if err := s.Repos().Orgs.Create(ctx, crm.Organisation{ID: id, Name: "Org", CreatedAt: time.Now()}); err != nil {
				t.Fatal(err)
			}
		}
		erasure := testID(63)
		err := s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			for _, l := range []audit.Line{
				{ID: testID(64), Action: audit.SheetOpened, Object: "x", Detail: audit.Detail{"nome": "Ana"}},
				{ID: erasure, Action: audit.SubjectErased, Object: erasure},
			} {
				l.OrgID, l.At = busy, time.Now()
				if err := r.Audit.Append(ctx, l); err != nil {
					return err
				}
			}
			return r.Erasures.AddErasure(ctx, privacy.Erasure{
				ID: erasure, OrgID: busy, State: privacy.Done, At: time.Now(), Gone: privacy.Counts{},
			})
		})
		blank := func(ctx context.Context, r ports.Repos) error {
			_, err := r.AuditRemovals.Blank(ctx, busy, erasure, ports.AuditTraces{Objects: []string{"x"}}, 9)
			return err
		}
		for _, err := range []error{
			err, s.InTx(ctx, blank),
			s.Writer.Exec("UPDATE audit_heads SET sealed = NULL WHERE number = 0").Error,
			undoFrom(s.Writer, 79), s.Migrate(ctx), s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
		}
		last := func(orgID string) audit.Line {
			head, err := s.Repos().Audit.Head(ctx, orgID)
			if err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
			lines, err := s.Repos().Audit.Page(ctx, orgID, ports.AuditQuery{Limit: 1})
			if err != nil || len(lines) != 1 || lines[0].Number != head.Number || lines[0].Hash != head.Hash {
				t.Fatalf("%s: %v, %v", s.Writer.Name(), lines, err)
			}
			return lines[0]
		}
		if l := last(quiet); l.Action != audit.ChainSealed || l.Number != 1 {
			t.Errorf("%s: %s at %d", s.Writer.Name(), l.Action, l.Number)
		}
		if l := last(busy); l.Action != audit.SubjectEmptied || l.Object != erasure || l.Detail["numeros"] != "1" {
			t.Errorf("%s: %s %v", s.Writer.Name(), l.Action, l.Detail)
		}
		reset := func(tx *gorm.DB) error {
			for _, statement := range []string{
				"DELETE FROM audit_lines", "UPDATE audit_heads SET number = 0, hash = removed_hash, sealed = NULL",
			} {
				if err := tx.Exec(statement).Error; err != nil {
					return err
				}
			}
			return nil
		}
		if err := s.Writer.Transaction(reset); err != nil {
			t.Fatal(err)
		}
		if err := s.Migrate(ctx); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Repos().Audit.Head(ctx, busy); err == nil {
			t.Errorf("%s: a head that was reset is sealed", s.Writer.Name())
		}
	}
}

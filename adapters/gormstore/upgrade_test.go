package gormstore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
)

// laterColumns of lookups are not there yet in the versions that are upgraded.
var laterColumns = []string{"Purpose", "Bureau", "FollowedID", "Compared", "Inputs", "Others", "Spare", "SpareCalls"}

// upgradeRows is the number of lookups: FICHARIO_TEST_ROWS=1000000 gives the figures of docs/operations.md.
func upgradeRows(t *testing.T) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("FICHARIO_TEST_ROWS"))
	if err != nil {
		return 3000
	}
	return n
}

// TestSlowAnUpgradeServesOn: while a database from before purposes and the index of people is migrated, the old
// version's writes continue; afterwards the index is filled beside posts, and misses nobody.
func TestSlowAnUpgradeServesOn(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		t.Run(s.Writer.Name(), func(t *testing.T) {
			ctx, rows := t.Context(), upgradeRows(t)
			a := takeOne(t, s)
			if err := undoFrom(s.Writer, 38); err != nil {
				t.Fatal(err)
			}
			until := time.Now().Add(-4 * time.Minute)
			for from := 0; from < rows; from += 1000 {
				fillLookups(t, s, until, from, min(from+1000, rows))
			}

			began := time.Now()
			stop := func() int { return 0 }
			if s.Writer.Name() == "postgres" { // on SQLite, the old version has ended
				stop = beside(t, func(ctx context.Context, n int) error {
					row := lookupOf(s, time.Now().Add(time.Duration(rows+n)*lookupEvery), rows+n)
					return s.Writer.WithContext(ctx).Omit(laterColumns...).Create(&row).Error
				})
			}
			if err := s.Migrate(ctx); err != nil {
				t.Fatal(err)
			}
			t.Logf("migrated in %s, beside %d lookups", time.Since(began), stop())
			var charged, counted int
			err := errors.Join(
				s.Reader.Raw("SELECT COUNT(*) FROM lookups WHERE charged AND member_id IS NOT NULL").Scan(&charged).Error,
				s.Reader.Raw("SELECT SUM(charged) FROM member_days").Scan(&counted).Error,
			)
			if err != nil || charged < rows/2 || counted != charged {
				t.Errorf("members were charged %d lookups, and %d are counted, %v", charged, counted, err)
			}

			began = time.Now()
			stop = beside(t, func(ctx context.Context, n int) error {
				_, err := s.Repos().Inbox.Take(ctx, takenAt(a.Delivery.At, 100+20*n, fmt.Sprint(n)))
				return err
			})
			if err := s.CatchUp(ctx); err != nil {
				t.Fatal(err)
			}
			t.Logf("%d lookups indexed in %s, beside %d posts", rows, time.Since(began), stop())

			for _, n := range []int{0, rows / 2, rows - 1} {
				his, _ := privacy.OfDocument(documentOf(n))
				p := privacy.Person{OrgID: testID(1), Identities: []privacy.Identity{his}}
				ids, _, err := s.Repos().SubjectTraces.Traces(ctx, &p, privacy.Lookups, "", 10)
				if want := lookupOf(s, until, n); err != nil || len(ids) != 1 || ids[0] != string(want.ID) {
					t.Errorf("traces of person %d: %v, %v; want %s", n, ids, err, want.ID)
				}
			}
			var persons int64
			if err := s.Writer.Model(&privacyrows.TraceRow{}).Distinct("subject").Count(&persons).Error; err != nil ||
				persons < int64(rows) {
				t.Errorf("%d persons in the index, %v; want %d", persons, err, rows)
			}
		})
	}
}

// TestSlowLookupsOfLateRunsAreIndexed by the upgrade: earlier their ids had the time when their run was made, which the
// index of people had already passed.
func TestSlowLookupsOfLateRunsAreIndexed(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, now, of := t.Context(), time.Now(), engine.UID(testID(9))
		takeOne(t, s)
		recent, late := lookupOf(s, now.Add(-time.Hour), 0), lookupOf(s, now.AddDate(0, 0, -3), 1)
		late.AutomationID = &of
		traces := func() int {
			if err := s.CatchUp(ctx); err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
			his, _ := privacy.OfDocument(documentOf(1))
			p := privacy.Person{OrgID: testID(1), Identities: []privacy.Identity{his}}
			ids, _, err := s.Repos().SubjectTraces.Traces(ctx, &p, privacy.Lookups, "", 10)
			if err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
			return len(ids)
		}
		change := func(changes ...error) {
			if err := errors.Join(changes...); err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
		}
		change(s.Writer.Create(&recent).Error)
		traces()
		change(s.Writer.Create(&late).Error)
		if n := traces(); n != 0 {
			t.Fatalf("%s: %d, and this test shows nothing", s.Writer.Name(), n)
		}
		change(undoFrom(s.Writer, 58), s.Migrate(ctx))
		if n := traces(); n != 1 {
			t.Errorf("%s: %d lookups of the person", s.Writer.Name(), n)
		}
	}
}

// beside repeats do until the returned function is called, which says how often it ran, at least once. The program's
// own timeouts apply.
func beside(t *testing.T, do func(ctx context.Context, n int) error) (stop func() int) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var done int
	first := make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		begun := sync.OnceFunc(func() { close(first) })
		defer begun()
		for ; done == 0 || ctx.Err() == nil; done++ {
			limited, release := context.WithTimeout(t.Context(), engine.Timeout())
			err := do(limited, done)
			release()
			if err != nil {
				t.Errorf("the %dth: %v", done, err)
				return
			}
			begun()
		}
	})
	<-first
	return func() int {
		cancel()
		all.Wait()
		return done
	}
}

func documentOf(n int) document.Document {
	return document.Restore(document.CPF, fmt.Sprintf("%011d", n))
}

// lookupEvery is the time between consecutive lookups of lookupOf.
const lookupEvery = 10 * time.Second

// lookupOf is the nth lookup before a time, each of another person and by one member; every other one is charged.
func lookupOf(s *Store, until time.Time, n int) lookups.LookupRow {
	at, member := until.Add(-time.Duration(n)*lookupEvery).UTC(), engine.UID(testID(8))
	id := fmt.Sprintf("%s%012x", engine.FirstID(at)[:24], n)
	return lookups.LookupRow{
		ID: engine.UID(id), OrgID: engine.UID(testID(1)), MemberID: &member, Product: "cpf", DocType: string(document.CPF),
		At: engine.Stamp(at), Cache: n%2 == 0, Charged: n%2 > 0,
		Document: s.Vault.Seal([]byte(documentOf(n).Value()), "lookups|document|"+id),
		Status:   "concluida", Day: at.Format("2006-01-02"), Month: at.Format("2006-01"),
	}
}

func fillLookups(t *testing.T, s *Store, until time.Time, from, to int) {
	t.Helper()
	some := make([]lookups.LookupRow, 0, to-from)
	for n := from; n < to; n++ {
		some = append(some, lookupOf(s, until, n))
	}
	err := s.Writer.Transaction(func(tx *gorm.DB) error {
		return tx.Omit(laterColumns...).CreateInBatches(some, 250).Error
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAChargeThatEndsWhileChargesAreCounted by an upgrade beside the version before: it may be hours old, where the
// bureau answers later, and is counted as it ends.
func TestAChargeThatEndsWhileChargesAreCounted(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		if s.Writer.Name() != "postgres" {
			continue // on SQLite, the old version has ended
		}
		ctx := t.Context()
		if err := undoFrom(s.Writer, 100); err != nil {
			t.Fatal(err)
		}
		row := lookupOf(s, time.Now().Add(-3*time.Hour), 1)
		settles := time.Now().Add(time.Hour)
		row.Charged, row.Amount, row.Status, row.SettleAt, row.RecordID = true, 4500, string(lookup.Running), &settles, nil
		if err := s.Writer.Create(&row).Error; err != nil {
			t.Fatal(err)
		}
		ends := s.Writer.Begin() // the triggers wait for it
		err := ends.Exec("UPDATE lookups SET charged = false, amount = 0, settle_at = NULL, status = 'falhou'").Error
		if err != nil {
			t.Fatal(err)
		}
		migrated := make(chan error, 1)
		go func() { migrated <- s.Migrate(ctx) }()
		for there := false; !there; {
			if err := s.Reader.Raw("SELECT to_regclass('charge_days') IS NOT NULL").Scan(&there).Error; err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(ends.Commit().Error, <-migrated); err != nil {
			t.Fatal(err)
		}
		var counted int
		err = s.Reader.Raw("SELECT COALESCE(SUM(charged), 0) FROM charge_days").Scan(&counted).Error
		if err != nil || counted != 0 {
			t.Errorf("%d charges are counted that were given back, %v", counted, err)
		}
	}
}

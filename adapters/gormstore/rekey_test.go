package gormstore_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"

	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/batch"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/ports/portstest/kit"
)

func TestSlowDataKeys(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		rec := record(t, orgID)
		born := record(t, orgID) // of a question with inputs, which is found only with them
		born.ID, born.Inputs = "01980000-0000-7000-8000-000000000009", `{"nascimento":"1980-02-29"}`
		if err := open(t, url).Repos().History.Save(t.Context(), born); err != nil {
			t.Fatal(err)
		}
		if err := open(t, url).Repos().History.Save(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		newKey := make([]byte, engine.DataKeySize)
		_, _ = rand.Read(newKey)

		err := open(t, url, newKey).Migrate(t.Context())
		if err == nil || !strings.Contains(err.Error(), "FICHARIO_DATA_KEY") {
			t.Errorf("a wrong key is accepted at start: %v", err)
		}
		rotating := open(t, url, newKey, testKey)
		if err := rotating.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		got, err := rotating.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		if err != nil || got.ID != rec.ID {
			t.Errorf("a record of the old key while rotating: %v", err)
		}
		first := rec.ID
		rec.ID, rec.AnsweredAt = "01980000-0000-7000-8000-000000000002", rec.AnsweredAt.Add(time.Second)
		if err := rotating.Repos().History.Save(t.Context(), rec); err != nil {
			t.Fatal(err)
		}
		hash := hashOf(t, rotating, rec)
		asked := batch.Batch{
			ID: "01980000-0000-7000-8000-000000000004", OrgID: orgID, KeyID: "01980000-0000-7000-8000-000000000005",
			Product: "cpf", Status: batch.Quoted, RequestKey: "pedido", RequestBody: []byte("corpo"), CreatedAt: time.Now(),
		}
		if err := open(t, url).Repos().Batches.Create(t.Context(), asked); err != nil {
			t.Fatal(err)
		}
		after := open(t, url, newKey)
		if err := after.Migrate(t.Context()); err == nil || !strings.Contains(err.Error(), "fichario rekey") {
			t.Errorf("a key that is still needed is left out: %v", err)
		}
		// The earlier records' documents, answers and inputs, a batch's columns, and the key of the index of people.
		for _, want := range []int{7, 0} {
			if n, err := rotating.Rekey(t.Context()); err != nil || n != want {
				t.Errorf("re-encrypted: %d, %v, want %d", n, err, want)
			}
		}
		if err := after.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		old, err := after.Repos().History.Records(t.Context(), ports.AnyOrg, []string{first})
		if err != nil || len(old) != 1 {
			t.Errorf("the record before, with the new key alone: %v", err)
		}
		b, same, err := after.Repos().Batches.ByRequest(t.Context(), asked.OrgID, asked.KeyID, "pedido", []byte("corpo"))
		if err != nil || b.ID != asked.ID || !same {
			t.Errorf("a batch by its request, with the new key alone: %q %v %v", b.ID, same, err)
		}
		withInputs := after.Repos().History.Only(ports.Only{Inputs: born.Inputs})
		if old, err := withInputs.Latest(t.Context(), orgID, "cpf", born.Document); err != nil || old.ID != born.ID {
			t.Errorf("a record with inputs, with the new key alone: %v", err)
		}
		if !bytes.Equal(hashOf(t, after, rec), hash) {
			t.Error("a person is found by another hash with the new key")
		}
		got, err = after.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		if err != nil || got.ID != rec.ID {
			t.Errorf("the newest record with the new key alone: %v", err)
		}
	})
}

// TestRekeyGoesOnBesideABusyService, whose transactions its steps lose against again and again.
func TestRekeyGoesOnBesideABusyService(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		rec, other := record(t, orgID), bytes.Repeat([]byte{8}, engine.DataKeySize)
		kit.Must(t, open(t, url).Repos().History.Save(t.Context(), rec))
		rotating, lost := open(t, url, other, testKey), 0
		kit.Must(t, rotating.Migrate(t.Context()))
		lose := func(db *gorm.DB) {
			if lost < 9 && db.Statement.Table != "" {
				lost++
				_ = db.AddError(&pgconn.PgError{Code: "40P01"})
			}
		}
		kit.Must(t, rotating.Writer.Callback().Update().Before("gorm:update").Register("test:lose", lose))
		kit.Must(t, rotating.Writer.Callback().Delete().Before("gorm:delete").Register("test:lose", lose))
		_, err := rotating.Rekey(t.Context())
		kit.Must(t, err)
		kit.Same(t, "lost", lost, 9)
		after := open(t, url, other)
		kit.Must(t, after.Migrate(t.Context()))
		got, err := after.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		kit.Must(t, err)
		kit.Same(t, "with the new key alone", got.ID, rec.ID)
	})
}

// TestRekeyIsFasterThanABusyService: what is new is passed in steps of many rows, which hold no lock, or a service
// would add rows faster than rekey comes to the end of them.
func TestRekeyIsFasterThanABusyService(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		rec, other := record(t, orgID), bytes.Repeat([]byte{8}, engine.DataKeySize)
		kit.Must(t, open(t, url).Repos().History.Save(t.Context(), rec))
		rotating := open(t, url, other, testKey)
		kit.Must(t, rotating.Migrate(t.Context()))
		for i := range 100 {
			rec.ID = fmt.Sprintf("01980000-0000-7000-8000-%012d", 10+i)
			kit.Must(t, rotating.Repos().History.Save(t.Context(), rec))
		}
		steps, locked := 0, 0
		kit.Must(t, rotating.Writer.Callback().Row().After("gorm:row").Register("test:count", func(db *gorm.DB) {
			if !strings.Contains(db.Statement.SQL.String(), "FROM records ") {
				return
			}
			if _, is := db.Statement.ConnPool.(gorm.TxCommitter); is {
				locked++
			} else {
				steps++
			}
		}))
		_, err := rotating.Rekey(t.Context())
		kit.Must(t, err)
		const columns = 4 // the document, the answer, the inputs, the sources
		if steps > 2*columns || locked > columns {
			t.Errorf("%d statements looked for old values, and %d transactions read some", steps, locked)
		}
	})
}

// TestAKeyThatAnInstanceStillWritesWithIsNeeded, though everything was re-encrypted: the service does not start without
// it, and could not read what that instance has written since.
func TestAKeyThatAnInstanceStillWritesWithIsNeeded(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		other, rec := bytes.Repeat([]byte{8}, engine.DataKeySize), record(t, orgID)
		late, swapped, after := open(t, url, testKey, other), open(t, url, other, testKey), open(t, url, other)
		kit.Must(t, late.Migrate(t.Context()))
		kit.Must(t, swapped.Migrate(t.Context()))
		rekeyed := func() {
			t.Helper()
			_, err := swapped.Rekey(t.Context())
			kit.Must(t, err)
		}
		rekeyed()
		kit.Must(t, late.Repos().History.Save(t.Context(), rec))
		kit.Must(t, late.ProveDataKeys(t.Context()))
		if err := after.Migrate(t.Context()); !errors.Is(err, engine.ErrDataKey) {
			t.Errorf("without the key of an instance that writes: %v", err)
		}
		rekeyed()
		kit.Must(t, after.Migrate(t.Context()))
		got, err := after.Repos().History.Latest(t.Context(), orgID, "cpf", rec.Document)
		kit.Must(t, err)
		kit.Same(t, "with the new key alone", got.ID, rec.ID)
		if err := open(t, url).ProveDataKeys(t.Context()); !errors.Is(err, engine.ErrDataKey) {
			t.Errorf("an instance with the old key alone beside the others: %v", err)
		}
	})
}

// TestARepeatIsKnownWhileTheDataKeyIsRotated: instances that have the keys in another order, or only one of them, know
// the posts of each other, whichever key each writes with.
func TestARepeatIsKnownWhileTheDataKeyIsRotated(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		other := bytes.Repeat([]byte{8}, engine.DataKeySize)
		stores := map[string]*gormstore.Store{
			"old": open(t, url), "old,new": open(t, url, testKey, other), "new,old": open(t, url, other, testKey),
			"new": open(t, url, other),
		}
		o := kit.Org(t, stores["old"])
		w, _ := kit.Hook(t, stores["old"], o.ID)
		for _, c := range [][2]string{
			{"old", "old,new"}, {"old,new", "old"}, {"old,new", "new,old"}, {"new,old", "old,new"}, {"new,old", "old"},
			{"old,new", "new"}, {"new,old", "new"}, {"new", "new,old"},
		} {
			first, again := kit.Arrival(w, kit.ID()), kit.Arrival(w, kit.ID())
			first.People[0].Key, again.People[0].Key = "k"+c[0]+c[1], "k"+c[0]+c[1]
			first.Fingerprint, again.Fingerprint = []byte("a"), []byte("a")
			_, err := stores[c[0]].Repos().Inbox.Take(t.Context(), first)
			kit.Must(t, err)
			got, err := stores[c[1]].Repos().Inbox.Take(t.Context(), again)
			kit.Must(t, err)
			kit.Same(t, c[0]+" and then "+c[1], got, []ports.Receipt{
				{ContactID: first.People[0].Contact.ID, Repeated: true, Same: true},
			})
		}
		kit.Same(t, "contacts", kit.Received(t, stores["old"], w.ID), int64(8))
	})
}

// hashOf is the hash by which a record's person is found.
func hashOf(t *testing.T, s *gormstore.Store, rec lookup.Record) []byte {
	t.Helper()
	i, _ := privacy.OfDocument(rec.Document)
	hashes, err := s.Repos().Subjects.Hashes(t.Context(), rec.OrgID, i)
	if err != nil {
		t.Fatal(err)
	}
	return hashes[0]
}

func record(t *testing.T, orgID string) lookup.Record {
	t.Helper()
	d, err := document.Parse(document.CPF, "52998224725")
	if err != nil {
		t.Fatal(err)
	}
	return lookup.Record{
		ID: "01980000-0000-7000-8000-000000000001", OrgID: orgID, Product: "cpf", Document: d, AnsweredAt: time.Now(),
		Fields: []byte(`{"nome":"FULANA DE TESTE"}`), Raw: []byte(`{"nome":"FULANA DE TESTE"}`),
	}
}

const orgID = "01980000-0000-7000-8000-00000000000a"

// TestTheAuditHoldsUnderAnotherKey: its lines and its head are re-encrypted, and the chain stays intact.
func TestTheAuditHoldsUnderAnotherKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		appendTo := func(s *gormstore.Store, id string) {
			err := s.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
				return r.Audit.Append(t.Context(), audit.Line{
					ID: id, OrgID: orgID, At: time.Now(), Address: "203.0.113.7", Detail: audit.Detail{"nome": "Ana"},
				})
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		appendTo(open(t, url), "01980000-0000-7000-8000-000000000003")
		newKey := make([]byte, engine.DataKeySize)
		_, _ = rand.Read(newKey)
		rotating := open(t, url, newKey, testKey)
		if err := rotating.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if n, err := rotating.Rekey(t.Context()); err != nil || n != 4 { // the head, and the key of the index of people
			t.Errorf("re-encrypted: %d, %v", n, err)
		}
		after := open(t, url, newKey)
		appendTo(after, "01980000-0000-7000-8000-000000000004")
		head, err := after.Repos().Audit.Head(t.Context(), orgID)
		if err != nil {
			t.Fatal(err)
		}
		walk := audit.NewWalk(head)
		lines, err := after.Repos().Audit.Page(t.Context(), orgID, ports.AuditQuery{Ascending: true, Limit: 9})
		for _, l := range lines {
			if f := walk.Next(l); f != nil || l.Detail["nome"] != "Ana" {
				t.Errorf("line %d: %v, %v", l.Number, f, l.Detail)
			}
		}
		if f, _ := walk.End(nil); f != nil || err != nil || len(lines) != 2 {
			t.Errorf("the end: %v, %v, %d lines", f, err, len(lines))
		}
	})
}

// TestAQuestionIsHeldUnderEveryDataKey: while keys are rotated, instances have others first, and one of them asks.
func TestAQuestionIsHeldUnderEveryDataKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		other, purpose := bytes.Repeat([]byte{8}, engine.DataKeySize), "credito"
		before, during := open(t, url), open(t, url, testKey, other, testKey)
		swapped, after := open(t, url, other, testKey), open(t, url, other)
		ends := func(s ports.Store, c ports.Charge) {
			t.Helper()
			_, err := s.Repos().Calls.End(t.Context(), kit.NotSent(c.Entry))
			kit.Must(t, err)
		}
		for _, step := range [][2]ports.Store{
			{before, during}, {during, before}, {during, swapped}, {swapped, during}, {swapped, after}, {after, swapped},
		} {
			if step[0] == swapped && step[1] == after {
				_, err := swapped.Rekey(t.Context())
				kit.Must(t, err)
			}
			for _, only := range []ports.Only{{}, {Purpose: &purpose}} {
				call := func() ports.Charge {
					e := kit.Running(t, kit.ID())
					e.OrgID = orgID
					return ports.Charge{Entry: e, Takes: time.Hour, Only: only, Caps: access.Limits{PerDay: 9, PerMonth: 9}}
				}
				first := call()
				kit.Same(t, "asked", kit.Begins(t, step[0], first), ports.Begun{})
				kit.Same(t, "held", kit.Begins(t, step[1], call()), ports.Begun{Holder: first.Entry.ID})
				ends(step[0], first)
				for _, s := range step { // nothing of either is left
					next := call()
					kit.Same(t, "free", kit.Begins(t, s, next), ports.Begun{})
					ends(s, next)
				}
			}
		}
	})
}

// TestTheNewestAnswerIsServedUnderEveryDataKey: an answer that replaced another while keys are rotated is served by
// every instance.
func TestTheNewestAnswerIsServedUnderEveryDataKey(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		other := bytes.Repeat([]byte{8}, engine.DataKeySize)
		during, swapped := open(t, url, testKey, other), open(t, url, other, testKey)
		old := record(t, orgID)
		for i, s := range []*gormstore.Store{during, swapped, during} {
			newer := old
			newer.ID, newer.AnsweredAt = kit.ID(), old.AnsweredAt.Add(time.Duration(i)*time.Second)
			kit.Must(t, s.Repos().History.Save(t.Context(), newer))
			for _, by := range []*gormstore.Store{during, swapped} {
				got, err := by.Repos().History.Serve(t.Context(), kit.Free(t, kit.ID(), old), time.Time{})
				kit.Must(t, err)
				kit.Same(t, "served", got.ID, newer.ID)
			}
		}
	})
}

// TestFailedSignInsAreCountedTogether by instances with data keys in another order, and after a rotation.
func TestFailedSignInsAreCountedTogether(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, url string) {
		other := bytes.Repeat([]byte{8}, engine.DataKeySize)
		never := func(int) time.Duration { return 0 }
		for n, keys := range [][][]byte{{testKey}, {testKey, other}, {other, testKey}, {other}} {
			s := open(t, url, keys...)
			if n == 3 {
				_, err := open(t, url, other, testKey).Rekey(t.Context())
				kit.Must(t, err)
			}
			before, _, err := s.Repos().Attempts.Attempt(t.Context(), "ana@x.example", kit.At, time.Hour, never)
			kit.Must(t, err)
			kit.Same(t, "before", before, n)
		}
	})
}

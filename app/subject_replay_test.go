package app_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestWhoHasNoDocumentIsNotBlocked: such a person cannot be looked up anyway, so a block is refused, and with it the
// erasure, until it is requested without the block.
func TestWhoHasNoDocumentIsNotBlocked(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	who := privacyapp.SubjectQuery{OrgID: s.orgID, Phone: "(11) 98765-4321"}
	_, err := s.subjects.Erase(t.Context(), owner, who, true)
	equal(t, "with a block", said(err), "requisicao_invalida")
	equal(t, "erasures", len(must(s.subjects.AllErasures(t.Context(), owner, s.orgID))), 0)
	must(s.subjects.Erase(t.Context(), owner, who, false))
}

// TestAnErasureMeetsALookupThatHistoryAnswers: a lookup that read the answer before the erasure cannot write its entry
// after it.
func TestAnErasureMeetsALookupThatHistoryAnswers(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
	must(s.ask(owner, lookups.Request{Document: cpfs[0]}))
	index := &lateIndex{SubjectIndex: s.store.(ports.SubjectIndex), line: func() {
		equal(t, "written late", errors.Is(s.store.Repos().Statement.Add(t.Context(), lookup.Entry{
			ID: lookups.NewKeyID(), OrgID: s.orgID, MemberID: owner.MemberID(), Product: catalog.CPF, At: s.now(), Cache: true,
			Status: lookup.Done, Document: document.Restore(document.CPF, cpfs[0]),
		}), ports.ErrErased), true)
	}}
	subjects := privacyapp.NewSubjects(s.store, index, journal{}, now, s.contacts.PartToErase)
	e := must(s.subjects.Erase(t.Context(), owner, who, false))
	done(subjects.Finish(t.Context(), e.ID))
	for _, line := range must(s.statement.Page(t.Context(), owner, lookups.StatementQuery{})).Entries {
		equal(t, "a document in the statement", line.Document.Value(), "")
	}
}

// lateIndex writes an entry right after the index first caught up.
type lateIndex struct {
	ports.SubjectIndex
	line func()
	once sync.Once
}

func (i *lateIndex) CatchUp(ctx context.Context) error {
	err := i.SubjectIndex.CatchUp(ctx)
	i.once.Do(i.line)
	return err
}

// TestReplayWaitsForAnErasureThatSomebodyHas: a copy made in the middle of an erasure contains the lease of an instance
// that is gone. The erasures after it in the journal are done too.
func TestReplayWaitsForAnErasureThatSomebodyHas(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, repos := s.add("dona", crm.Owner), s.store.Repos()
		first := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "bia@x.example"},
			false))
		second := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "rui@x.example"},
			false))
		must(repos.Erasures.LeaseErasure(t.Context(), first.ID, lookups.NewKeyID(), first.At, first.At.Add(time.Minute)))
		var entries []privacy.Entry
		for _, e := range []privacy.Erasure{first, second} {
			entries = append(entries, privacy.Entry{ID: e.ID, OrgID: e.OrgID, KeyID: e.KeyID, Hashes: e.Hashes, At: e.At})
		}
		replayed, err := s.subjects.Replay(t.Context(), app.Operator(), "", entries)
		equal(t, "replayed", line(replayed, err), "{2 0 0 0 0} <nil>")
		for _, e := range entries {
			equal(t, "state", must(repos.Erasures.FindErasure(t.Context(), ports.AnyOrg, e.ID)).State, privacy.Done)
		}
	})
}

// TestReplayWhileNoServiceRuns: of a lookup that was at the bureau when the copy was made nobody hears any more, and it
// is settled; one that its bureau answers later is left to the service.
func TestReplayWhileNoServiceRuns(t *testing.T) {
	t.Parallel()
	for what, want := range map[string]string{"at once": "{1 0 0 0 0} <nil>", "later": "{0 0 1 0 0} <nil>"} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, by, b := s.add("dona", crm.Owner), s.byKey(wide), &unhurried{}
				e := must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]}, false))
				e = must(s.subjects.Await(t.Context(), e.ID))
				if what == "later" {
					must(s.patiently(b).later(t.Context(), by, lookups.Request{Product: catalog.CPF, Document: cpfs[0]}))
					synctest.Wait()
				} else {
					entry := must(s.ask(by, lookups.Request{Document: cpfs[0]})).Entry
					entry.ID, entry.Status, entry.RecordID = lookups.NewKeyID(), lookup.Running, ""
					must(s.store.Repos().Calls.Begin(t.Context(), ports.Charge{
						Entry: entry, Takes: time.Second, Caps: wide, Shared: true,
					}))
				}
				hashes := must(s.store.Repos().Subjects.Hashes(t.Context(), s.orgID, must(privacy.ByDocument(cpfs[0]))))
				replayed, err := s.subjects.Replay(t.Context(), app.Operator(), "", []privacy.Entry{{
					ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: e.KeyID, Hashes: hashes, At: e.At,
				}})
				equal(t, "replayed", line(replayed, err), want)
			})
		})
	}
}

// TestAVehicleIsErasedByEitherPlate: the old plate of a vehicle and its new one are one vehicle's, so that both are
// blocked, and both are free again.
func TestAVehicleIsErasedByEitherPlate(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ask := func(plate string) string {
			_, err := s.ask(owner, lookups.Request{Product: "veiculo", Document: plate})
			return said(err)
		}
		equal(t, "before", line(ask("ABC1D23"), ask("ABC1323")), line("", ""))
		q := privacyapp.SubjectQuery{OrgID: s.orgID, Document: "ABC1D23"}
		e := must(s.subjects.Erase(t.Context(), owner, q, true))
		e = must(s.subjects.Await(t.Context(), e.ID))
		equal(t, "erased lookups", e.Gone[privacy.Lookups], 2)
		equal(t, "blocked", line(ask("ABC1D23"), ask("ABC1323")), line("titular_bloqueado", "titular_bloqueado"))
		q.Document = "ABC1323"
		done(s.subjects.Unblock(t.Context(), owner, q))
		equal(t, "unblocked", line(ask("ABC1D23"), ask("ABC1323")), line("", ""))
	})
}

// TestAllErasuresAreForTheJournal, however many there are: a replay cannot repeat one that the journal lacks.
func TestAllErasuresAreForTheJournal(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	const n = 501
	done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) (err error) {
		for range n {
			err = errors.Join(err, r.Erasures.AddErasure(t.Context(), privacy.Erasure{
				ID: lookups.NewKeyID(), OrgID: s.orgID, State: privacy.Done, At: s.now(),
			}))
		}
		return err
	}))
	seen := map[string]bool{}
	for _, e := range must(s.subjects.AllErasures(t.Context(), app.Operator(), s.orgID)) {
		seen[e.ID] = true
	}
	equal(t, "erasures", len(seen), n)
}

// TestReplayGoesOnAfterWhatIsNotOfThisCopy: an organisation that is younger than the copy, and a line of another
// database's journal, leave the erasures behind them to be repeated.
func TestReplayGoesOnAfterWhatIsNotOfThisCopy(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	known := must(s.contacts.Create(t.Context(), owner, bia()))
	repos := s.store.Repos()
	key := must(repos.Subjects.KeyID(t.Context()))
	hashes := must(repos.Subjects.Hashes(t.Context(), s.orgID, must(privacy.ByEmail(known.Email))))
	entry := func(orgID, key string) privacy.Entry {
		return privacy.Entry{ID: lookups.NewKeyID(), OrgID: orgID, KeyID: key, Hashes: hashes, At: s.now()}
	}
	replayed, err := s.subjects.Replay(t.Context(), app.Operator(), "", []privacy.Entry{
		entry(lookups.NewKeyID(), key), entry(s.orgID, "another"), entry(s.orgID, key),
	})
	equal(t, "replayed", line(replayed, err), line(privacyapp.Replayed{Again: 1, Unknown: 1, Foreign: 1}, nil))
	_, err = repos.Contacts.Find(t.Context(), s.orgID, known.ID)
	equal(t, "the contact is gone", errors.Is(err, ports.ErrNotFound), true)
}

// TestReplayAddsWhatTheJournalKnows of an erasure that was running when the copy was made, and found more later; in
// whatever order the lines of its journals come.
func TestReplayAddsWhatTheJournalKnows(t *testing.T) {
	t.Parallel()
	for _, copied := range []string{"running", "not begun"} {
		for _, newestFirst := range []bool{false, true} {
			s := inMemory(t)
			owner, repos := s.add("dona", crm.Owner), s.store.Repos()
			hashes := must(repos.Subjects.Hashes(t.Context(), s.orgID, must(privacy.ByDocument(cpfs[0])),
				must(privacy.ByEmail(bia().Email))))
			e := privacy.Erasure{ID: lookups.NewKeyID(), KeyID: must(repos.Subjects.KeyID(t.Context()))}
			if copied == "running" {
				e = must(s.subjects.Erase(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}, true))
			}
			byAddress := must(s.contacts.Create(t.Context(), owner, bia()))
			f := bia()
			f.Name, f.Email = "Rui", "rui@x.example"
			byID := must(s.contacts.Create(t.Context(), owner, f))
			lines := []privacy.Entry{
				{ID: e.ID, OrgID: s.orgID, KeyID: e.KeyID, Block: true, Hashes: hashes[:1], Contacts: []string{byID.ID}},
				{ID: e.ID, OrgID: s.orgID, KeyID: e.KeyID, Block: true, Hashes: hashes},
			}
			if newestFirst {
				slices.Reverse(lines)
			}
			what := line(copied, newestFirst)
			replayed, err := s.subjects.Replay(t.Context(), app.Operator(), "", lines)
			equal(t, what+": replayed", line(replayed, err), line(privacyapp.Replayed{Again: 1}, nil))
			for _, c := range []crm.Contact{byAddress, byID} {
				_, err := repos.Contacts.Find(t.Context(), s.orgID, c.ID)
				equal(t, what+": "+c.Name+" is gone", errors.Is(err, ports.ErrNotFound), true)
			}
			equal(t, what+": blocked", must(repos.SubjectBlocks.Blocked(t.Context(), s.orgID, hashes[1:])), true)
			receipt := must(s.subjects.Erasure(t.Context(), owner, e.ID))
			equal(t, what+": hashes, with that of an address that only the copy has", len(receipt.Hashes), len(hashes)+1)
			equal(t, what+": says that it was repeated", receipt.Replayed.IsZero(), false)
		}
	}
}

package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// mistakes are contacts of up to two people that a team made one, and which of them an erasure is for. The names of the
// contacts are letters; their addresses and notes have them.
var mistakes = map[string]struct {
	cpfs   string   // of a, b, c and so on, as an index of cpfs; - for none
	merges []string // "ab" merges b into a
	shared string   // those who share an address
	edit   string   // the indexes of the CPFs that a member leaves on a afterwards; empty for none
	who    int      // whose CPF is asked for
	erased string
}{
	"a mistake below a merge, for who is above": {cpfs: "-01", merges: []string{"bc", "ab"}, who: 0, erased: "ab"},
	"a mistake below a merge, for who is below": {cpfs: "-01", merges: []string{"bc", "ab"}, who: 1, erased: "c"},
	"two of one person in another's, for those": {cpfs: "011", merges: []string{"ab", "ac"}, who: 1, erased: "bc"},
	"two of one person in another's, for who stayed": {
		cpfs: "011", merges: []string{"ab", "ac"}, who: 0, erased: "a",
	},
	"one of two was merged rightly":                           {cpfs: "0-1", merges: []string{"ab", "ac"}, who: 0, erased: "ab"},
	"one of two was merged wrongly":                           {cpfs: "0-1", merges: []string{"ab", "ac"}, who: 1, erased: "c"},
	"a pair in another's, for the pair":                       {cpfs: "01-", merges: []string{"bc", "ab"}, who: 1, erased: "bc"},
	"a pair in another's, for the other":                      {cpfs: "01-", merges: []string{"bc", "ab"}, who: 0, erased: "a"},
	"the CPF of who stayed was mistyped":                      {cpfs: "01", merges: []string{"ab"}, edit: "1", who: 1, erased: "ab"},
	"three, of whom two are one, below and beside, for one":   {cpfs: "-011", merges: []string{"bc", "ab", "ad"}, who: 0, erased: "ab"},
	"three, of whom two are one, below and beside, for other": {cpfs: "-011", merges: []string{"bc", "ab", "ad"}, who: 1, erased: "cd"},
	"a couple with one address, one below, for the one below": {cpfs: "001", merges: []string{"bc", "ab"}, shared: "ac", who: 1, erased: "c"},
	"a couple with one address, one below, for the other":     {cpfs: "001", merges: []string{"bc", "ab"}, shared: "ac", who: 0, erased: "ab"},
	"merged rightly after the mistake, for the mistake":       {cpfs: "01-", merges: []string{"ab", "ac"}, who: 1, erased: "b"},
	"merged rightly after the mistake, for the others":        {cpfs: "01-", merges: []string{"ab", "ac"}, who: 0, erased: "ac"},
	"three people, for the second":                            {cpfs: "012", merges: []string{"ab", "ac"}, who: 1, erased: "b"},
	"three people, for the third":                             {cpfs: "012", merges: []string{"ab", "ac"}, who: 2, erased: "c"},
	"the CPF became a third one, for that":                    {cpfs: "01", merges: []string{"ab"}, edit: "2", who: 2, erased: "a"},
	"the CPF became a third one, for the other":               {cpfs: "01", merges: []string{"ab"}, edit: "2", who: 1, erased: "b"},
	"a third CPF was added, for that":                         {cpfs: "01", merges: []string{"ab"}, edit: "12", who: 2, erased: "a"},
	"the other's CPF was taken away, for who stayed":          {cpfs: "01", merges: []string{"ab"}, edit: "0", who: 0, erased: "a"},
	"the other's CPF was taken away, for the other":           {cpfs: "01", merges: []string{"ab"}, edit: "0", who: 1, erased: "b"},
}

// TestPeopleWhoWereMergedAreErasedApart: what is told of a person has nothing of whoever was merged with them by
// mistake, and neither has the copy of the journal, replayed, erased more than that.
func TestPeopleWhoWereMergedAreErasedApart(t *testing.T) {
	t.Parallel()
	erasedApart(t, true, true)
}

// TestSlowPeopleWhoWereMergedAreErasedApart is the same without the copy, or where no time passes.
func TestSlowPeopleWhoWereMergedAreErasedApart(t *testing.T) {
	t.Parallel()
	erasedApart(t, false, false)
	erasedApart(t, false, true)
	erasedApart(t, true, false)
}

func erasedApart(t *testing.T, replayed, late bool) {
	t.Helper()
	for what, c := range mistakes {
		t.Run(fmt.Sprint(what, " ", replayed, " ", late), func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, ctx := s.add("dona", crm.Owner), t.Context()
				ids, form := map[string]string{}, func(letter string) contacts.ContactForm {
					return contacts.ContactForm{
						Name: "nome-" + letter, Email: letter + "@x.example", Note: "nota-" + letter,
					}
				}
				for i, n := range strings.Split(c.cpfs, "") {
					f := form(string(rune('a' + i)))
					if strings.Contains(c.shared, f.Email[:1]) {
						f.Email = "both@y.example"
					}
					if n != "-" {
						f.Documents = cpfs[n[0]-'0']
					}
					ids[f.Name[5:]] = must(s.contacts.Create(ctx, owner, f)).ID
				}
				for _, pair := range c.merges {
					done(s.contacts.Merge(ctx, owner, ids[pair[:1]], ids[pair[1:]]))
				}
				if c.edit != "" {
					now := s.contact(ids["a"])
					var left []string
					for _, n := range c.edit {
						left = append(left, cpfs[n-'0'])
					}
					done(s.contacts.Edit(ctx, owner, ids["a"], contacts.ContactForm{
						Name: now.Name, Email: now.Email, Note: now.Note, Documents: strings.Join(left, ","),
					}))
				}
				if late { // a member could no longer part them, but what they were is still kept
					time.Sleep(crm.UndoMerge + time.Hour)
				}
				who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[c.who]}
				told := s.exported(owner, who)
				if replayed {
					repos := s.store.Repos()
					entry := privacy.Entry{
						ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: must(repos.Subjects.KeyID(ctx)), At: s.now(),
						Hashes: must(repos.Subjects.Hashes(ctx, s.orgID, must(privacy.ByDocument(cpfs[c.who])))),
					}
					for _, letter := range strings.Split(c.erased, "") {
						entry.Contacts = append(entry.Contacts, ids[letter])
					}
					again, err := s.subjects.Replay(ctx, app.Operator(), "", []privacy.Entry{entry})
					equal(t, "replayed", line(again, err), "{1 0 0 0 0} <nil>")
				} else {
					s.erase(owner, who)
				}
				equal(t, "left", s.left(owner, who), "map[]")
				var left string
				for letter, id := range ids {
					erased := strings.Contains(c.erased, letter)
					shared := strings.Contains(c.shared, letter)
					equal(t, "what is told of "+letter, !shared && strings.Contains(told, letter+"@x.example"), !shared && erased)
					equal(t, "the name of "+letter, strings.Contains(told, "nome-"+letter), erased)
					equal(t, "the note of "+letter, strings.Contains(told, "nota-"+letter), erased)
					if !erased {
						stays, err := s.store.Repos().Removals.Survivor(ctx, ports.AnyOrg, id)
						if err != nil {
							t.Error(letter, "is gone")
							continue
						}
						now, history, err := s.contacts.Show(ctx, owner, stays)
						done(err)
						left += fmt.Sprint(now.Name, now.Email, now.Note, history)
						if stays == id {
							equal(t, "name", now.Name, "nome-"+letter)
							equal(t, "address", shared || now.Email == letter+"@x.example", true)
						}
						equal(t, "its own history", slices.ContainsFunc(history, func(e crm.Event) bool { return e.ContactID == id }), true)
						continue
					}
					_, err := s.contacts.View(ctx, owner, id)
					equal(t, letter, said(err), "nao_encontrado contact")
				}
				for letter := range ids {
					for _, has := range []string{"nome-" + letter, letter + "@x.example", "nota-" + letter} {
						if strings.Contains(c.shared, letter) && has == letter+"@x.example" {
							continue
						}
						equal(t, has+" is left", strings.Contains(left, has), !strings.Contains(c.erased, letter))
					}
				}
			})
		})
	}
}

// exported is what an export has of contacts.
func (s *setting) exported(owner app.Caller, who privacyapp.SubjectQuery) string {
	s.t.Helper()
	export := must(s.subjects.Export(s.t.Context(), owner, who))
	all := fmt.Sprint(slices.Collect(func(yield func(string) bool) {
		for _, i := range export.Identities {
			yield(i.Value)
		}
	}))
	for _, k := range []privacy.Kind{privacy.Contacts, privacy.Removed} {
		for one, err := range export.Held(s.t.Context(), k) {
			done(err)
			switch one := one.(type) {
			case privacyapp.SubjectContact:
				all += fmt.Sprint(one.Name, one.Email, one.Note, one.Company, one.Events)
			case crm.Removal:
				all += fmt.Sprint(one.Contact.Name, one.Contact.Email, one.Contact.Note)
			}
		}
	}
	return all
}

// TestWhoIsMergedWhileAnErasureWaits: somebody else's contact, merged with the person's after the erasure was asked
// for, stays, whichever of the two it was merged into.
func TestWhoIsMergedWhileAnErasureWaits(t *testing.T) {
	t.Parallel()
	for n := range 4 {
		turned, late := n%2 == 1, n/2 == 1
		inBubble(t, func(t *testing.T, s *setting) {
			owner := s.add("dona", crm.Owner)
			ana, bia := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "bia", cpfs[1])
			who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
			pair := []string{ana, bia}
			if turned {
				pair = []string{bia, ana}
			}
			merged := false
			merge := func(k privacy.Kind) {
				if k == privacy.Lookups && !merged {
					merged = true
					done(s.contacts.Merge(t.Context(), owner, pair[0], pair[1]))
				}
			}
			subjects := s.subjects
			if late { // in the middle of a round
				subjects = privacyapp.NewSubjects(tracedStore{Store: s.store, found: merge}, s.store.(ports.SubjectIndex),
					journal{}, now, s.contacts.PartToErase)
			}
			e := must(subjects.Erase(t.Context(), owner, who, false))
			if !late {
				merge(privacy.Lookups)
			}
			must(subjects.Await(t.Context(), e.ID))
			equal(t, "merged meanwhile", merged, true)
			equal(t, "left", s.left(owner, who), "map[]")
			stays, history, err := s.contacts.Show(t.Context(), owner, bia)
			done(err)
			equal(t, "who stays", line(stays.Name, stays.Email, stays.Note), "bia bia@x.example nota de bia")
			for _, e := range history {
				equal(t, "the erased one's name", strings.Contains(e.Subject, "ana"), false)
			}
		})
	}
}

// TestOneAfterTheOther: after somebody was taken out of a contact, the others in it are still one person.
func TestOneAfterTheOther(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, bia, caio := s.whose(owner, "ana", ""), s.whose(owner, "bia", cpfs[0]), s.whose(owner, "caio", cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, bia, caio))
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]})
		now := s.contact(ana)
		equal(t, "who is left", line(now.Name, len(now.Documents), strings.Contains(now.Note, "caio")), "ana 1 false")
		done(s.contacts.Part(t.Context(), owner, ana, bia))
		now = s.contact(bia)
		equal(t, "and was merged", line(now.Name, len(now.Documents), now.Note), "bia 1 nota de bia")
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		_, err := s.contacts.View(t.Context(), owner, ana)
		equal(t, "the other is erased whole", said(err), "nao_encontrado contact")
	})
}

// TestWhoWasMergedLongAgo is the one into whose contact theirs was merged, not the other one in it.
func TestWhoWasMergedLongAgo(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, also := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "also", "")
		bia, hers := s.whose(owner, "bia", cpfs[1]), s.whose(owner, "hers", "")
		done(s.contacts.Merge(t.Context(), owner, ana, also))
		done(s.contacts.Merge(t.Context(), owner, bia, hers))
		time.Sleep(crm.UndoMerge - time.Hour)
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		time.Sleep(2 * time.Hour)
		done(s.contacts.ForgetRemoved(t.Context()))
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "hers@x.example"})
		equal(t, "who stays", line(s.contact(ana).Name, len(s.contact(ana).Documents)), "ana 1")
		_, err := s.contacts.View(t.Context(), owner, bia)
		equal(t, "who goes", said(err), "nao_encontrado contact")
	})
}

// whose makes a contact of a person; cpf may be empty.
func (s *setting) whose(owner app.Caller, name, cpf string) string {
	s.t.Helper()
	form := contacts.ContactForm{Name: name, Email: name + "@x.example", Documents: cpf, Note: "nota de " + name}
	return must(s.contacts.Create(s.t.Context(), owner, form)).ID
}

// TestTwoBroughtTheSame: of two that were merged with the same document, the one that is parted last takes it along.
func TestTwoBroughtTheSame(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, bia, caio := s.whose(owner, "ana", ""), s.whose(owner, "bia", cpfs[0]), s.whose(owner, "caio", cpfs[0])
		for _, order := range [][]string{{bia, caio}, {caio, bia}} {
			done(s.contacts.Merge(t.Context(), owner, ana, bia))
			done(s.contacts.Merge(t.Context(), owner, ana, caio))
			for n, one := range order {
				equal(t, "documents beside who is still merged", len(s.contact(ana).Documents), 1)
				done(s.contacts.Part(t.Context(), owner, ana, one))
				equal(t, line("documents of who left", n), len(s.contact(one).Documents), 1)
			}
			equal(t, "documents of who stayed", len(s.contact(ana).Documents), 0)
		}
	})
}

// TestWhatIsOnesOwnStays: the value that a contact had by itself is not taken for what it got from whom it is parted.
func TestWhatIsOnesOwnStays(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ids := s.add("dona", crm.Owner), [3]string{}
		for i, f := range []contacts.ContactForm{
			{Name: "Ana", Email: "ana@x.example", Documents: cpfs[0], Company: "Aroeira"}, {Name: "Ana Lima", Email: "analima@x.example", Documents: cpfs[0]},
			{Name: "Bia", Email: "bia@x.example", Documents: cpfs[1], Company: "Aroeira"},
		} {
			ids[i] = must(s.contacts.Create(t.Context(), owner, f)).ID
		}
		done(s.contacts.Merge(t.Context(), owner, ids[1], ids[2]))
		done(s.contacts.Merge(t.Context(), owner, ids[0], ids[1]))
		told := s.exported(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]})
		equal(t, "told", line(strings.Contains(told, "Aroeira"), strings.Contains(told, "Bia")), "true false")
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]})
		equal(t, "who stays", line(s.contact(ids[0]).Company, len(s.contact(ids[0]).Documents)), "Aroeira 1")
	})
}

// TestWhoIsOnlyMentionedInAMergedContact: somebody's document stood in another person's contact that was merged. An
// erasure takes it out, and leaves that contact its history, so that it can be parted.
func TestWhoIsOnlyMentionedInAMergedContact(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, both := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "analima", cpfs[0]+","+cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, ana, both))
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]})
		equal(t, "documents of who stayed", len(s.contact(ana).Documents), 1)
		done(s.contacts.Part(t.Context(), owner, ana, both))
		back, history, err := s.contacts.Show(t.Context(), owner, both)
		done(err)
		equal(t, "who comes back", line(back.Name, len(back.Documents), len(history) > 1), "analima 1 true")
	})
}

// TestWhoIsInSomebodyElsesContact: an export has the history of a contact that was merged by mistake.
func TestWhoIsInSomebodyElsesContact(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, bia := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "bia", cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		export := must(s.subjects.Export(t.Context(), owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[1]}))
		var told []string
		for one, err := range export.Held(t.Context(), privacy.Contacts) {
			done(err)
			c := one.(privacyapp.SubjectContact)
			told = append(told, line(c.Name, c.Partly, len(c.Events)))
		}
		equal(t, "contacts", line(told), line([]string{"bia false 1", " true 0"}))
	})
}

// TestAReplayKeepsWhomTheJournalCouldNotTell: when the person was erased, what was merged into their contact was no
// longer kept, so that its id is the person's in the journal. In the copy it can be read, and is somebody else's.
func TestAReplayKeepsWhomTheJournalCouldNotTell(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, repos := s.add("dona", crm.Owner), s.store.Repos()
		ana, bia := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "bia", cpfs[1])
		also := s.whose(owner, "biasouza", cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		_, err := s.subjects.Replay(t.Context(), app.Operator(), "", []privacy.Entry{{
			ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: must(repos.Subjects.KeyID(t.Context())), At: s.now(),
			Hashes:   must(repos.Subjects.Hashes(t.Context(), s.orgID, must(privacy.ByDocument(cpfs[0])))),
			Contacts: []string{ana, bia},
		}})
		done(err)
		_, err = s.contacts.View(t.Context(), owner, ana)
		equal(t, "who is erased", said(err), "nao_encontrado contact")
		equal(t, "who stays", line(s.contact(bia).Name, s.contact(also).Name), "bia biasouza")
	})
}

// TestWhoIsInAContactThatCannotBeRead is parted from it all the same before it is erased.
func TestWhoIsInAContactThatCannotBeRead(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		ana, bia := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "bia", cpfs[1])
		done(s.contacts.Merge(t.Context(), owner, ana, bia))
		done(s.store.(*gormstore.Store).Writer.Exec("UPDATE contacts SET documents = ?, note = ? WHERE id = ?", []byte{1},
			[]byte{1}, ana).Error)
		equal(t, "ana's can be read", s.contact(ana).Unreadable, true)
		equal(t, "a member parts them", said(s.contacts.Part(t.Context(), owner, ana, bia)), "requisicao_invalida contact")
		s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"})
		equal(t, "who stays", line(s.contact(bia).Name, len(s.contact(bia).Documents)), "bia 1")
	})
}

// TestNobodyIsToldOfAPartingBeforeAnErasure of the one who stayed; of somebody else they are.
func TestNobodyIsToldOfAPartingBeforeAnErasure(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		s.listen(automation.ContactUpdated, "")
		ana, bia := s.whose(owner, "ana", cpfs[0]), s.whose(owner, "bia", cpfs[1])
		for _, tell := range []bool{false, true} {
			done(s.contacts.Merge(t.Context(), owner, ana, bia))
			before := len(must(s.jobsOf(automation.FanOut)))
			done(s.contacts.PartToErase(t.Context(), ana, bia, tell))
			equal(t, line("told:", tell), len(must(s.jobsOf(automation.FanOut))) > before, tell)
		}
	})
}

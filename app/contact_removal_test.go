package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestADeletedContact is gone, can be restored for a while, and is then forgotten.
func TestADeletedContact(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana := s.add("dona", crm.Owner), s.add("ana", crm.Common)
		theirs := s.another().add("rui", crm.Owner)
		c := s.arrive(s.hook(webhook.Signature{}), "bia")
		for by, want := range map[app.Caller]string{
			ana: "nao_permitido", theirs: "nao_encontrado contact", {}: "nao_encontrado member",
		} {
			equal(t, "deleted by another", said(s.contacts.Delete(t.Context(), by, c.ID)), want)
		}
		done(s.contacts.Delete(t.Context(), owner, c.ID))
		_, err := s.contacts.View(t.Context(), owner, c.ID)
		equal(t, "a deleted contact", said(err), "nao_encontrado contact")
		equal(t, "deleted again", said(s.contacts.Delete(t.Context(), owner, c.ID)), "nao_encontrado contact")
		_, _, err = s.contacts.Removed(t.Context(), theirs, c.ID)
		equal(t, "another's deleted contact", said(err), "nao_encontrado contact")
		equal(t, "brought back by another", said(s.contacts.Undelete(t.Context(), theirs, c.ID)), "nao_encontrado contact")
		equal(t, "brought back by a member", said(s.contacts.Undelete(t.Context(), ana, c.ID)), "nao_permitido")
		done(s.contacts.Undelete(t.Context(), owner, c.ID))
		equal(t, "brought back", s.contact(c.ID).Email, c.Email)
		equal(t, "its history", s.kinds(c.ID), "criado restaurado")
		equal(t, "brought back twice", said(s.contacts.Undelete(t.Context(), owner, c.ID)), "nao_encontrado contact")

		done(s.contacts.Delete(t.Context(), owner, c.ID))
		time.Sleep(crm.UndoDeletion + time.Second)
		synctest.Wait()
		equal(t, "brought back too late", said(s.contacts.Undelete(t.Context(), owner, c.ID)), "requisicao_invalida contact")
		time.Sleep(crm.UndoDeletion)
		done(s.contacts.ForgetRemoved(t.Context()))
		equal(t, "history that is kept", len(must(s.store.Repos().ContactHistory.Events(t.Context(), ports.AnyOrg, c.ID))), 0)
	})
}

// TestTwoContactsBecomeOne: nothing is lost, and they can be parted.
func TestTwoContactsBecomeOne(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	ana := s.add("ana", crm.Common)
	theirs := s.another().add("rui", crm.Owner)
	hook := s.hook(webhook.Signature{})
	receive := func(body string) string {
		t.Helper()
		return must(s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", body))).ContactID
	}
	first := receive(`{"nome":"Bia","email":"bia@x.example","mensagem":"um"}`)
	later := `{"nome":"Bia Rocha","email":"BIA@x.example","telefone":"11 98765-4321","cpf":"529.982.247-25","mensagem":"dois"}`
	second := receive(later)
	alike := must(s.contacts.Alike(t.Context(), ana, first))
	equal(t, "alike", line(len(alike), alike[0].ID == second, alike[0].By), "1 true [mesmo e-mail]")
	before := must(s.contacts.CameBefore(t.Context(), ana, []string{first, second}))
	equal(t, "came before", line(len(before), before[second].Times, before[second].Last.ID == first), "1 1 true")
	for what, ids := range map[string][2]string{"itself": {first, first}, "none": {first, lookups.NewKeyID()}} {
		want := map[string]string{"itself": "requisicao_invalida contact", "none": "nao_encontrado contact"}[what]
		equal(t, what, said(s.contacts.Merge(t.Context(), ana, ids[0], ids[1])), want)
	}
	equal(t, "another's", said(s.contacts.Merge(t.Context(), theirs, first, second)), "nao_encontrado contact")

	was, other := s.contact(first), s.contact(second)
	preview := must(s.contacts.PreviewMerge(t.Context(), ana, first, second))
	done(s.contacts.Merge(t.Context(), ana, first, second))
	got := s.contact(first)
	equal(t, "what it is then", got.Version(), preview.After.Version())
	equal(t, "its fields", line(got.Name, got.Email, got.PhoneE164, len(got.Documents)), "Bia bia@x.example +5511987654321 1")
	for _, kept := range []string{"um", "dois", "Bia Rocha"} {
		equal(t, kept+" is in its note", strings.Contains(got.Note, kept), true)
	}
	equal(t, "its history", s.kinds(first), "criado criado unido")
	equal(t, "a retry is answered with it", receive(later), first)
	_, survivor, err := s.contacts.Removed(t.Context(), ana, second)
	equal(t, "where the other leads", line(survivor == first, said(err)), "true ")
	equal(t, "what can be parted", len(must(s.contacts.Merges(t.Context(), ana, first))), 1)

	done(s.contacts.Note(t.Context(), ana, first, "três"))
	equal(t, "parted by another", said(s.contacts.Part(t.Context(), theirs, first, second)), "nao_encontrado contact")
	done(s.contacts.Part(t.Context(), ana, first, second))
	got = s.contact(first)
	equal(t, "parted", line(got.PhoneE164, len(got.Documents), got.Note), line(was.PhoneE164, 0, was.Note+"\n\ntrês"))
	equal(t, "the other", s.contact(second).Version(), other.Version())
	equal(t, "a retry is answered with the other", receive(later), second)
	equal(t, "parted twice", said(s.contacts.Part(t.Context(), ana, first, second)), "nao_encontrado contact")
}

// TestAListGoesOnAfterAContactThatIsGone; once its place is no longer known, the list starts again.
func TestAListGoesOnAfterAContactThatIsGone(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		s.arrive(hook, name)
	}
	page := func(q contacts.ContactSearch, after string) contacts.Page {
		t.Helper()
		return must(s.contacts.Search(t.Context(), owner, q, after, "", 2))
	}
	byName := contacts.ContactSearch{Order: crm.ByName, Ascending: true}
	for _, c := range []struct {
		of         contacts.ContactSearch
		next, anew string
	}{{contacts.ContactSearch{}, "c false", "c false"}, {byName, "c false", "a true"}} {
		gone := page(c.of, "").Contacts[1]
		done(s.contacts.Delete(t.Context(), owner, gone.ID))
		next := page(c.of, gone.ID)
		equal(t, "the next page", line(next.Contacts[0].Name, next.First), c.next)
		must(s.store.Repos().Removals.Forget(t.Context(), s.now().Add(time.Hour), s.now()))
		next = page(c.of, gone.ID)
		equal(t, "when it is forgotten", line(next.Contacts[0].Name, next.First), c.anew)
	}
}

// TestWhoComesBackMeetsHisAutomations: what came due while a contact was deleted runs once that is undone, even with a
// condition; for one that stays deleted nothing runs.
func TestWhoComesBackMeetsHisAutomations(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		rule := s.rule(automations.NewAutomation{
			Action: automation.AddNote, Text: "ligar", WebhookID: hook.ID,
		})
		back, gone := s.arrive(hook, "bia"), s.arrive(hook, "caio")
		for _, c := range []crm.Contact{back, gone} {
			done(s.contacts.Delete(t.Context(), owner, c.ID))
		}
		s.work(s.worker(), 10*time.Second)
		done(s.contacts.Undelete(t.Context(), owner, back.ID))
		for range 5 {
			time.Sleep(time.Minute)
			done(s.contacts.ForgetRemoved(t.Context()))
			s.work(s.worker(), 10*time.Second)
		}
		equal(t, "who came back", s.contact(back.ID).Note, "ligar")
		ends := map[string]string{}
		filter := automation.JobFilter{AutomationID: rule.ID}
		for _, job := range must(s.automations.Runs(t.Context(), owner, s.orgID, filter, "", 9)) {
			ends[job.ContactID] = line(job.State, job.Result)
		}
		equal(t, "who stayed away", ends[gone.ID], "done o contato não existe mais")
		equal(t, "runs", len(ends), 2)
	})
}

// TestWhoBecamePartOfAnotherIsErasedWithHim: an erasure by an identity that only the merged contact had, while the two
// can still be parted and long after.
func TestWhoBecamePartOfAnotherIsErasedWithHim(t *testing.T) {
	t.Parallel()
	for what, later := range map[string]time.Duration{"soon": 0, "long after": crm.UndoMerge + time.Hour} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner := s.add("dona", crm.Owner)
				hook := s.hook(webhook.Signature{})
				bia, ana := s.arrive(hook, "bia"), s.arrive(hook, "ana")
				other := s.arrive(hook, "mariana")
				done(s.contacts.Merge(t.Context(), owner, bia.ID, ana.ID))
				equal(t, "her address is in the note", strings.Contains(s.contact(bia.ID).Note, "ana@x.example"), true)
				time.Sleep(later)
				done(s.contacts.ForgetRemoved(t.Context()))
				who := privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"}
				held := must(s.subjects.Count(t.Context(), owner, who, 0))
				equal(t, "contacts that are held", held.Counts[privacy.Contacts], 1)
				done(s.subjects.Finish(t.Context(), must(s.subjects.Erase(t.Context(), owner, who, false)).ID))
				_, err := s.contacts.View(t.Context(), owner, bia.ID)
				equal(t, "the one contact that they were", said(err), "nao_encontrado contact")
				equal(t, "another one", s.contact(other.ID).Email, "mariana@x.example")
			})
		})
	}
}

// TestWhoWasMergedByMistakeIsErasedAlone: contacts of two people with a CPF each were merged. What is told and erased
// of one of them has nothing of the other, whose contact stays, without the other's name, note and history.
func TestWhoWasMergedByMistakeIsErasedAlone(t *testing.T) {
	t.Parallel()
	names := [2]string{"rita", "sara"}
	for what, c := range map[string]struct {
		erased int
		who    privacyapp.SubjectQuery
		parted bool
	}{
		"the one that stayed, by document":   {0, privacyapp.SubjectQuery{Document: cpfs[0]}, false},
		"the one that stayed, by address":    {0, privacyapp.SubjectQuery{Email: "rita@x.example"}, false},
		"the merged one, by document":        {1, privacyapp.SubjectQuery{Document: cpfs[1]}, false},
		"the merged one, by address":         {1, privacyapp.SubjectQuery{Email: "sara@x.example"}, false},
		"the one that stayed, after parting": {0, privacyapp.SubjectQuery{Document: cpfs[0]}, true},
		"the merged one, after parting":      {1, privacyapp.SubjectQuery{Email: "sara@x.example"}, true},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				var ids [2]string
				for i, name := range names {
					body := fmt.Sprintf(`{"nome":"%s souza","email":"%s@x.example","cpf":%q,"mensagem":"nota de %s"}`, name, name,
						cpfs[i], name)
					ids[i] = must(s.intake.Receive(t.Context(), hook, post(body))).ContactID
				}
				done(s.contacts.Merge(t.Context(), owner, ids[0], ids[1]))
				if c.parted {
					done(s.contacts.Part(t.Context(), owner, ids[0], ids[1]))
				}
				c.who.OrgID = s.orgID
				other := names[1-c.erased]
				export := must(s.subjects.Export(t.Context(), owner, c.who))
				equal(t, "the other's address among those told",
					slices.ContainsFunc(export.Identities, func(i privacy.Identity) bool {
						return strings.Contains(i.Value, other)
					}), false)
				s.erase(owner, c.who)
				equal(t, "what is left", s.left(owner, c.who), "map[]")
				stays, history, err := s.contacts.Show(t.Context(), owner, ids[1-c.erased])
				done(err)
				equal(t, "who stays", fmt.Sprint(stays.Name, stays.Email, len(stays.Documents)), other+" souza"+other+"@x.example1")
				equal(t, "the other's note", stays.Note, "nota de "+other)
				for _, e := range history {
					equal(t, "the erased one's name in "+string(e.Kind), strings.Contains(e.Subject, names[c.erased]), false)
				}
				_, err = s.contacts.View(t.Context(), owner, ids[c.erased])
				equal(t, "who is erased", said(err), "nao_encontrado contact")
			})
		})
	}
}

// TestAnAddressIsFoundHoweverItIsWritten: with an accent that stands apart from its letter, or on a capital, and asked
// for so.
func TestAnAddressIsFoundHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	together, apart, capital := "jos\u00e9@x.example", "jose\u0301@x.example", "JOS\u00c9@X.example"
	for _, c := range [][2]string{
		{apart, together}, {together, apart}, {apart, apart}, {capital, together}, {capital, capital}, {capital, apart},
		{"\u00c9rica.Jos\u00e9@x.example", "\u00e9rica.jos\u00e9@x.example"},
	} {
		inBubble(t, func(t *testing.T, s *setting) {
			owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
			jose := must(s.intake.Receive(t.Context(), hook, post(fmt.Sprintf(`{"email":%q}`, c[0])))).ContactID
			s.erase(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: c[1]})
			_, err := s.contacts.View(t.Context(), owner, jose)
			equal(t, fmt.Sprintf("%+q asked for as %+q", c[0], c[1]), said(err), "nao_encontrado contact")
		})
	}
}

// TestAnErasureGoesFromAContactToThoseMergedIntoIt: by the address of the one that stayed, and by a document from which
// the merged one's own address is learnt; but not to a contact of somebody else, with another CPF.
func TestAnErasureGoesFromAContactToThoseMergedIntoIt(t *testing.T) {
	t.Parallel()
	come := func(s *setting, hook webhook.Hook, name, cpf string) string {
		body := fmt.Sprintf(`{"nome":%q,"email":"%s@x.example","cpf":%q}`, name, name, cpf)
		return must(s.intake.Receive(s.t.Context(), hook, post(body))).ContactID
	}
	for what, c := range map[string]struct {
		bia, ana string // their CPF
		erased   privacyapp.SubjectQuery
		later    time.Duration
		left     string
		bodies   int // of posts that stay
	}{
		"by the address of the one that stayed": {erased: privacyapp.SubjectQuery{Email: "bia@x.example"}, left: "map[]"},
		"by the address of the one that stayed, long after": {
			erased: privacyapp.SubjectQuery{Email: "bia@x.example"}, later: crm.UndoMerge + time.Hour, left: "map[]",
		},
		"by the document of the merged one": {
			ana: cpfs[0], erased: privacyapp.SubjectQuery{Document: cpfs[0]}, left: "map[]",
		},
		"by the address of whom somebody else became part of": {
			bia: cpfs[0], ana: cpfs[1], erased: privacyapp.SubjectQuery{Email: "bia@x.example"},
			left: "map[contatos:1 contatosExcluidos:1 entregas:2 historico:4]", bodies: 2,
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			inBubble(t, func(t *testing.T, s *setting) {
				owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
				bia, ana := come(s, hook, "bia", c.bia), come(s, hook, "ana", c.ana)
				twice := come(s, hook, "caio", "")
				done(s.contacts.Merge(t.Context(), owner, ana, twice))
				done(s.contacts.Merge(t.Context(), owner, bia, ana))
				time.Sleep(c.later)
				done(s.contacts.ForgetRemoved(t.Context()))
				c.erased.OrgID = s.orgID
				events := must(s.store.Repos().ContactHistory.Events(t.Context(), ports.AnyOrg, bia))
				if c.bia != "" && c.ana != "" {
					events = slices.DeleteFunc(events, func(e crm.Event) bool { return e.ContactID != bia })
				}
				held := must(s.subjects.Count(t.Context(), owner, c.erased, 0))
				equal(t, "what happened to them, each once", held.Counts[privacy.Happenings], len(events))
				s.erase(owner, c.erased)
				equal(t, "left by the address of the merged one",
					s.left(owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"}), c.left)
				bodies := 0
				for _, d := range s.deliveries(hook) {
					if len(must(s.intake.Delivery(t.Context(), app.Operator(), d.ID)).Body) > 0 {
						bodies++
					}
				}
				equal(t, "bodies that stay", bodies, c.bodies)
			})
		})
	}
}

// TestAReceiptCountsTheHistoryThatWasShown: also the entries that are read from the contacts themselves, each once.
func TestAReceiptCountsTheHistoryThatWasShown(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		ctx, owner, hook := t.Context(), s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		for i, name := range []string{"ana", "bia", "caio"} {
			who := privacyapp.SubjectQuery{OrgID: s.orgID, Email: name + "@x.example"}
			body := fmt.Sprintf(`{"nome":%q,"email":%q}`, name, who.Email)
			one := must(s.intake.Receive(ctx, hook, post(body))).ContactID
			done(s.contacts.Note(ctx, owner, one, "ligar"))
			if i > 0 {
				again := must(s.intake.Receive(ctx, hook, post(body[:len(body)-1]+`,"nota":"de novo"}`))).ContactID
				done(s.contacts.Merge(ctx, owner, one, again))
			}
			if i > 1 { // its entry is stored since then
				done(s.contacts.Delete(ctx, owner, one))
				done(s.contacts.Undelete(ctx, owner, one))
			}
			held := must(s.subjects.Count(ctx, owner, who, 0)).Counts
			receipt := must(s.subjects.Await(ctx, must(s.subjects.Erase(ctx, owner, who, false)).ID))
			equal(t, "erased of "+name, line(receipt.Gone[privacy.Contacts], receipt.Gone[privacy.Happenings]),
				line(held[privacy.Contacts], held[privacy.Happenings]))
		}
	})
}

// TestLookupsOfBoth: those of a contact that became part of another are that one's, until the two are parted.
func TestLookupsOfBoth(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook := s.add("dona", crm.Owner), s.hook(webhook.Signature{})
		into, from := s.arrive(hook, "ana").ID, s.arrive(hook, "bia").ID
		asked := must(s.ask(owner, lookups.Request{Document: cpfs[0], ContactID: from})).Entry
		shown := func() string {
			sheet := must(s.lookups.Show(t.Context(), owner, asked.ID))
			return line(len(must(s.contacts.Documents(t.Context(), owner, into))), sheet.Contact.ID == into)
		}
		equal(t, "before", shown(), "0 false")
		done(s.contacts.Merge(t.Context(), owner, into, from))
		equal(t, "as one", shown(), "1 true")
		done(s.contacts.Part(t.Context(), owner, into, from))
		equal(t, "parted", shown(), "0 false")
	})
}

// TestWhoWaitsAfterAMerge: where one of two waits, the one that they become waits too, whichever stays, unless a member
// has answered the other since.
func TestWhoWaitsAfterAMerge(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook, ctx := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), t.Context()
		call := func(c crm.Contact) { done(s.contacts.Called(ctx, owner, c.ID)) }
		arrive := func(name string) crm.Contact {
			time.Sleep(time.Hour)
			return s.arrive(hook, name)
		}
		cases := []struct {
			what  string
			make  func() (one, other crm.Contact)
			waits bool
		}{
			{"who was answered came again", func() (one, other crm.Contact) {
				one = arrive("a")
				call(one)
				return one, arrive("b")
			}, true},
			{"and was answered again", func() (one, other crm.Contact) {
				one = arrive("a")
				call(one)
				other = arrive("b")
				time.Sleep(time.Hour)
				done(s.contacts.Note(ctx, owner, one.ID, "ligar amanhã"))
				return one, other
			}, false},
			{"the later one was answered", func() (one, other crm.Contact) {
				one, other = arrive("a"), arrive("b")
				time.Sleep(time.Hour)
				call(other)
				return one, other
			}, false},
			{"the earlier one was answered later", func() (one, other crm.Contact) {
				one, other = arrive("a"), arrive("b")
				time.Sleep(time.Hour)
				call(one)
				return one, other
			}, false},
			{"answered under a name that the member had then", func() (one, other crm.Contact) {
				one, other = arrive("a"), arrive("b")
				time.Sleep(time.Hour)
				call(other)
				name := "Nome novo"
				done(s.members.Update(ctx, owner, owner.MemberID(), team.MemberChange{Name: &name}))
				return one, other
			}, false},
			{"a member made the other", func() (one, other crm.Contact) {
				one = arrive("a")
				time.Sleep(time.Hour)
				return one, s.contact(must(s.contacts.Create(ctx, owner, bia())).ID)
			}, true},
			{"both wait", func() (one, other crm.Contact) { return arrive("a"), arrive("b") }, true},
			{"none waits", func() (one, other crm.Contact) {
				one, other = arrive("a"), arrive("b")
				call(one)
				call(other)
				return one, other
			}, false},
		}
		for _, c := range cases {
			for _, turned := range []bool{false, true} {
				into, from := c.make()
				if turned {
					into, from = from, into
				}
				into, from = s.contact(into.ID), s.contact(from.ID)
				shown := must(s.contacts.PreviewMerge(ctx, owner, into.ID, from.ID)).After.Waiting
				done(s.contacts.Merge(ctx, owner, into.ID, from.ID))
				equal(t, line(c.what, turned), line(s.contact(into.ID).Waiting, shown), line(c.waits, c.waits))
				done(s.contacts.Part(ctx, owner, into.ID, from.ID))
				equal(t, line(c.what, turned, "parted"), line(s.contact(into.ID).Waiting, s.contact(from.ID).Waiting),
					line(into.Waiting, from.Waiting))
			}
		}
	})
}

// TestWhoWasAnsweredAsOneIsAnswered: of two that were answered while they were one, none waits after they are parted.
func TestWhoWasAnsweredAsOneIsAnswered(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook, ctx := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), t.Context()
		for _, first := range []bool{true, false} {
			one := s.arrive(hook, "a")
			time.Sleep(time.Hour)
			other := s.arrive(hook, "b")
			answered := other
			if first {
				answered = one
			}
			time.Sleep(time.Hour)
			done(s.contacts.Called(ctx, owner, answered.ID))
			if first { // and comes again
				time.Sleep(time.Hour)
				other = s.arrive(hook, "c")
			}
			done(s.contacts.Merge(ctx, owner, one.ID, other.ID))
			time.Sleep(time.Hour)
			done(s.contacts.Called(ctx, owner, one.ID))
			done(s.contacts.Part(ctx, owner, one.ID, other.ID))
			equal(t, line("wait, answered first", first), line(s.contact(one.ID).Waiting, s.contact(other.ID).Waiting),
				line(false, false))
		}
	})
}

// TestHowLongAMergedContactWaited: since its newest arrival, if the merge made it wait again.
func TestHowLongAMergedContactWaited(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, hook, ctx := s.add("dona", crm.Owner), s.hook(webhook.Signature{}), t.Context()
		answered := func(c crm.Contact) {
			time.Sleep(time.Hour)
			done(s.contacts.Called(ctx, owner, c.ID))
		}
		first := s.arrive(hook, "a")
		answered(first)
		for _, name := range []string{"b", "c"} {
			time.Sleep(48 * time.Hour)
			again := s.arrive(hook, name)
			done(s.contacts.Merge(ctx, owner, first.ID, again.ID))
			answered(first)
		}
		got := must(s.contacts.Waits(ctx, owner, 30))
		equal(t, "answers", line(got.Waiting, got.Members[0].Answers, got.Members[0].Mean), "0 3 1h0m0s")
	})
}

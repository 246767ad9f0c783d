package app_test

import (
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// funnel returns the default funnel of the organisation.
func (s *setting) funnel(by app.Caller) crm.Funnel {
	s.t.Helper()
	return must(s.funnels.List(s.t.Context(), by, s.orgID))[0]
}

// TestFunnelsAreEdited step by step, each with its fault and the stages afterwards.
func TestFunnelsAreEdited(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner, common := s.add("dona", crm.Owner), s.add("ana", crm.Common)
	ctx, id, nobody := t.Context(), s.funnel(owner).ID, lookups.NewKeyID()
	stage := func(i int) string { return s.funnel(owner).Stages[i].ID }
	was := "Novo, Em contato, Proposta, Negociação, Ganho (won), Perdido (lost)"
	for _, c := range []struct {
		what      string
		do        func() error
		said, are string // empty where the stages stay as they were
	}{
		{"no name", func() error { return s.funnels.Rename(ctx, owner, id, " ") }, "requisicao_invalida name", ""},
		{"a name", func() error { return s.funnels.Rename(ctx, owner, id, "Locação") }, "", ""},
		{"by one who does not manage", func() error { return s.funnels.Rename(ctx, common, id, "x") }, "nao_permitido", ""},
		{"no funnel", func() error { return s.funnels.Rename(ctx, owner, nobody, "x") }, "nao_encontrado funnel", ""},
		{"a stage", func() error { return s.funnels.AddStage(ctx, owner, id, " Visita ") }, "", was + ", Visita"},
		{"one twice", func() error { return s.funnels.AddStage(ctx, owner, id, "VISITA") }, "requisicao_invalida stage", ""},
		{
			"one raised", func() error { return s.funnels.PlaceStage(ctx, owner, id, stage(6), 5) }, "",
			"Novo, Em contato, Proposta, Negociação, Ganho (won), Visita, Perdido (lost)",
		},
		{"the first raised", func() error { return s.funnels.PlaceStage(ctx, owner, id, stage(0), 0) }, "", ""},
		{
			"one renamed", func() error { return s.funnels.RenameStage(ctx, owner, id, stage(1), "Visto") }, "",
			"Novo, Visto, Proposta, Negociação, Ganho (won), Visita, Perdido (lost)",
		},
		{
			"renamed as another", func() error { return s.funnels.RenameStage(ctx, owner, id, stage(1), "novo") },
			"requisicao_invalida stage", "",
		},
		{"no stage", func() error { return s.funnels.RenameStage(ctx, owner, id, nobody, "x") }, "nao_encontrado stage", ""},
		{
			"one removed", func() error { return s.funnels.RemoveStage(ctx, owner, id, stage(3)) }, "",
			"Novo, Visto, Proposta, Ganho (won), Visita, Perdido (lost)",
		},
		{
			"one that is won", func() error { return s.funnels.SetOutcome(ctx, owner, s.orgID, stage(4), crm.Won) },
			"", "Novo, Visto, Proposta, Ganho (won), Visita (won), Perdido (lost)",
		},
		{
			"open again", func() error { return s.funnels.SetOutcome(ctx, owner, s.orgID, stage(3), crm.Open) }, "",
			"Novo, Visto, Proposta, Ganho, Visita (won), Perdido (lost)",
		},
		{
			"no outcome", func() error { return s.funnels.SetOutcome(ctx, owner, s.orgID, stage(3), "talvez") },
			"requisicao_invalida outcome", "",
		},
		{
			"the entry removed", func() error { return s.funnels.RemoveStage(ctx, owner, id, stage(0)) },
			"requisicao_invalida stage", "",
		},
		{
			"another before it", func() error { return s.funnels.PlaceStage(ctx, owner, id, stage(1), 0) }, "",
			"Visto, Novo, Proposta, Ganho, Visita (won), Perdido (lost)",
		},
		{
			"it goes then", func() error { return s.funnels.RemoveStage(ctx, owner, id, stage(1)) }, "",
			"Visto, Proposta, Ganho, Visita (won), Perdido (lost)",
		},
	} {
		equal(t, c.what, said(c.do()), c.said)
		if c.are != "" {
			was = c.are
		}
		var names []string
		for _, stage := range s.funnel(owner).Stages {
			if stage.Outcome != crm.Open {
				stage.Name += line(" (" + stage.Outcome + ")")
			}
			names = append(names, stage.Name)
		}
		equal(t, "stages after "+c.what, strings.Join(names, ", "), was)
	}
	equal(t, "the funnel", s.funnel(owner).Name, "Locação")
}

// TestAStageWithContactsStays until they have moved.
func TestAStageWithContactsStays(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	funnel := s.funnel(owner)
	full, empty := funnel.Stages[2].ID, funnel.Stages[3].ID
	c := must(s.contacts.Create(t.Context(), owner,
		contacts.ContactForm{Name: "Bia", Email: "b@x.example", StageID: full}))
	equal(t, "a full one", said(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, full)), "requisicao_invalida stage")
	equal(t, "stages", len(s.funnel(owner).Stages), len(funnel.Stages))
	must(s.contacts.Move(t.Context(), owner, c.ID, empty))
	equal(t, "after the move", said(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, full)), "")
}

// TestFunnelsAreBounded: twenty, each with the stages of the default one.
func TestFunnelsAreBounded(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	equal(t, "one without a name", said(second(s.funnels.Add(t.Context(), owner, ""))), "requisicao_invalida name")
	for i := range crm.FunnelsMax - 1 {
		must(s.funnels.Add(t.Context(), owner, fmt.Sprint("Funil ", i)))
	}
	equal(t, "one more", said(second(s.funnels.Add(t.Context(), owner, "demais"))), "requisicao_invalida name")
	all := must(s.funnels.List(t.Context(), owner, s.orgID))
	equal(t, "funnels", len(all), crm.FunnelsMax)
	equal(t, "stages", len(all[19].Stages), len(crm.DefaultStages()))
	equal(t, "a default one among the made", all[19].Default, false)
}

// TestFunnelsHaveNamesOfTheirOwn, without case and accents, as origins do; that of two which were twins before stays.
func TestFunnelsHaveNamesOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	owner := s.add("dona", crm.Owner)
	first := s.funnel(owner)
	must(s.funnels.Add(t.Context(), owner, "Locação"))
	for _, name := range []string{"locacao", " LOCAÇÃO ", "vendas"} {
		equal(t, "another "+name, said(second(s.funnels.Add(t.Context(), owner, name))), "requisicao_invalida name")
	}
	equal(t, "the name of another", said(s.funnels.Rename(t.Context(), owner, first.ID, "locacao")), "requisicao_invalida name")
	equal(t, "its own name", said(s.funnels.Rename(t.Context(), owner, first.ID, "vendas")), "")
	twin := app.NewFunnel(s.orgID, "", time.Now())
	done(twin.Rename("Vendas"))
	done(s.store.Repos().Funnels.Create(t.Context(), twin))
	equal(t, "a stage of a twin", said(s.funnels.AddStage(t.Context(), owner, twin.ID, "Visita")), "")
	equal(t, "funnels", len(must(s.funnels.List(t.Context(), owner, s.orgID))), 3)
}

// TestTwoWhoAddAStage: both stages exist if both calls succeeded.
func TestTwoWhoAddAStage(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for range meetings {
			s := s.another()
			owner := s.add("dona", crm.Owner)
			before := s.funnel(owner)
			var accepted atomic.Int32
			both(func(i int) {
				if s.funnels.AddStage(t.Context(), owner, before.ID, fmt.Sprint("nova ", i)) == nil {
					accepted.Add(1)
				}
			})
			equal(t, "stages", len(s.funnel(owner).Stages), len(before.Stages)+int(accepted.Load()))
		}
	})
}

// TestOneMovesAContactIntoAStageThatAnotherRemoves: the contact ends up in a stage that exists.
func TestOneMovesAContactIntoAStageThatAnotherRemoves(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for range meetings {
			s := s.another()
			owner := s.add("dona", crm.Owner)
			funnel := s.funnel(owner)
			c := must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{Name: "Ana", Email: "a@x.example"}))
			both(func(i int) {
				if i == 0 {
					_, _ = s.contacts.Move(t.Context(), owner, c.ID, funnel.Stages[3].ID)
					return
				}
				_ = s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[3].ID)
			})
			if must(s.contacts.View(t.Context(), owner, c.ID)).Stage == "" {
				t.Error("a contact is in a stage that was removed")
			}
		}
	})
}

// TestAPostToAStageThatIsRemoved: a post whose webhook was opened before lands in the removed stage, and then in the
// one where new contacts enter.
func TestAPostToAStageThatIsRemoved(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		for i := range meetings {
			s := s.another()
			owner := s.add("dona", crm.Owner)
			funnel, hook := s.funnel(owner), s.hook(webhook.Signature{})
			done(s.funnels.PlaceStage(t.Context(), owner, funnel.ID, funnel.Stages[1].ID, 0))
			if i == 0 {
				done(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[0].ID))
			}
			var came crm.Contact
			both(func(i int) {
				if i == 0 {
					came = s.arrive(hook, "bia")
					return
				}
				_ = s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[0].ID)
			})
			stages := s.funnel(owner).Stages
			done(s.funnels.Rescue(t.Context()))
			if got := s.contact(came.ID).StageID; !slices.ContainsFunc(stages, func(k crm.Stage) bool { return k.ID == got }) {
				t.Error("a contact is in a stage that was removed")
			} else if got != came.StageID {
				equal(t, "where it is", got, stages[0].ID)
				equal(t, "history", s.kinds(came.ID), "criado etapa")
			}
			nine := func(string) int { return 9 }
			_, board, err := s.contacts.Board(t.Context(), owner, funnel.ID, contacts.ContactSearch{}, nine)
			done(err)
			total := 0
			for _, column := range board {
				total += column.Count
			}
			equal(t, "contacts of the funnel", total, 1)
		}
	})
}

package app_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/automation"
	"fichario/domain/batch"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// tableOf makes a table as adapters read it: lines of cells between bars.
func tableOf(lines ...string) contacts.NewImport {
	return contacts.NewImport{File: "clientes.csv", Tabs: []batch.Tab{sheetOf("", lines...)}}
}

func sheetOf(name string, lines ...string) batch.Tab {
	s := batch.Tab{Name: name}
	for i, l := range lines {
		s.Rows = append(s.Rows, batch.Row{Line: i + 1, Cells: strings.Split(l, "|")})
	}
	return s
}

// TestAnImport: each rule for duplicates, faults by line, permissions and notifications.
func TestAnImport(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, ana, leo := s.add("dona", crm.Owner), s.add("ana", crm.Common), s.add("leo", crm.Common)
		other := s.another()
		theirs := other.add("rui", crm.Owner)
		known := s.arrive(s.hook(webhook.Signature{}), "bia")
		forgetNew(s)
		table := tableOf("Nome|E-mail|Empresa|CPF|Cor", "Caio|caio@example.com|Acme|529.982.247-25|azul",
			"Bia|"+known.Email+"|Lima Ltda", "Sem nada||X", "De novo|CAIO@example.com", "Outro|outro@example.com|Y|2345678992|")
		_, err := s.bulks.PrepareImport(t.Context(), ana, tableOf("Nome|E-mail"))
		equal(t, "no row", said(err), "requisicao_invalida file")
		made := must(s.bulks.PrepareImport(t.Context(), ana, table))
		equal(t, "proposed", line(made.Fields, made.Status, made.Total), "[nome email empresa documentos anotar] rascunho 5")

		skip := contacts.ImportChoices{Duplicates: crm.SkipDuplicates}
		for what, c := range map[string]struct {
			by   app.Caller
			c    contacts.ImportChoices
			want string
		}{
			"by another organisation": {theirs, skip, "nao_encontrado bulk"},
			"by somebody else":        {leo, skip, "nao_permitido"},
			"without an address": {ana, contacts.ImportChoices{Duplicates: crm.SkipDuplicates,
				Fields: []string{"nome", "nome", "nome", "nome", "nome"}}, "requisicao_invalida fields"},
			"with too few columns": {ana, contacts.ImportChoices{Duplicates: crm.SkipDuplicates, Fields: []string{"email"}},
				"requisicao_invalida fields"},
			"without a rule": {ana, contacts.ImportChoices{}, "requisicao_invalida duplicates"},
			"into no stage": {ana, contacts.ImportChoices{Duplicates: crm.SkipDuplicates, StageID: known.ID},
				"nao_encontrado stage"},
			"for another organisation": {ana,
				contacts.ImportChoices{Duplicates: crm.SkipDuplicates, AssigneeID: theirs.MemberID()}, "nao_encontrado member"},
		} {
			_, err := s.bulks.StartImport(t.Context(), c.by, made.ID, c.c)
			equal(t, what, said(err), c.want)
		}
		_, trial, err := s.bulks.TryImport(t.Context(), ana, made.ID)
		done(err)
		equal(t, "the trial", line(trial.Total, trial.Wrong, trial.Repeated, len(trial.First)), "5 1 1 5")
		equal(t, "what is wrong", line(trial.Problems[0].Line, trial.Problems[0].Wrong), "4 Falta o e-mail.")
		equal(t, "what is there", line(trial.First[1].Like.ID == known.ID, trial.First[1].Like.By, trial.First[3].RepeatOf),
			"true [mesmo e-mail] 2")
		equal(t, "nothing is made", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 1)

		ended := must(s.bulks.StartImport(t.Context(), ana, made.ID, skip))
		equal(t, "how it ended", line(ended.Status, ended.Done, ended.Skipped), "concluida 5 2")
		equal(t, "what became of the rows", results(s, ana, made.ID),
			"feito; pulado Já existe: mesmo e-mail.; erro Falta o e-mail.; pulado Já existe: mesmo e-mail.; feito")
		_, err = s.bulks.StartImport(t.Context(), ana, made.ID, skip)
		equal(t, "begun twice", said(err), "requisicao_invalida status")
		_, err = s.bulks.Undo(t.Context(), ana, made.ID)
		equal(t, "undone", said(err), "requisicao_invalida contact")
		equal(t, "nothing is fired", len(must(s.jobsOf(automation.FanOut))), 0)
		told := must(s.notifications.List(t.Context(), ana, s.orgID, "", 10))
		equal(t, "what is told", told[0].Text(), "ana importou clientes.csv: linhas: 5, contatos novos: 2, "+
			"completados: 0, pulados: 2, com erro: 1.")
		equal(t, "how often", len(told), 2)

		made = must(s.bulks.PrepareImport(t.Context(), ana, table))
		must(s.bulks.StartImport(t.Context(), owner, made.ID,
			contacts.ImportChoices{Duplicates: crm.FillDuplicates, Fires: true}))
		equal(t, "filled", line(s.contact(known.ID).Company, s.kinds(known.ID)), "Lima Ltda criado editado")
		made = must(s.bulks.PrepareImport(t.Context(), ana, table))
		must(s.bulks.StartImport(t.Context(), ana, made.ID, contacts.ImportChoices{
			Duplicates: crm.CreateDuplicates, Fires: true, AssigneeID: leo.MemberID(), StageID: s.funnel(owner).Stages[1].ID,
		}))
		equal(t, "fired", len(must(s.jobsOf(automation.FanOut))), 4)
		all := must(s.bulks.Imports(t.Context(), leo))
		equal(t, "imports", line(len(all), all[0].Made, all[1].Filled, all[2].Wrong), "3 4 1 1")
		equal(t, "imports of another", len(must(s.bulks.Imports(t.Context(), theirs))), 0)
		_, err = s.bulks.ShowImport(t.Context(), theirs, made.ID)
		equal(t, "shown to another", said(err), "nao_encontrado bulk")
	})
}

// TestAnImportSaysWhatWentToTheNote: what is no value of its field.
func TestAnImportSaysWhatWentToTheNote(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		made := must(s.bulks.PrepareImport(t.Context(), owner, tableOf("E-mail|Origem|Valor", "a@x.example|Feira|dez")))
		must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.SkipDuplicates}))
		equal(t, "the row", results(s, owner, made.ID), "feito O valor não é um número e foi para a nota. "+
			"A origem não é nenhuma das que há em Origens e foi para a nota.")
	})
}

// TestAnImportSaysWhatOfItsChoicesIsNoMore: each row of a stage that was removed, or of a member who has left, since it
// began, and the team at its end.
func TestAnImportSaysWhatOfItsChoicesIsNoMore(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, leo := s.add("dona", crm.Owner), s.add("leo", crm.Common)
		table, funnel := tableOf("Nome|E-mail"), s.funnel(owner)
		for i := range 30 { // more than one step
			row := batch.Row{Line: i + 2, Cells: []string{"P", fmt.Sprintf("p%d@example.com", i)}}
			table.Tabs[0].Rows = append(table.Tabs[0].Rows, row)
		}
		made := must(s.bulks.PrepareImport(t.Context(), owner, table))
		begun := must(contacts.NewBulks(&dying{s.store, 1}, s.now).StartImport(t.Context(), owner, made.ID,
			contacts.ImportChoices{
				Duplicates: crm.SkipDuplicates, StageID: funnel.Stages[2].ID, AssigneeID: leo.MemberID(),
			}))
		equal(t, "before a row is done", line(begun.Status, begun.Done), "fazendo 0")
		done(s.funnels.RemoveStage(t.Context(), owner, funnel.ID, funnel.Stages[2].ID))
		done(s.members.Update(t.Context(), owner, leo.MemberID(), team.MemberChange{Active: at(false)}))
		done(s.bulks.Work(t.Context()))
		const said = "A etapa escolhida não existe mais; no lugar dela, Novo. " +
			"A pessoa escolhida não está mais ativa; no lugar dela, dona."
		equal(t, "the rows", results(s, owner, made.ID), strings.Repeat("feito "+said+"; ", 29)+"feito "+said)
		equal(t, "what is told", must(s.notifications.List(t.Context(), owner, s.orgID, "", 1))[0].Text(),
			"dona importou clientes.csv: linhas: 30, contatos novos: 30, completados: 0, pulados: 0, com erro: 0. "+said)
	})
}

// TestAnImportGivesNobodyAnothersDocument where they only share a phone.
func TestAnImportGivesNobodyAnothersDocument(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		fill := func(row string) string {
			made := must(s.bulks.PrepareImport(t.Context(), owner, tableOf("Nome|E-mail|Telefone|Empresa|CPF", row)))
			must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.FillDuplicates}))
			return results(s, owner, made.ID)
		}
		equal(t, "made", fill("Bia|bia@x.example|11 98765-4321||"), "feito")
		equal(t, "her husband", fill("Rui|rui@x.example|11 98765-4321|Lima Ltda|"+cpfs[0]),
			"completado Já existe: mesmo telefone. O documento da linha não foi posto, porque o e-mail é outro. "+
				"Completado: empresa.")
		equal(t, "herself", fill("Bia|BIA@x.example|||"+cpfs[1]), "completado Já existe: mesmo e-mail. Completado: documentos.")
	})
}

// TestAnImportSaysWhatBecomesOfARowsNote: it completes a contact that has none, with the remarks of what went there; of
// any other contact the note stays, and the row says so.
func TestAnImportSaysWhatBecomesOfARowsNote(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{Name: "Bia", Email: "bia@x.example"}))
		fill := func(row string) string {
			made := must(s.bulks.PrepareImport(t.Context(), owner, tableOf("Nome|E-mail|Cargo|CPF", row)))
			must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{
				Fields: []string{"nome", "email", "anotar", "documentos"}, Duplicates: crm.FillDuplicates,
			}))
			return results(s, owner, made.ID)
		}
		const known = "Já existe: mesmo e-mail. "
		equal(t, "a contact without a note", fill("Bia|bia@x.example|Diretora|529.982.247-26"), "completado "+known+
			"O documento não é um CPF ou CNPJ com os dígitos certos e foi para a nota. Completado: nota.")
		equal(t, "the same row again", fill("Bia|bia@x.example|Diretora|529.982.247-26"), "pulado "+known+"Nada a completar.")
		equal(t, "another note", fill("Bia|bia@x.example|Sócia|"), "pulado "+known+
			"A nota da linha não foi posta, porque o contato já tem uma. Nada a completar.")
		equal(t, "no note", fill("Bia|bia@x.example||"), "pulado "+known+"Nada a completar.")
	})
}

// TestAnImportKnowsAContactByTheAddressFirst: where another person of the house, who came later, has the same phone,
// the row completes the contact that has its address, and the trial says so.
func TestAnImportKnowsAContactByTheAddressFirst(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		for _, name := range []string{"bia", "rui"} {
			must(s.contacts.Create(t.Context(), owner, contacts.ContactForm{
				Name: name, Email: name + "@x.example", Phone: "11 98765-4321",
			}))
		}
		made := must(s.bulks.PrepareImport(t.Context(), owner, tableOf("Nome|E-mail|Telefone|Empresa|CPF",
			"Bia|BIA@x.example|11 98765-4321|Lima Ltda|"+cpfs[0], "Léo|leo@x.example|11 98765-4321|Souza Ltda|")))
		_, trial, err := s.bulks.TryImport(t.Context(), owner, made.ID)
		done(err)
		equal(t, "the trial", line(trial.First[0].Like.Name, trial.First[0].Like.By), "bia [mesmo e-mail mesmo telefone]")
		equal(t, "of no known address", line(trial.First[1].Like.Name, trial.First[1].Like.By), "rui [mesmo telefone]")
		must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.FillDuplicates}))
		equal(t, "the rows", results(s, owner, made.ID),
			"completado Já existe: mesmo e-mail, mesmo telefone. Completado: empresa, documentos.; "+
				"completado Já existe: mesmo telefone. Completado: empresa.")
		for _, c := range must(s.contacts.List(t.Context(), owner, s.orgID, 9)) {
			equal(t, c.Name, c.Company, map[string]string{"bia": "Lima Ltda", "rui": "Souza Ltda"}[c.Name])
		}
	})
}

// results describes the outcome of each row of an import.
func results(s *setting, by app.Caller, id string) string {
	_, rows, err := s.bulks.ImportResults(s.t.Context(), by, id)
	done(err)
	var out []string
	for row, err := range rows {
		done(err)
		out = append(out, strings.TrimSpace(string(row.State)+" "+row.Result))
	}
	return strings.Join(out, "; ")
}

// jobsOf returns the waiting jobs of a kind.
func (s *setting) jobsOf(kind automation.JobKind) (jobs []automation.Job, err error) {
	err = s.store.InTx(s.t.Context(), func(_ context.Context, r ports.Repos) error {
		jobs, err = r.JobQueue.Lock(s.t.Context(), kind, 1000)
		return err
	})
	return jobs, err
}

// dying is a store whose transactions start to fail after some, before they are written.
type dying struct {
	ports.Store
	left int
}

var errKilled = errors.New("killed")

func (d *dying) InTx(ctx context.Context, f ports.Tx) error {
	d.left--
	return d.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		err := f(ctx, r)
		if d.left < 0 {
			return errors.Join(err, errKilled)
		}
		return err
	})
}

// TestAnImportThatIsKilled resumes where it was: each row once.
func TestAnImportThatIsKilled(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		table := tableOf("Nome|E-mail")
		for i := range 110 {
			row := batch.Row{Line: i + 2, Cells: []string{"P", fmt.Sprintf("p%d@example.com", i)}}
			table.Tabs[0].Rows = append(table.Tabs[0].Rows, row)
		}
		made := must(s.bulks.PrepareImport(t.Context(), owner, table))
		all := contacts.ImportChoices{Duplicates: crm.CreateDuplicates}
		half := must(contacts.NewBulks(&dying{s.store, 3}, s.now).StartImport(t.Context(), owner, made.ID, all))
		equal(t, "killed in the middle", line(half.Status, half.Done), "fazendo 40")
		equal(t, "contacts by then", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 40)
		done(s.bulks.Work(t.Context()))
		after := must(s.bulks.ShowImport(t.Context(), owner, made.ID))
		equal(t, "it went on", line(after.Status, after.Done, after.Made), "concluida 110 110")
		equal(t, "each row once", must(s.contacts.Count(t.Context(), owner, contacts.ContactSearch{})), 110)
	})
}

// TestAnImportOutlivesWhoWasErased: the person's row is reported as erased, before and after the import, and the others
// are unchanged.
func TestAnImportOutlivesWhoWasErased(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		table := tableOf("Nome|E-mail", "Ana|ana@x.example", "Bia|bia@x.example", "Caio|caio@x.example")
		erase := func(email string) {
			t.Helper()
			who := privacy.SubjectQuery{OrgID: s.orgID, Email: email}
			done(s.subjects.Finish(t.Context(), must(s.subjects.Erase(t.Context(), owner, who, false)).ID))
		}
		made := must(s.bulks.PrepareImport(t.Context(), owner, table))
		erase("bia@x.example")
		_, trial, err := s.bulks.TryImport(t.Context(), owner, made.ID)
		done(err)
		equal(t, "the trial", line(trial.Total, trial.Wrong, len(trial.First)), "2 0 2")
		must(s.bulks.StartImport(t.Context(), owner, made.ID, contacts.ImportChoices{Duplicates: crm.SkipDuplicates}))
		erase("ana@x.example")
		const gone = "Os dados desta linha foram apagados a pedido do titular."
		equal(t, "what became of the rows", results(s, owner, made.ID), "feito "+gone+"; erro "+gone+"; feito")
		_, rows, err := s.bulks.ImportResults(t.Context(), owner, made.ID)
		done(err)
		last := contacts.ImportedRow{}
		for row, err := range rows {
			done(err)
			last = row
		}
		equal(t, "those after them are whole", line(last.Row.Cells), "[Caio caio@x.example]")
	})
}

// TestTheSheetOfAnImport: the only sheet with addresses is imported, and several are asked about.
func TestTheSheetOfAnImport(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner := s.add("dona", crm.Owner)
		n := contacts.NewImport{File: "clientes.xlsx", Tabs: []batch.Tab{
			sheetOf("Resumo", "Total|2"), sheetOf("Ativos", "Clientes", "Nome|E-mail", "Ana|ana@example.com"),
		}}
		made := must(s.bulks.PrepareImport(t.Context(), owner, n))
		equal(t, "the sheet with addresses", line(made.File, strings.Join(made.Columns, " "), made.Total),
			"clientes.xlsx · Ativos Nome E-mail 1")
		n.Tabs = append(n.Tabs, sheetOf("Antigos", "Nome|E-mail", "Bia|bia@example.com"))
		_, err := s.bulks.PrepareImport(t.Context(), owner, n)
		var which app.Tabs
		equal(t, "which one", line(said(err), errors.As(err, &which), strings.Join(which, " ")),
			"requisicao_invalida sheet true Ativos Antigos")
		n.Tab = "antigos"
		equal(t, "the chosen one", must(s.bulks.PrepareImport(t.Context(), owner, n)).File, "clientes.xlsx · Antigos")
	})
}

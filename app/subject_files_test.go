package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/batches"
	privacyapp "fichario/app/privacy"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

// TestWhatFilesAreCalledIsErased: somebody called a batch and an imported file by a person's address, or its first row
// was taken for a heading; notifications repeat what files are called.
func TestWhatFilesAreCalledIsErased(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Lista ana@x.example", "ana@x.example.csv", "Dona importou ana@x.example.csv: 2 linhas", "AB"} {
		inBubble(t, func(t *testing.T, s *setting) {
			owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Email: "ana@x.example"}
			named, column, imports := len(name) > 2, "Cidade", 1
			if !named {
				column, imports = "Ana@X.example", 0 // a row with an address is none of headings for an import
			}
			quoted := must(s.batches.Quote(t.Context(), owner, batches.NewBatch{
				Name: name, Product: catalog.CPF, Tabs: []batch.Tab{{Rows: []batch.Row{
					{Line: 1, Cells: []string{"Nome", "CPF", column}}, {Line: 2, Cells: []string{"Bia", cpfs[0], "1"}},
				}}},
			}))
			table := tableOf("E-mail|"+column, "bia@x.example|1")
			table.File = name
			imported := must(s.bulks.PrepareImport(t.Context(), owner, table))
			another := strings.ReplaceAll(name, "ana@", "mariana@")
			for _, file := range []string{name, another} {
				done(s.store.Repos().Notifications.Create(t.Context(), crm.Notification{
					ID: app.NewID(), OrgID: s.orgID, Kind: crm.CeilingReached, Subject: file, At: now(),
				}))
			}
			held := must(s.subjects.Count(t.Context(), owner, who, 0)).Counts
			equal(t, "held", line(held[privacy.Batches], held[privacy.Imports]), line(1, imports))
			var told []string
			for one, err := range must(s.subjects.Export(t.Context(), owner, who)).Held(t.Context(), privacy.Imports) {
				done(err)
				told = append(told, one.(privacy.File).Names...)
			}
			equal(t, "told", line(told), line(slices.Repeat([]string{name}, imports)))
			s.erase(owner, who)
			kept := must(s.batches.Show(t.Context(), owner, quoted.ID))
			file := must(s.bulks.ShowImport(t.Context(), owner, imported.ID))
			left := fmt.Sprint(kept.Name, kept.Columns, file.File, file.Columns)
			equal(t, "the address in "+left, strings.Contains(strings.ToLower(left), "ana@"), false)
			equal(t, "what stays", strings.Contains(left, "CPF") && strings.Contains(left, "Nome"), true)
			if named {
				left := must(s.notifications.List(t.Context(), owner, s.orgID, owner.MemberID(), 9))
				equal(t, "notifications", line(len(left), left[0].Subject), line(1, another))
			}
		})
	}
}

// TestWhoUndoesIsNoNameOfAFile: the settings of a bulk action that is undone are the id of a member, which is made at
// random: it may hold the digits of a CPF, and is neither told nor erased with the person.
func TestWhoUndoesIsNoNameOfAFile(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		owner, who := s.add("dona", crm.Owner), privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
		settings := fmt.Sprintf(`{"membro":"0192a3b4-c5d6-7e8f-9a0b-c%s"}`, cpfs[0])
		action := crm.Bulk{
			ID: app.NewID(), OrgID: s.orgID, MemberID: owner.MemberID(), Kind: crm.BulkMove, Status: crm.BulkUndone,
			Settings: []byte(settings), At: now(),
		}
		done(s.store.InTx(t.Context(), func(ctx context.Context, r ports.Repos) error {
			return r.Bulks.Create(ctx, action, nil)
		}))
		equal(t, "held", s.left(owner, who), "map[]")
		s.erase(owner, who)
		kept := must(s.store.Repos().Bulks.Find(t.Context(), s.orgID, action.ID))
		equal(t, "who undid it", string(kept.Settings), settings)
	})
}

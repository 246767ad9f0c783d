package world_test

import (
	"context"
	"fmt"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/batch"
	"fichario/domain/crm"
)

// reshaping are worlds of a funnel whose stages are added, removed and put in another order, while contacts come into
// them, are moved, one by one and many at once, deleted, parted, and brought back.
var reshaping = theme{
	verbs: "stage 4 drop 6 post 3 create 2 put 3 move 2 bulk 2 give 2 undo 4 into 2 delete 1 undelete 2 sweep 1 merge 1 part 1 turns 1 role 1 wait 1",
	first: "post", rules: true, rule: 6,
}

// reshapingChanges are what makes something that was read before wrong there.
const reshapingChanges = "drop 6 stage 1 undo 2 role 1 delete 1"

// aboutStages reports whether the world of a seed is about them: by the seed, as aboutAds, and if it is about nothing
// else.
func aboutStages(seed uint64) bool {
	return seed%31 == 11 && !aboutAds(seed) && !aboutConsents(seed) && !aboutSeveral(seed) && !aboutAgents(seed) &&
		rare(seed) == nil
}

func init() {
	// stage adds a stage, or gives one another place or another name.
	verbs["stage"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onFunnel(ctx, i, h, func(by app.Caller, f crm.Funnel) error {
			switch of := f.Stages[h.op.c%len(f.Stages)]; h.op.b % 3 {
			case 0:
				return i.funnels.AddStage(ctx, by, f.ID, fmt.Sprintf("Etapa %d", h.op.c))
			case 1:
				return i.funnels.PlaceStage(ctx, by, f.ID, of.ID, h.op.b)
			default:
				return i.funnels.RenameStage(ctx, by, f.ID, of.ID, fmt.Sprintf("Outra %d", h.op.c))
			}
		})
	}
	// drop removes a stage.
	verbs["drop"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onFunnel(ctx, i, h, func(by app.Caller, f crm.Funnel) error {
			return i.funnels.RemoveStage(ctx, by, f.ID, f.Stages[h.op.c%len(f.Stages)].ID)
		})
	}
	// put moves a contact into one of the stages that there are.
	verbs["put"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		w.onContact(ctx, i, h, func(by app.Caller, id string) error {
			all, err := i.funnels.List(ctx, by, w.orgID)
			if err == nil {
				_, err = i.contacts.Move(ctx, by, id, all[0].Stages[h.op.b%len(all[0].Stages)].ID)
			}
			return err
		})
	}
	// give gives all contacts to a member, by a bulk action that may be undone.
	verbs["give"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		all := w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s' ORDER BY id", w.orgID))
		if err != nil || len(all) == 0 {
			h.err = errAway
			return
		}
		var ids []string
		for _, row := range all {
			ids = append(ids, row[0])
		}
		made, err := i.bulks.Start(ctx, by, contacts.NewBulk{
			Kind: crm.BulkAssign, TargetID: w.members[h.op.b%len(w.members)], Of: contacts.Selection{IDs: ids},
		})
		h.err, h.id = err, made.ID
	}
	// into imports contacts into a stage that there was at the beginning.
	verbs["into"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		var made contacts.ImportView
		if h.begun = time.Now(); err == nil {
			made, err = i.bulks.PrepareImport(ctx, by, contacts.NewImport{Tabs: []batch.Tab{{Rows: []batch.Row{
				{Line: 1, Cells: []string{"nome", "email"}},
				{Line: 2, Cells: []string{"Uma", fmt.Sprintf("i%d@x.example", h.op.c)}},
				{Line: 3, Cells: []string{"Outra", fmt.Sprintf("j%d@x.example", h.op.c)}},
			}}}})
		}
		if err == nil {
			_, err = i.bulks.StartImport(ctx, by, made.ID, contacts.ImportChoices{
				Duplicates: crm.CreateDuplicates, StageID: w.stages[h.op.b%len(w.stages)].ID,
			})
		}
		h.err, h.id = err, made.ID
	}
}

// onFunnel changes the funnel, as the owner.
func (w *world) onFunnel(ctx context.Context, i *instance, h *happening, f func(app.Caller, crm.Funnel) error) {
	by, err := i.member(ctx, w.owner)
	if err == nil {
		var all []crm.Funnel
		if all, err = i.funnels.List(ctx, by, w.orgID); err == nil {
			h.id, err = all[0].ID, f(by, all[0])
		}
	}
	h.err = err
}

// judgeStages: nobody stays in a stage that is no more, the funnel has stages, and what many at once say of themselves
// adds up.
func (w *world) judgeStages(ctx context.Context) {
	if !aboutStages(w.plan.seed) {
		return
	}
	if err := w.judge.funnels.Rescue(ctx); err != nil {
		w.fail("stages", "putting contacts back: %v", err)
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT id FROM contacts WHERE org_id = '%s'
		AND stage_id NOT IN (SELECT id FROM stages)`, w.orgID)) {
		w.fail("stages", "the contact %s is in a stage that is no more", row[0])
	}
	funnels, err := w.judge.funnels.List(ctx, app.Operator(), w.orgID)
	if err != nil || len(funnels[0].Stages) == 0 {
		w.fail("stages", "the stages are %v: %v", funnels, err)
	}
	for _, row := range w.rows(fmt.Sprintf(`SELECT b.status, b.kind, b.total, b.done, b.skipped,
		(SELECT count(*) FROM bulk_items i WHERE i.bulk_id = b.id AND i.state = 'espera'),
		(SELECT count(*) FROM bulk_items i WHERE i.bulk_id = b.id AND i.state = 'feito'),
		(SELECT count(*) FROM bulk_items i WHERE i.bulk_id = b.id AND i.state = 'desfeito'),
		(SELECT count(*) FROM bulk_items i WHERE i.bulk_id = b.id AND i.state = 'pulado')
		FROM bulk_actions b
		WHERE b.org_id = '%s' AND b.kind <> 'importar' AND b.status IN ('concluida', 'desfeita')`, w.orgID)) {
		n := make([]int, len(row))
		for at, text := range row {
			_, _ = fmt.Sscan(text, &n[at])
		}
		total, done, skipped, waits, did, undone, left := n[2], n[3], n[4], n[5], n[6], n[7], n[8]
		right := waits == 0 && did == 0 && done == undone+skipped && undone+left == total
		if row[0] == string(crm.BulkDone) {
			right = waits == 0 && undone == 0 && done == total && did+left == total && skipped == left
		}
		if !right {
			w.fail("stages", "many at once: %v", row)
		}
	}
}

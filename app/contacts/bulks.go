package contacts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// Bulks does one thing to many contacts, in steps, and undoes it.
type Bulks struct {
	contacts *Contacts
	store    ports.Store
	clock    app.Clock
}

// NewBulks returns the use case.
func NewBulks(store ports.Store, clock app.Clock) *Bulks {
	return &Bulks{New(store, clock), store, clock}
}

// BulkMost is how many contacts one action may cover.
const BulkMost = 10_000

const (
	// bulkAtOnce is how many contacts are changed in one transaction.
	bulkAtOnce = 20
	// bulkHere is how long the request that starts an action works on it itself, so that a page of contacts is done at
	// once.
	bulkHere = time.Second
	// keepBulks is how long actions are kept.
	keepBulks = 30 * 24 * time.Hour
)

var bulkKind = app.Kind[crm.Bulk]{
	Field: "bulk", Missing: "Não há ação com este id.",
	Find:  func(r ports.Repos) func(context.Context, string, string) (crm.Bulk, error) { return r.Bulks.Find },
	OrgOf: func(b crm.Bulk) string { return b.OrgID },
}

var lockedBulkKind = app.Kind[crm.Bulk]{
	Field: bulkKind.Field, Missing: bulkKind.Missing, OrgOf: bulkKind.OrgOf,
	Find: func(r ports.Repos) func(context.Context, string, string) (crm.Bulk, error) { return r.Bulks.Lock },
}

// Selection is the contacts to act on: some by their ids, or all that a search finds, of those that were there at a
// time.
type Selection struct {
	IDs    []string
	Search *ContactSearch
	// Until is an id of that time, which ids begin with; empty for now.
	Until string
}

// NewBulk is what is to be done to many contacts.
type NewBulk struct {
	Kind crm.BulkKind
	// TargetID is the member or the stage.
	TargetID string
	Of       Selection
}

// Start begins to assign, move or delete contacts, and does what fits into a moment; the rest is done in the
// background. Only those who manage the organisation may delete. If an id is not in the caller's organisation, it is
// not found, and nothing happens. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (b *Bulks) Start(ctx context.Context, by app.Caller, n NewBulk) (crm.Bulk, error) {
	orgID, err := by.Org()
	if err == nil && n.Kind == crm.BulkDelete {
		_, err = by.ManagedOrg()
	}
	if err != nil {
		return crm.Bulk{}, err
	}
	if err := b.checkTarget(ctx, orgID, n); err != nil {
		return crm.Bulk{}, err
	}
	ids, err := b.selected(ctx, by, n.Of)
	if err != nil {
		return crm.Bulk{}, err
	}
	action := crm.Bulk{
		ID: app.NewID(), OrgID: orgID, MemberID: by.MemberID(), Kind: n.Kind, TargetID: n.TargetID, Status: crm.BulkRunning,
		Total: len(ids), At: b.clock(),
	}
	items := make([]crm.BulkItem, len(ids))
	for i, id := range ids {
		items[i] = crm.BulkItem{ID: app.NewID(), BulkID: action.ID, ContactID: id, State: crm.ItemWaiting}
	}
	line := audit.Line{OrgID: orgID, Action: audit.BulkStarted, Object: action.ID, Detail: audit.Detail{
		"acao": string(n.Kind), "contatos": strconv.Itoa(len(ids)), "para": n.TargetID,
	}}
	err = app.Recorded(ctx, b.store, by, line, func(ctx context.Context, r ports.Repos) error {
		return r.Bulks.Create(ctx, action, items)
	})
	if err != nil {
		return crm.Bulk{}, err
	}
	return b.here(ctx, action.OrgID, action.ID)
}

func (b *Bulks) checkTarget(ctx context.Context, orgID string, n NewBulk) error {
	r := b.store.Repos()
	switch n.Kind {
	case crm.BulkAssign:
		m, err := app.MemberOf(ctx, r, orgID, n.TargetID)
		if err == nil && !m.Active {
			return app.Invalid("member", "Esta pessoa não está mais ativa. Escolha outra.")
		}
		return err
	case crm.BulkMove:
		names, err := app.NamesOf(ctx, r, orgID, n.TargetID)
		if err == nil && !names.Has(crm.NamedStage, n.TargetID) {
			return app.Missing("stage", "Não há etapa com este id.")
		}
		return err
	case crm.BulkDelete:
		return nil
	case crm.BulkImport:
	}
	return app.Invalid("kind", "A ação deve ser atribuir, mover ou excluir.")
}

// selected returns the ids of a selection, each once.
func (b *Bulks) selected(ctx context.Context, by app.Caller, of Selection) ([]string, error) {
	if of.Search == nil {
		return b.named(ctx, by, of.IDs)
	}
	p, err := b.contacts.prepare(ctx, by, *of.Search)
	if err != nil {
		return nil, err
	}
	q, ids := ports.ContactQuery{ContactFilter: p.filter, Limit: app.ListMax}, []string(nil)
	for {
		page, err := b.store.Repos().ContactSearch.Select(ctx, p.orgID, q)
		if err != nil {
			return nil, err
		}
		for _, c := range page {
			if of.Until == "" || c.ID < of.Until {
				ids = append(ids, c.ID)
			}
		}
		switch {
		case len(ids) > BulkMost:
			return nil, tooMany()
		case len(page) < app.ListMax && len(ids) == 0:
			return nil, NobodyChosen()
		case len(page) < app.ListMax:
			return ids, nil
		}
		q.After = page[len(page)-1].ID
	}
}

func tooMany() *fault.Error {
	return app.Invalid("contacts", fmt.Sprintf("Uma ação vale para até %d contatos. Use os filtros e faça em partes.", BulkMost))
}

// NobodyChosen is the fault of an empty selection.
func NobodyChosen() *fault.Error { return app.Invalid("contacts", "Marque ao menos um contato.") }

// named checks ids.
func (b *Bulks) named(ctx context.Context, by app.Caller, ids []string) (out []string, err error) {
	switch {
	case len(ids) == 0:
		return nil, NobodyChosen()
	case len(ids) > app.ListMax:
		return nil, tooMany()
	}
	seen := map[string]bool{}
	for _, id := range ids {
		if !app.ValidID(id) {
			return nil, app.ContactKind.NotFound()
		}
		if !seen[id] {
			seen[id], out = true, append(out, id)
		}
	}
	found, err := b.store.Repos().Contacts.Brief(ctx, by.FindsIn(), out)
	if err != nil {
		return nil, err
	}
	for _, id := range out {
		if c, ok := found[id]; !ok || !by.MaySee(c.OrgID) {
			return nil, app.ContactKind.NotFound()
		}
	}
	return out, nil
}

// BulkView is an action with the names behind its ids.
type BulkView struct {
	crm.Bulk
	// Target is the name of the member or the stage, By the name of the member who asked for it.
	Target, By string
	// Left counts by their reasons (crm.LeftGone and so on) the contacts that were left as they were, once it is done;
	// those whose reason is not known, because they are many or it is older, by "".
	Left map[string]int
}

// leftRead is how many of those contacts are read for their reasons.
const leftRead = 1000

// Show returns an action. Faults: NotFound, ServiceUnavailable.
func (b *Bulks) Show(ctx context.Context, by app.Caller, id string) (BulkView, error) {
	r := b.store.Repos()
	action, err := bulkKind.Visible(ctx, r, by, id)
	if err != nil {
		return BulkView{}, err
	}
	n, err := app.NamesOf(ctx, r, action.OrgID, action.MemberID, action.TargetID)
	view := BulkView{Bulk: action, By: n.Member(action.MemberID).Name}
	view.Target = n.Member(action.TargetID).Name
	if action.Kind == crm.BulkMove {
		view.Target = n.Stage(action.TargetID).Name
	}
	if err == nil && !action.Open() && action.Kind != crm.BulkImport {
		view.Left, err = leftBy(ctx, r, action)
	}
	return view, err
}

// leftBy reads why contacts were left as they were, by an action or by its undo.
func leftBy(ctx context.Context, r ports.Repos, action crm.Bulk) (map[string]int, error) {
	if action.Skipped == 0 {
		return nil, nil //nolint:nilnil // an empty map
	}
	items, err := r.Bulks.Items(ctx, action.ID, crm.ItemSkipped, "", leftRead)
	out, known := map[string]int{}, 0
	for _, item := range items {
		reason, byUndo := strings.CutPrefix(item.Result, crm.LeftByUndo)
		if reason != "" && byUndo == (action.Status == crm.BulkUndone) && known < action.Skipped {
			out[reason]++
			known++
		}
	}
	if rest := action.Skipped - known; rest > 0 {
		out[""] = rest
	}
	return out, err
}

// Undo takes an action back within crm.UndoBulk of its end; what was changed since stays. Only the member who asked for
// it and those who manage the organisation may. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (b *Bulks) Undo(ctx context.Context, by app.Caller, id string) (crm.Bulk, error) {
	err := b.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		action, err := lockedBulkKind.Visible(ctx, r, by, id)
		if err != nil {
			return err
		}
		now, err := r.Clock.Now(ctx, b.clock())
		switch {
		case err != nil:
			return err
		case action.MemberID != by.MemberID() && !by.Manages(action.OrgID):
			return app.Forbidden()
		case action.Kind == crm.BulkImport:
			return app.Invalid("contact", "Uma importação não se desfaz.")
		case action.Open():
			return app.Invalid("contact", "Esta ação ainda está em andamento. Espere que termine.")
		case action.Status == crm.BulkUndone: // by another page of the same, or by somebody else
			return app.Invalid("contact", "Esta ação já foi desfeita.")
		case action.Done == action.Skipped:
			return app.Invalid("contact", "Esta ação não mudou nenhum contato, e não há o que desfazer.")
		case !action.CanUndo(now):
			return tooLate()
		}
		action.Status, action.Done, action.Skipped = crm.BulkUndoing, 0, 0
		if action.Settings, err = json.Marshal(storedUndo{by.MemberID()}); err != nil {
			return err
		}
		if err := r.Bulks.Save(ctx, action); err != nil {
			return err
		}
		return app.Record(ctx, r, by, audit.Line{OrgID: action.OrgID, Action: audit.BulkUndone, Object: id})
	})
	if err != nil {
		return crm.Bulk{}, err
	}
	return b.here(ctx, by.FindsIn(), id)
}

// here works on an action for a moment, and returns its state.
func (b *Bulks) here(ctx context.Context, orgID, id string) (crm.Bulk, error) {
	begun := ports.Now()
	for ports.Since(begun) < bulkHere {
		if more, err := b.step(ctx, id); err != nil || !more {
			break // the chore will do the rest
		}
	}
	return b.store.Repos().Bulks.Find(ctx, orgID, id)
}

// Work continues actions, on whichever instance takes one first. People wait for them, so it works a third of the time.
// It is a chore.
func (b *Bulks) Work(ctx context.Context) error {
	return app.BitByBit(ctx, 2, func(ctx context.Context) (int, error) {
		more, err := b.step(ctx, "")
		if more {
			return 1, err
		}
		return 0, err
	})
}

// Forget removes actions older than 30 days. It is a chore.
func (b *Bulks) Forget(ctx context.Context) error {
	return app.ForgetOld(ctx, b.store, b.clock, keepBulks,
		func(ctx context.Context, r ports.Repos, before time.Time) (int, error) {
			return r.Bulks.Forget(ctx, before)
		})
}

// step does the next contacts of an action in one transaction, and reports whether there was something to do.
func (b *Bulks) step(ctx context.Context, id string) (more bool, err error) {
	err = b.store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		more = false
		action, err := r.Bulks.Next(ctx, id)
		if errors.Is(err, ports.ErrNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		more = true
		state := crm.ItemWaiting
		if action.Status == crm.BulkUndoing {
			state = crm.ItemDone
		}
		items, err := r.Bulks.Items(ctx, action.ID, state, "", bulkAtOnce)
		if err != nil {
			return err
		}
		now, err := r.Clock.Now(ctx, b.clock())
		if err != nil {
			return err
		}
		if len(items) < bulkAtOnce {
			action.Status, action.EndedAt = map[crm.BulkStatus]crm.BulkStatus{
				crm.BulkRunning: crm.BulkDone, crm.BulkUndoing: crm.BulkUndone,
			}[action.Status], now
		}
		if action.Kind == crm.BulkImport {
			err = b.importRows(ctx, r, &action, items, now)
		} else {
			err = b.change(ctx, r, action, state, items, now)
		}
		if err != nil {
			return err
		}
		for _, item := range items {
			if action.Done++; item.State == crm.ItemSkipped {
				action.Skipped++
			}
		}
		return r.Bulks.Save(ctx, action, items...)
	})
	return more, err
}

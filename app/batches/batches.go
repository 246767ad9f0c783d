// Package batches asks one question about many documents, within a ceiling that its maker confirms.
package batches

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/access"
	"fichario/domain/audit"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Batches quotes one question about many documents, and looks them up within a ceiling (design, section 11).
type Batches struct {
	Config
	owner string
	woken app.Wake
	// flying is how many items this instance is looking up.
	flying atomic.Int64
}

// Config is what Batches needs.
type Config struct {
	Store ports.Store
	// Asker makes the lookups, and Pace is told of all others; nil where nothing runs, as in commands.
	Asker *lookups.Asker
	Pace  *Pace
	// Catalog is what the bureau offers.
	Catalog catalog.Catalog
	// Fresh is how long history answers.
	Fresh    time.Duration
	Calendar access.Calendar
	Clock    app.Clock
	Log      *slog.Logger
	// Concurrency is how many items of an organisation are in flight at once, over all instances.
	Concurrency int
	// PerSecond limits the calls of all instances to Bureau for batches; zero for no limit.
	Bureau    string
	PerSecond float64
}

// New returns the use case.
func New(c Config) *Batches {
	return &Batches{Config: c, owner: app.NewID(), woken: app.NewWake()}
}

// NewBatch is the request for a quote: rows of a table, or a list of documents.
type NewBatch struct {
	Name, Product string
	// Purpose is the code of its purpose; empty for the only one that its maker may state.
	Purpose string
	// Tabs are those of a table, nil for a list of documents. Tab names one of them, or is empty for the only one that
	// has documents.
	Tabs []batch.Tab
	Tab  string
	// Column is the column of the documents, by header, letter or number; empty for the first that has some.
	Column string
	// Documents have no masks, like those of a lookup.
	Documents []string
	// Refresh asks the bureau even where history has an answer.
	Refresh bool
	// Ceiling is the most that it may be charged; nil to set it later.
	Ceiling *catalog.Money
	// Confirm lets it run at once; it needs a ceiling.
	Confirm bool
	// RequestKey is the idempotency key of the request, RequestBody all that it asks, or a hash of that.
	RequestKey  string
	RequestBody []byte
}

// View is a batch with what it was charged.
type View struct {
	batch.Batch
	// Spent is what is reserved and spent.
	Spent lookup.Spent
	// InFlight counts its items that are being looked up: while there are any, counts and Spent are not final.
	InFlight int
	// Invalids are the first of its items without a valid document.
	Invalids []batch.Item
	// Now is the time of the view.
	Now time.Time
	// PriceNow is what an item costs that is asked now; Price is that of the quote, and a bureau's file may have changed.
	PriceNow catalog.Money
}

// RetryCost is what retrying the items without an answer costs.
func (v View) RetryCost() catalog.Money { return catalog.Money(v.Failed) * v.PriceNow }

// Enough is the ceiling at which it can be resumed: the one that it has, unless it has stopped there, or its items
// without an answer would exceed it.
func (v View) Enough() catalog.Money {
	switch {
	case v.Status == batch.Done:
		return max(v.Limit(), v.Spent.Amount+v.RetryCost())
	case v.Reason == batch.Ceiling:
		return max(v.Limit(), v.Spent.Amount+catalog.Money(v.Valid-v.Ended-v.InFlight)*v.PriceNow)
	}
	return v.Limit()
}

// priceNow is the present price of a batch's product, and that of the quote where it is no longer offered.
func (b *Batches) priceNow(of batch.Batch) catalog.Money {
	if product, offered := b.Catalog.Find(of.Product); offered {
		return product.Price
	}
	return of.Price
}

const (
	// invalidShown is how many invalid items a batch shows; the results have all.
	invalidShown = 100
	// itemsAtOnce is how many items one transaction writes, so that others hardly wait for SQLite's only writer.
	itemsAtOnce = 200
)

// Quote finds out what looking up many documents would cost. It is free, asks nobody and writes no entry of the
// statement. A repeated request is answered with the batch that the first one made.
//
// Faults: UnknownProduct, MissingScope, MissingPurpose, PurposeRefused, InvalidRequest with the field at fault,
// BodyTooLarge, ReusedIdempotencyKey, ServiceUnavailable; Forbidden when it is to be confirmed above what the member
// may spend.
func (b *Batches) Quote(ctx context.Context, by app.Caller, n NewBatch) (_ View, err error) {
	ctx, span := ports.Within(ctx, ports.Inner, "batches.quote")
	defer func() { ports.EndSpan(span, err) }()
	if _, err := by.Org(); err != nil {
		return View{}, err
	}
	since := ports.Now()
	if again, err := b.asked(ctx, by, n); err != nil || again.ID != "" {
		return again, err
	}
	q, items, err := b.read(by, n)
	if err != nil {
		return View{}, err
	}
	rules, err := privacyapp.ReadPurposeRules(ctx, b.Store.Repos(), q.OrgID)
	if err != nil {
		return View{}, err
	}
	if q.Purpose, err = rules.Choose(by, n.Purpose); err != nil {
		return View{}, err
	}
	if n.Confirm {
		if err := b.maySpend(ctx, b.Store.Repos(), by, q); err != nil {
			return View{}, err
		}
	}
	if err := b.lookBack(app.ForPage(ctx), &q, rules.Only(q.Purpose), items); err != nil {
		return View{}, err
	}
	if again, err := b.create(ctx, by, n, q); err != nil || again.ID != "" {
		return again, err
	}
	defer func() {
		if err != nil { // so that the request can be repeated at once; a chore removes what is left
			_ = app.Forget(context.WithoutCancel(ctx),
				func(ctx context.Context) (int, error) { return b.Store.Repos().BatchRemovals.Discard(ctx, q.ID) })
		}
	}()
	for some := range slices.Chunk(items, itemsAtOnce) {
		for i := range some {
			some[i].ID, some[i].BatchID, some[i].OrgID = app.NewID(), q.ID, q.OrgID
		}
		if err := b.addItems(ctx, q.OrgID, some, since); err != nil {
			return View{}, err
		}
	}
	err = b.change(ctx, q, func(ctx context.Context, r ports.Repos, now time.Time, q *batch.Batch) error {
		if q.Status = batch.Quoted; !n.Confirm {
			return nil
		}
		q.StartedAt = now
		q.Run(now)
		return app.Record(ctx, r, by, batchLine(audit.BatchConfirmed, *q))
	})
	if err != nil {
		return View{}, err
	}
	b.Wake()
	return b.Show(ctx, by, q.ID)
}

// create writes a batch, or returns the one that the same request made meanwhile, once it is quoted. Whoever was making
// that may give it up instead: then it is this one's turn.
func (b *Batches) create(ctx context.Context, by app.Caller, n NewBatch, q batch.Batch) (again View, err error) {
	for range createTries {
		if err = b.Store.Repos().Batches.Create(ctx, q); !errors.Is(err, ports.ErrExists) {
			return View{}, err
		}
		if again, err = b.asked(ctx, by, n); err != nil || again.ID != "" {
			return again, err
		}
	}
	return View{}, stillQuoted()
}

// concerns reports whether an item names somebody of a kind.
func concerns(item batch.Item, who func(privacy.Identity) bool) bool {
	i, ok := privacy.OfDocument(item.Document)
	return ok && who(i) || slices.ContainsFunc(privacy.FindIn(strings.Join(item.Cells, "\n")), who)
}

// addItems writes items of a batch, without what belongs to people who were erased since the request was read.
func (b *Batches) addItems(ctx context.Context, orgID string, some []batch.Item, since time.Time) error {
	return b.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		barred, err := r.SubjectBlocks.Barred(ctx, orgID, since)
		if err != nil {
			return err
		}
		for i := range some {
			if barred != nil && concerns(some[i], barred) {
				some[i].Document, some[i].Cells = document.Document{}, make([]string, len(some[i].Cells))
			}
		}
		return r.BatchItems.AddItems(ctx, some)
	})
}

// createTries is how often others may give up the same request while one waits for them.
const createTries = 5

// stillQuoted is the fault of a request that another one, not ended yet, is about to answer.
func stillQuoted() error {
	return fault.New(fault.ServiceUnavailable,
		"O mesmo pedido ainda está sendo orçado. Repita-o em instantes.").After(quotePause * quoteTries)
}

// quotePause and quoteTries are how a repeated request polls for the first one, which may have been broken off.
const (
	quotePause = 50 * time.Millisecond
	quoteTries = 200
)

// asked returns the batch that an earlier request with the same key made, once it is quoted; one without an id when
// there is none.
func (b *Batches) asked(ctx context.Context, by app.Caller, n NewBatch) (View, error) {
	if n.RequestKey == "" {
		return View{}, nil
	}
	repo := b.Store.Repos().Batches
	known, same, err := repo.ByRequest(ctx, by.OrgID(), by.AskedBy(), n.RequestKey, n.RequestBody)
	for range quoteTries {
		if err != nil || !same || known.Status != batch.Preparing {
			break
		}
		select {
		case <-ports.After(quotePause):
			known, same, err = repo.ByRequest(ctx, by.OrgID(), by.AskedBy(), n.RequestKey, n.RequestBody)
		case <-ctx.Done():
			return View{}, ctx.Err()
		}
	}
	switch {
	case errors.Is(err, ports.ErrNotFound):
		return View{}, nil
	case err != nil:
		return View{}, err
	case !same:
		return View{}, fault.New(fault.ReusedIdempotencyKey,
			"Esta Idempotency-Key já foi usada com outro pedido. Nada foi criado; use outra chave.")
	case known.Status == batch.Preparing:
		return View{}, stillQuoted()
	}
	return b.Show(ctx, by, known.ID)
}

// read checks a request and makes its items.
func (b *Batches) read(by app.Caller, n NewBatch) (q batch.Batch, items []batch.Item, err error) {
	product, ok := b.Catalog.Find(n.Product)
	if !ok {
		return q, nil, fault.New(fault.UnknownProduct,
			"Este produto não é oferecido. GET /api/v1/produtos lista os que são.").At("produto")
	}
	now := b.Clock()
	name := n.Name
	if name == "" {
		name = product.Name + " de " + now.In(b.Calendar.Location).Format("02/01/2006 15:04")
	}
	if name, ok = crm.CleanName(name); !ok {
		return q, nil, app.Invalid("nome", fmt.Sprintf("O nome do lote tem de 1 a %d caracteres.", crm.NameMax))
	}
	if n.Confirm && n.Ceiling == nil {
		return q, nil, app.Invalid("teto", "Para confirmar já no primeiro pedido, informe o teto em reais.")
	}
	table, sheet, others, err := tableOf(product, n)
	if err != nil {
		return q, nil, err
	}
	if in, lacks := table.Lacks(product); lacks {
		return q, nil, app.Invalid(in.Name, fmt.Sprintf("%s precisa de %s para cada documento: envie uma tabela com uma "+
			"coluna %q, %s. Nada foi orçado.", product.Name, in.Called(), in.Name, in.Type.Form()))
	}
	items = table.Items(product, n.Tabs == nil)
	q = batch.Batch{
		ID: app.NewID(), OrgID: by.OrgID(), KeyID: by.KeyID(), MemberID: by.MemberID(), Name: name, Product: product.ID,
		Refresh: n.Refresh, Status: batch.Preparing, Columns: table.Columns, Tab: sheet,
		OtherTabs: others, Total: len(items), Price: product.Price,
		CreatedAt: now, ExpiresAt: now.Add(batch.QuoteLasts), RequestKey: n.RequestKey, RequestBody: n.RequestBody,
	}
	if n.Ceiling != nil {
		q.Ceiling, q.HasCeiling = *n.Ceiling, true
	}
	for _, item := range items {
		switch item.State {
		case batch.Invalid:
			q.Invalid++
			continue
		case batch.Repeat:
			q.Repeated++
		default:
			q.Valid++
		}
		if t := item.Document.Type(); !by.MayAsk(t) {
			return q, nil, fault.New(fault.MissingScope, fmt.Sprintf(
				"A linha %d tem um documento do tipo %s, e esta chave não tem esse escopo. Nada foi orçado.", item.Line, t))
		}
	}
	return q, items, nil
}

// tableOf returns the table that was sent, with the names of its sheet and of the others, or one made of the list.
func tableOf(product catalog.Product, n NewBatch) (t batch.Table, sheet string, others []string, err error) {
	if n.Tabs == nil {
		t.Columns, t.Rows = []string{"documento"}, make([]batch.Row, len(n.Documents))
		for i, text := range n.Documents {
			t.Rows[i] = batch.Row{Line: i + 1, Cells: []string{text}}
		}
	} else {
		var from batch.Tab
		t, from, others, err = batch.ReadTabs(product, n.Tabs, n.Tab, n.Column)
		if sheet = from.Name; err != nil {
			return t, "", nil, tableFault(err)
		}
	}
	switch {
	case len(t.Rows) == 0:
		return t, "", nil, app.Invalid("documentos", "Envie ao menos um documento.")
	case len(t.Rows) > batch.MaxItems:
		return t, "", nil, fault.New(fault.BodyTooLarge,
			fmt.Sprintf("Um lote tem no máximo %d itens. Divida-o em partes.", batch.MaxItems))
	}
	return t, sheet, others, nil
}

// tableFault is the fault of a table that cannot be read as one.
func tableFault(err error) error {
	var none *batch.NoTab
	var which *batch.WhichTab
	field := "coluna"
	switch {
	case app.FaultOf(err) != nil: // of the only sheet, or of the chosen one
		return err
	case errors.Is(err, batch.ErrNoRows):
		field = "arquivo"
	case errors.As(err, &none), errors.As(err, &which):
		return app.TabFault("aba", err)
	}
	return app.Invalid(field, app.Sentence(err))
}

// lookBack finds out which items history can answer.
func (b *Batches) lookBack(ctx context.Context, q *batch.Batch, only *string, items []batch.Item) error {
	product, _ := b.Catalog.Find(q.Product)
	all, about := make([]lookup.About, len(items)), make([]lookup.About, 0, q.Valid)
	for i, item := range items {
		if item.State == batch.Pending {
			all[i], _ = batch.About(product, q.Columns, item) // it was read before
			about = append(about, all[i])
		}
	}
	history := b.Store.Repos().History.Only(ports.Only{Purpose: only})
	known, err := history.Fresh(ctx, q.OrgID, q.Product, about, b.Clock().Add(-b.Fresh))
	if err != nil {
		return err
	}
	for i := range items {
		if items[i].State == batch.Pending {
			if items[i].SeenID = known[all[i]]; items[i].SeenID != "" {
				q.FromHistory++
			}
		}
	}
	return nil
}

// Forget expires quotes that nobody confirmed, removes what was sent for them and for batches cancelled before they
// ran, and what is left of broken requests. It is a chore.
func (b *Batches) Forget(ctx context.Context) error {
	repos := b.Store.Repos()
	now, err := repos.Clock.Now(ctx, b.Clock())
	if err != nil {
		return err
	}
	if _, err := repos.BatchRemovals.Expire(ctx, now); err != nil {
		return err
	}
	err = app.Forget(ctx, func(ctx context.Context) (int, error) {
		return b.Store.Repos().BatchRemovals.ForgetQuotes(ctx, now.Add(-batch.QuoteLasts-app.OverFor))
	})
	if err != nil {
		return err
	}
	return app.Forget(ctx, func(ctx context.Context) (int, error) {
		return b.Store.Repos().BatchRemovals.Forget(ctx, now.Add(-brokenOff))
	})
}

// brokenOff is the age at which a batch still being prepared counts as abandoned.
const brokenOff = 5 * time.Minute

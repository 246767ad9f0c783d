package batches

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/lookup"
	"fichario/ports"
)

// resultsAtOnce is how many results are read together; each may hold some kilobytes.
const resultsAtOnce = 200

// Result is the outcome of an item.
type Result struct {
	Line int
	// Document is the text of a valid document without its mask, or of another one as it was sent.
	Document string
	// State is the state of the item, or of the first one with its document.
	State batch.State
	// LookupID is the entry of the statement; empty where there is none.
	LookupID string
	// Cache is true where nothing was asked for this item: history answered, or its document came before.
	Cache bool
	// Amount is what the item cost.
	Amount catalog.Money
	// Code is the contract's word for why there is no answer. Message says what is wrong with an invalid or unreadable
	// item.
	Code, Message string
	// Cells holds the row as it was sent, by the batch's columns.
	Cells []string
	// Fields is the JSON object of the product's named fields; nil without an answer.
	Fields []byte
	// RepeatOf is the line that had the document first; zero for none.
	RepeatOf int
}

// Results is a page of results, or all of them.
type Results struct {
	Batch batch.Batch
	// Product defines the fields. It has none if a bureau file added it and it is no longer offered, except in a file,
	// where they are those of the first answer: whoever paid for them gets them.
	Product catalog.Product
	Results []Result
	// All yields the results for a file, read while it is written.
	All iter.Seq2[Result, error]
	// Next is the cursor of the next page; empty at the end.
	Next string
}

// ResultsAfter is the line that a page of results begins after; a file, which has no pages, refuses a wrong cursor too.
// Fault: InvalidRequest.
func ResultsAfter(cursor string) (line int, err error) {
	if cursor == "" {
		return 0, nil
	}
	if line, err = strconv.Atoi(cursor); err != nil || line < 0 || strconv.Itoa(line) != cursor {
		return 0, app.WrongCursor()
	}
	return line, nil
}

// Results returns a page of the outcomes of a batch's items, in their order; a state selects some. Answers that a key
// reads are written to the audit. Faults: UnknownBatch, InvalidRequest, ServiceUnavailable.
func (b *Batches) Results(
	ctx context.Context, by app.Caller, id string, state batch.State, cursor string, limit int,
) (Results, error) {
	out, err := b.resultsOf(ctx, by, id, state)
	if err != nil {
		return out, err
	}
	after, err := ResultsAfter(cursor)
	if err != nil {
		return out, err
	}
	if limit < 1 || limit > app.ListMax {
		return out, app.Invalid("limite", fmt.Sprintf("O limite vai de 1 a %d.", app.ListMax))
	}
	items, err := b.Store.Repos().BatchItems.Items(ctx, out.Batch.OrgID, id, state, after, limit+1)
	if err != nil {
		return out, err
	}
	if len(items) > limit {
		items = items[:limit]
		out.Next = strconv.Itoa(items[limit-1].Line)
	}
	out.Results, err = b.results(ctx, out.Batch.OrgID, out.Product, items)
	answered := slices.ContainsFunc(out.Results, func(r Result) bool { return r.Fields != nil })
	if err == nil && answered && by.Key() != nil {
		err = b.handedOut(ctx, by, out.Batch)
	}
	return out, err
}

// handedOut writes to the audit that the caller gets a batch's results.
func (b *Batches) handedOut(ctx context.Context, by app.Caller, of batch.Batch) error {
	return app.Looked(ctx, b.Store, by, audit.Line{OrgID: of.OrgID, Action: audit.BatchDownloaded, Object: of.ID})
}

// AllResults is Results for a file: all of them, read while it is written. The request is written to the audit. Faults:
// UnknownBatch, InvalidRequest, ServiceUnavailable.
func (b *Batches) AllResults(ctx context.Context, by app.Caller, id string, state batch.State) (Results, error) {
	out, err := b.resultsOf(ctx, by, id, state)
	if err == nil {
		err = b.handedOut(ctx, by, out.Batch)
	}
	if err != nil {
		return out, err
	}
	ctx = app.ForPage(ctx)
	product := out.Product
	if len(product.Fields) == 0 {
		if out.Product.Fields, err = b.answeredFields(ctx, out.Batch, product); err != nil {
			return out, err
		}
	}
	out.All = app.ReadAhead(ctx, resultsAtOnce, func(ctx context.Context, last *Result) ([]Result, error) {
		after := 0
		if last != nil {
			after = last.Line
		}
		items, err := b.Store.Repos().BatchItems.Items(ctx, out.Batch.OrgID, id, state, after, resultsAtOnce)
		if err != nil {
			return nil, err
		}
		return b.results(ctx, out.Batch.OrgID, product, items)
	})
	return out, nil
}

// answeredFields are the fields of a batch's first answer.
func (b *Batches) answeredFields(
	ctx context.Context, of batch.Batch, product catalog.Product,
) ([]catalog.Field, error) {
	for after := 0; ; {
		items, err := b.Store.Repos().BatchItems.Items(ctx, of.OrgID, of.ID, batch.Answered, after, resultsAtOnce)
		if err != nil || len(items) == 0 {
			return nil, err
		}
		results, err := b.results(ctx, of.OrgID, product, items)
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			var fields []catalog.Field
			for _, name := range catalog.NamesOf(r.Fields) {
				fields = append(fields, catalog.Field{Name: name})
			}
			if fields != nil {
				return fields, nil
			}
			after = r.Line
		}
	}
}

func (b *Batches) resultsOf(ctx context.Context, by app.Caller, id string, state batch.State) (Results, error) {
	if state != "" && !state.Valid() {
		var names []string
		for _, s := range batch.States() {
			names = append(names, string(s))
		}
		return Results{}, app.Invalid("situacao", "As situações de um item são: "+strings.Join(names, ", ")+".")
	}
	found, err := b.find(ctx, by, id)
	product, _ := b.Catalog.Known(found.Product)
	return Results{Batch: found, Product: product}, err
}

// results combines items with what their lookups brought.
func (b *Batches) results(
	ctx context.Context, orgID string, product catalog.Product, items []ports.BatchItem,
) ([]Result, error) {
	repos := b.Store.Repos()
	var ids, recordIDs []string
	for _, item := range items {
		if item.First.LookupID != "" {
			ids = append(ids, item.First.LookupID)
		}
	}
	entries, err := repos.Statement.Entries(ctx, orgID, ids)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		if e.RecordID != "" {
			recordIDs = append(recordIDs, e.RecordID)
		}
	}
	records, err := repos.History.Records(ctx, orgID, recordIDs)
	if err != nil {
		return nil, err
	}
	schema := product.Schema()
	out := make([]Result, len(items))
	for i, item := range items {
		r := Result{
			Line: item.Line, Document: item.Document.Value(), State: item.First.State, Code: item.First.Code,
			Message: item.Message, Cells: item.Cells, RepeatOf: item.RepeatOf, Cache: item.RepeatOf > 0,
		}
		if r.Code == string(unreadableCode) {
			r.Message = unreadableItem // also for items that repeat it
		}
		if item.Document.IsZero() {
			r.Document = item.Text()
		}
		e, kept := entries[item.First.LookupID]
		if ended := r.State != batch.Pending && r.State != batch.InFlight; kept && ended {
			r.LookupID = e.ID
			if r.Cache = r.Cache || e.Cache; item.RepeatOf == 0 {
				r.Amount = e.Cost()
			}
			if r.Fields, err = fieldsOf(product, schema, records[e.RecordID]); err != nil {
				return nil, err
			}
		}
		out[i] = r
	}
	return out, nil
}

// fieldsOf returns the named fields of a record, completed with those that the product has gained since; nil without an
// answer.
func fieldsOf(product catalog.Product, schema string, rec lookup.Record) ([]byte, error) {
	if rec.ID == "" || rec.Unreadable || len(product.Fields) == 0 || rec.Schema == schema {
		return rec.Fields, nil
	}
	return product.Complete(rec.Fields)
}

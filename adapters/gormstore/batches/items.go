package batches

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/batch"
	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// BatchItemRow is an item of a batch; its document and cells are sealed.
type BatchItemRow struct {
	ID         engine.UID `gorm:"primaryKey"`
	BatchID    engine.UID `gorm:"not null"`
	OrgID      engine.UID `gorm:"not null"`
	Line       int        `gorm:"not null"`
	State      string     `gorm:"not null"`
	DocType    string     `gorm:"not null"`
	Content    []byte     `gorm:"not null" stored:"sealed"`
	Cell       int        `gorm:"not null"`
	RepeatOf   int        `gorm:"not null"`
	Message    string     `gorm:"not null"`
	Code       string     `gorm:"not null"`
	SeenID     *engine.UID
	LookupID   *engine.UID
	Owner      string `gorm:"not null"`
	Queued     bool   `gorm:"not null"`
	LeaseUntil *time.Time
}

// TableName is the table of the row.
func (BatchItemRow) TableName() string { return "batch_items" }

// refusedAt begins the code of an item without an outcome that was refused, before the time; others without an outcome
// have no code.
const refusedAt = "recusado "

// open reports whether an item in a state has no outcome yet.
func open(s batch.State) bool { return s == batch.Pending || s == batch.InFlight }

// codeOf is what is stored as the code of an item.
func codeOf(s batch.State, code string, refused time.Time) string {
	if !refused.IsZero() && open(s) {
		return refusedAt + refused.UTC().Format(time.RFC3339Nano)
	}
	return code
}

// readCode reads what is stored as the code of an item.
func readCode(s batch.State, stored string) (code string, refused time.Time) {
	if !open(s) {
		return stored, refused
	}
	if at, is := strings.CutPrefix(stored, refusedAt); is {
		refused, _ = time.Parse(time.RFC3339, at) // codeOf wrote it
	}
	return "", refused
}

// ItemRowOf seals an item.
func ItemRowOf(v *engine.Vault, i batch.Item) BatchItemRow {
	cells, err := json.Marshal(i.Cells)
	if err != nil {
		panic(err) // texts alone always marshal
	}
	return BatchItemRow{
		ID: engine.UID(i.ID), BatchID: engine.UID(i.BatchID), OrgID: engine.UID(i.OrgID), Line: i.Line,
		State:   string(i.State),
		DocType: string(i.Document.Type()),
		Content: v.SealTwo([]byte(i.Document.Value()), cells, "batch_items|content|"+i.ID), Cell: i.At,
		RepeatOf: i.RepeatOf, Message: i.Message, Code: codeOf(i.State, i.Code, i.Refused), SeenID: engine.Optional(i.SeenID),
		LookupID: engine.Optional(i.LookupID),
		Owner:    i.Owner, LeaseUntil: engine.OptionalTime(i.LeaseUntil), Queued: i.Queued,
	}
}

// ItemOf opens an item.
func ItemOf(v *engine.Vault, row BatchItemRow) batch.Item {
	code, refused := readCode(batch.State(row.State), row.Code)
	i := batch.Item{
		ID: string(row.ID), BatchID: string(row.BatchID), OrgID: string(row.OrgID), Line: row.Line,
		State: batch.State(row.State), At: row.Cell, RepeatOf: row.RepeatOf, Message: row.Message,
		Code: code, Refused: refused,
		SeenID: row.SeenID.Text(), LookupID: row.LookupID.Text(), Owner: row.Owner, LeaseUntil: engine.TimeOf(row.LeaseUntil),
		Queued: row.Queued,
	}
	place := "batch_items|content|" + i.ID
	value, cells, err := v.OpenTwo(row.Content, place)
	if err != nil {
		v.Unreadable.Tell(place)
		i.Unreadable = true
		return i
	}
	_ = json.Unmarshal(cells, &i.Cells) // ItemRowOf wrote it
	if row.DocType != "" {
		i.Document = document.Restore(document.Type(row.DocType), string(value))
	}
	return i
}

func (r batches) AddItems(ctx context.Context, items []batch.Item) error {
	rows := engine.Mapped(items, engine.With(r.vault, ItemRowOf))
	return r.Exec(ctx, "batches.addItems", func(db *gorm.DB) error { return db.CreateInBatches(&rows, 1000).Error })
}

// pending and inFlight choose items.
func pending(db *gorm.DB) *gorm.DB  { return db.Where("state = " + engine.Literal(batch.Pending)) }
func inFlight(db *gorm.DB) *gorm.DB { return db.Where(IsInFlight) }

// IsInFlight is the condition that an item has been handed out and has not ended.
var IsInFlight = "state = " + engine.Literal(batch.InFlight)

// resultRow is an item with the state of the first item that had its document.
type resultRow struct {
	Item          BatchItemRow `gorm:"embedded"`
	FirstID       *engine.UID
	FirstState    string
	FirstCode     string
	FirstLookupID *engine.UID
}

var itemColumns = engine.ColumnNames(BatchItemRow{}, "i")

func (r batches) Items(
	ctx context.Context, orgID, batchID string, state batch.State, after, limit int,
) (out []ports.BatchItem, err error) {
	err = r.Query(ctx, "batches.items", func(db *gorm.DB) error {
		find := db.Table("batch_items AS i").Select(itemColumns+`, f.id AS first_id, COALESCE(f.state, '') AS first_state,
			COALESCE(f.code, '') AS first_code, f.lookup_id AS first_lookup_id`).
			Joins("LEFT JOIN batch_items f ON i.repeat_of > 0 AND f.org_id = i.org_id "+
				"AND f.batch_id = i.batch_id AND f.line = i.repeat_of").
			Where("i.batch_id = ? AND i.line > ?", batchID, after)
		find = engine.InOf("i", orgID)(find)
		if state == batch.Invalid {
			find = find.Where("i.state = " + engine.Literal(batch.Invalid)) // spelled as in the partial index
		} else if state != "" {
			find = find.Where("CASE WHEN i.repeat_of > 0 THEN f.state ELSE i.state END = ?", string(state))
		}
		var rows []resultRow
		if err := find.Order("i.line").Limit(limit).Scan(&rows).Error; err != nil {
			return err
		}
		out = engine.Mapped(rows, func(row resultRow) ports.BatchItem {
			item := ports.BatchItem{Item: ItemOf(r.vault, row.Item)}
			item.First = item.Item
			if row.FirstID != nil {
				item.First.ID, item.First.Line = row.FirstID.Text(), item.RepeatOf
				item.First.State = batch.State(row.FirstState)
				item.First.Code, item.First.Refused = readCode(item.First.State, row.FirstCode)
				item.First.LookupID, item.First.RepeatOf = row.FirstLookupID.Text(), 0
			}
			return item
		})
		return nil
	})
	return out, err
}

func (r batches) InFlight(ctx context.Context, orgID string) ([]batch.Item, error) {
	bare := func(row BatchItemRow) batch.Item {
		_, refused := readCode(batch.State(row.State), row.Code)
		return batch.Item{
			ID: string(row.ID), BatchID: string(row.BatchID), OrgID: orgID, Line: row.Line, State: batch.State(row.State),
			LookupID: row.LookupID.Text(), Owner: row.Owner, LeaseUntil: engine.TimeOf(row.LeaseUntil), Queued: row.Queued,
			Refused: refused,
		}
	}
	return engine.FindAll(ctx, r.Query, "batches.inFlight", bare, inFlight, engine.Where("org_id = ?", orgID),
		func(db *gorm.DB) *gorm.DB {
			return db.Select("id, batch_id, line, state, code, lookup_id, owner, lease_until, queued")
		})
}

// Next walks the index of pending items twice instead of sorting them. The first walk passes by those that were
// refused, which are few unless a bureau refuses all.
func (r batches) Next(ctx context.Context, orgID, batchID string, limit int) (items []batch.Item, err error) {
	for _, which := range []string{"NOT LIKE", "LIKE"} {
		some, err := engine.FindAll(ctx, r.Query, "batches.next", engine.With(r.vault, ItemOf), pending,
			engine.Where("batch_id = ?", batchID), engine.Routed(orgID), engine.Where("code "+which+" ?", refusedAt+"%"),
			func(db *gorm.DB) *gorm.DB { return db.Order("line").Limit(limit - len(items)) })
		if items = append(items, some...); err != nil || len(items) == limit {
			return items, err
		}
	}
	return items, nil
}

// Claim is one statement: on SQLite nobody else writes meanwhile. The code stays: whoever settles an item must know
// whether it was refused before.
func (r batches) Claim(ctx context.Context, items []batch.Item) error {
	return r.Inside(ctx, "batches.claim", func(db *gorm.DB) error {
		if len(items) == 0 {
			return nil
		}
		pair := " WHEN id = ? THEN ?" // Citus writes "CASE id WHEN" otherwise than it reads it
		if db.Name() == "postgres" {
			pair = " WHEN id = CAST(? AS uuid) THEN CAST(? AS uuid)"
		}
		var ids, pairs, queued []any
		for _, i := range items {
			ids, pairs = append(ids, i.ID), append(pairs, i.ID, i.LookupID)
			if i.Queued {
				queued = append(queued, i.ID)
			}
		}
		isQueued := any(false)
		if len(queued) > 0 {
			isQueued = gorm.Expr("id IN ?", queued)
		}
		of := engine.Routed(items[0].OrgID)
		claimed := of(pending(db.Model(&BatchItemRow{}))).Where("id IN ?", ids).Updates(map[string]any{
			"state": string(batch.InFlight), "owner": items[0].Owner, "lease_until": engine.Stamp(items[0].LeaseUntil),
			"lookup_id": gorm.Expr("CASE"+strings.Repeat(pair, len(items))+" END", pairs...),
			"queued":    isQueued,
		})
		if claimed.Error == nil && int(claimed.RowsAffected) < len(items) {
			return ports.ErrNotFound
		}
		return claimed.Error
	})
}

func (r batches) Start(ctx context.Context, orgID string, ids []string) error {
	return r.Inside(ctx, "batches.start", func(db *gorm.DB) error {
		if len(ids) == 0 {
			return nil
		}
		return engine.Routed(orgID)(inFlight(db.Model(&BatchItemRow{}))).Where("id IN ?", ids).Update("queued", false).Error
	})
}

// Settle writes the items that end alike in one statement.
func (r batches) Settle(
	ctx context.Context, orgID string, outcomes []batch.Outcome,
) (settled []batch.Outcome, err error) {
	type end struct {
		state batch.State
		code  string
		kept  bool
		until time.Time
		// unseen is the outcome's.
		unseen bool
	}
	var order []end
	alike := map[end][]batch.Outcome{}
	for _, o := range outcomes {
		e := end{o.State, codeOf(o.State, o.Code, o.Refused), o.Kept || o.State == batch.InFlight, o.Until, o.Unseen}
		if alike[e] == nil {
			order = append(order, e)
		}
		alike[e] = append(alike[e], o)
	}
	err = r.Inside(ctx, "batches.settle", func(db *gorm.DB) error {
		settled = nil
		for _, e := range order {
			values := map[string]any{
				"state": string(e.state), "code": e.code, "owner": "", "lease_until": engine.OptionalTime(e.until), "queued": false,
			}
			if e.unseen {
				values["seen_id"] = nil
			}
			done, err := settleAlike(engine.Routed(orgID)(db), alike[e], values, e.kept)
			if settled = append(settled, done...); err != nil {
				return err
			}
		}
		return nil
	})
	return settled, err
}

func settleAlike(
	of *gorm.DB, outcomes []batch.Outcome, values map[string]any, kept bool,
) (settled []batch.Outcome, err error) {
	if !kept {
		values["lookup_id"] = nil
	}
	// A lookup belongs to one item, so the two lists need not be matched pairwise.
	var met []BatchItemRow
	err = inFlight(of.Model(&met)).Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).
		Where("id IN ? AND lookup_id IN ?", engine.Mapped(outcomes, func(o batch.Outcome) string { return o.ItemID }),
			engine.Mapped(outcomes, func(o batch.Outcome) string { return o.LookupID })).Updates(values).Error
	for _, o := range outcomes {
		if slices.ContainsFunc(met, func(row BatchItemRow) bool { return string(row.ID) == o.ItemID }) {
			settled = append(settled, o)
		}
	}
	return settled, err
}

func (r batches) Renew(ctx context.Context, orgID string, lookupIDs []string, until time.Time) error {
	_, err := r.ExecCount(ctx, "batches.renew", func(db *gorm.DB) *gorm.DB {
		return inFlight(db.Model(&BatchItemRow{})).Where("org_id = ? AND lookup_id IN ?", orgID, lookupIDs).
			Update("lease_until", engine.Stamp(until))
	})
	return err
}

func (r batches) Retry(ctx context.Context, orgID, batchID string) (charged, free int, err error) {
	err = r.Inside(ctx, "batches.retry", func(db *gorm.DB) error {
		failed := func() *gorm.DB {
			return engine.Routed(orgID)(db.Model(&BatchItemRow{})).
				Where("batch_id = ? AND state IN ?", batchID, []string{string(batch.Failed), string(batch.NoAnswer)})
		}
		var ids []string
		err := failed().Where("lookup_id IS NOT NULL").Order("lookup_id").Pluck("CAST(lookup_id AS text)", &ids).Error
		if err != nil {
			return err
		}
		costNothing := 0
		for some := range slices.Chunk(ids, entriesAtOnce) {
			var n int64
			// The bounds let PostgreSQL prune partitions.
			err := engine.Routed(orgID)(db.Table("lookups")).Where("id IN ? AND id BETWEEN ? AND ? AND NOT charged", some, some[0], some[len(some)-1]).
				Count(&n).Error
			if costNothing += int(n); err != nil {
				return err
			}
		}
		done := failed().Updates(map[string]any{"state": string(batch.Pending), "lookup_id": nil, "code": ""})
		charged = len(ids) - costNothing
		free = int(done.RowsAffected) - charged
		return done.Error
	})
	return charged, free, err
}

// entriesAtOnce is how many entries of the statement are looked at together.
const entriesAtOnce = 500

// IdentitiesOf are the document of an item and the identities in its cells.
func IdentitiesOf(v *engine.Vault, row BatchItemRow) []privacy.Identity {
	value, cells, err := v.OpenTwo(row.Content, "batch_items|content|"+string(row.ID))
	if err != nil {
		return nil
	}
	var texts []string
	_ = json.Unmarshal(cells, &texts) // ItemRowOf wrote it
	out := privacy.FindIn(strings.Join(texts, "\n"))
	i, ok := privacy.OfDocument(document.Restore(document.Type(row.DocType), string(value)))
	for _, there := range out {
		ok = ok && there != i
	}
	if ok {
		out = append(out, i)
	}
	return out
}

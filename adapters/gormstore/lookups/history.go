package lookups

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// RecordRow is a bureau's answer in the history.
type RecordRow struct {
	ID         engine.UID `gorm:"primaryKey"`
	OrgID      engine.UID `gorm:"not null"`
	Product    string     `gorm:"not null"`
	DocType    string     `gorm:"not null"`
	DocIndex   []byte     `gorm:"not null"`
	Document   []byte     `gorm:"not null" stored:"sealed"`
	AnsweredAt time.Time  `gorm:"not null"`
	Found      bool       `gorm:"not null"`
	Schema     string     `gorm:"not null"`
	Answer     []byte     `gorm:"not null" stored:"sealed"`
	Purpose    string     `gorm:"not null;default:''"`
	Bureau     string     `gorm:"not null;default:''"`
	Sources    string     `gorm:"not null;default:''"` // JSON of lookup.Record.Sources
	Inputs     []byte     `stored:"sealed"`            // NULL for none
	// OfID is the record of the same answer that an entry has; NULL for that one.
	OfID *engine.UID
	// QuestionID is the entry of the question that went on to another bureau after this answer; NULL for others.
	QuestionID *engine.UID
}

// TableName is the table of the row.
func (RecordRow) TableName() string { return "records" }

var recordTable = engine.TableOf(RecordRow{})

// IndexText is the text of which a document's keyed hash is made. It includes organisation and product, so that not
// even a dump shows that two organisations looked up the same person.
func IndexText(orgID, product string, d document.Document, inputs string) string {
	text := orgID + "|" + product + "|" + string(d.Type()) + "|" + d.Value()
	if inputs != "" {
		text += "|" + inputs
	}
	return text
}

// recordOf opens latestColumns. Organisation, product and document are those that it was asked for. Where the answer
// cannot be opened, it logs that and reports false: callers then proceed as if there were no record.
func recordOf(v *engine.Vault, row RecordRow) (lookup.Record, bool) {
	rec := lookup.Record{
		ID: string(row.ID), AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema, Bureau: row.Bureau,
	}
	rec.Sources = sourcesOf(row.Sources)
	fields, raw, err := v.OpenTwo(row.Answer, "records|answer|"+rec.ID)
	if err != nil {
		v.Unreadable.Tell("records|answer|" + rec.ID)
	}
	rec.Fields, rec.Raw = fields, raw
	return rec, err == nil
}

func wholeRecordOf(v *engine.Vault, row RecordRow) lookup.Record {
	rec, opened := recordOf(v, row)
	value, ok := v.Shown(row.Document, "records|document|"+rec.ID)
	rec.OfID = row.OfID.Text()
	rec.OrgID, rec.Product, rec.Purpose, rec.Unreadable = string(row.OrgID), row.Product, row.Purpose, !opened || !ok
	if ok {
		rec.Document = document.Restore(document.Type(row.DocType), string(value))
	}
	if len(row.Inputs) > 0 {
		inputs, ok := v.Shown(row.Inputs, "records|inputs|"+rec.ID)
		rec.Inputs, rec.Unreadable = string(inputs), rec.Unreadable || !ok
	}
	return rec
}

// sealedInputs seals the inputs of a question; nil for none.
func sealedInputs(v *engine.Vault, inputs, place string) []byte {
	if inputs == "" {
		return nil
	}
	return v.Seal([]byte(inputs), place)
}

// keptSource is a lookup.Source as it is stored.
type keptSource struct {
	Bureau string    `json:"bureau"`
	At     time.Time `json:"at"`
}

func sourcesText(sources map[string]lookup.Source) string {
	if len(sources) == 0 {
		return ""
	}
	kept := map[string]keptSource{}
	for field, s := range sources {
		kept[field] = keptSource(s)
	}
	text, err := json.Marshal(kept)
	if err != nil {
		panic(err) // names and times
	}
	return string(text)
}

func sourcesOf(text string) map[string]lookup.Source {
	var kept map[string]keptSource
	if text == "" || json.Unmarshal([]byte(text), &kept) != nil {
		return nil
	}
	sources := map[string]lookup.Source{}
	for field, s := range kept {
		sources[field] = lookup.Source(s)
	}
	return sources
}

type history struct {
	engine.Conn
	vault *engine.Vault
	serve func(context.Context, served) (kept, error)
	only  ports.Only
	// secret is the key of the hashes by which people are found.
	secret func(context.Context) ([]byte, error)
}

func (r history) Only(o ports.Only) ports.History {
	r.only = o
	return r
}

// answering is the condition on a record that may serve as an answer: what one bureau said is none for as long as its
// question is at the next one. ofOrg compares with the id of the record's organisation, which Citus wants to be said of
// each table.
func answering(ofOrg string) string {
	return ` AND (records.question_id IS NULL OR NOT EXISTS (SELECT 1 FROM lookups q
		WHERE q.id = records.question_id AND q.org_id ` + ofOrg + " AND q.status = " + engine.Literal(lookup.Running) + "))"
}

// ofOne is the condition on a record of one bureau alone: it has no field of another.
const ofOne = "records.bureau = %s AND records.sources = ''"

// bought selects the records that may serve as an answer.
func (r history) bought(orgID, condition string, values ...any) engine.Scope {
	condition, values = condition+" AND records.org_id = ?"+answering("= ?"), append(values, orgID, orgID)
	if r.only.Purpose != nil {
		condition, values = condition+" AND purpose = ?", append(values, *r.only.Purpose)
	}
	if r.only.Bureau != "" {
		condition, values = condition+" AND "+fmt.Sprintf(ofOne, "?"), append(values, r.only.Bureau)
	}
	return engine.Where(condition, values...)
}

func recordRowOf(v *engine.Vault, rec lookup.Record) RecordRow {
	return RecordRow{
		ID: engine.UID(rec.ID), OrgID: engine.UID(rec.OrgID), Product: rec.Product, DocType: string(rec.Document.Type()),
		DocIndex:   v.Indexes(IndexText(rec.OrgID, rec.Product, rec.Document, rec.Inputs))[0],
		Document:   v.Seal([]byte(rec.Document.Value()), "records|document|"+rec.ID),
		AnsweredAt: engine.Stamp(rec.AnsweredAt), Found: rec.Found, Schema: rec.Schema,
		Answer: v.SealTwo(rec.Fields, rec.Raw, "records|answer|"+rec.ID), Purpose: rec.Purpose,
		Bureau: rec.Bureau, Sources: sourcesText(rec.Sources),
		Inputs: sealedInputs(v, rec.Inputs, "records|inputs|"+rec.ID), OfID: engine.Optional(rec.OfID),
	}
}

func (r history) Save(ctx context.Context, rec lookup.Record) error {
	row := recordRowOf(r.vault, rec)
	return r.Insert(ctx, "history.save", &row)
}

// latestColumns are read of the newest record.
const latestColumns = "id, answered_at, found, schema, answer, bureau, sources"

func (r history) Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error) {
	row, err := engine.FindOne(ctx, r.Query, "history.latest", engine.Same[RecordRow],
		r.of(orgID, product, d),
		func(db *gorm.DB) *gorm.DB { return db.Select(latestColumns).Order("answered_at DESC") })
	if err != nil {
		return lookup.Record{}, err
	}
	rec, ok := recordOf(r.vault, row)
	if !ok {
		return lookup.Record{}, engine.Named("history.latest", ports.ErrNotFound)
	}
	rec.OrgID, rec.Product, rec.Document = orgID, product, d
	return rec, nil
}

// of selects the records of a document, whichever data key indexed them.
func (r history) of(orgID, product string, d document.Document) engine.Scope {
	return r.bought(orgID, "doc_index IN ?", r.vault.Indexes(IndexText(orgID, product, d, r.only.Inputs)))
}

func (r history) Records(ctx context.Context, orgID string, ids []string) (map[string]lookup.Record, error) {
	out := map[string]lookup.Record{}
	if ids = engine.Given(ids); len(ids) == 0 {
		return out, nil
	}
	records, err := engine.FindAll(ctx, r.Query, "history.records", engine.With(r.vault, wholeRecordOf),
		engine.Where("id IN ?", ids), engine.In(orgID))
	for _, rec := range records {
		out[rec.ID] = rec
	}
	return out, err
}

// Parts finds the records of other products by those of the same answers.
func (r history) Parts(ctx context.Context, orgID string, ids []string) (map[string][]lookup.Record, error) {
	out := map[string][]lookup.Record{}
	if ids = engine.Given(ids); len(ids) == 0 {
		return out, nil
	}
	records, err := engine.FindAll(ctx, r.Query, "history.parts", engine.With(r.vault, wholeRecordOf),
		engine.Where("of_id IN ?", ids), engine.In(orgID), engine.Order("id"))
	for _, rec := range records {
		out[rec.OfID] = append(out[rec.OfID], rec)
	}
	return out, err
}

// freshAtOnce is the most documents that one statement looks for.
const freshAtOnce = 1000

func (r history) Fresh(
	ctx context.Context, orgID, product string, about []lookup.About, after time.Time,
) (map[lookup.About]string, error) {
	out := map[lookup.About]string{}
	for some := range slices.Chunk(about, freshAtOnce) {
		of := make(map[string]lookup.About, len(some))
		var indexes [][]byte
		for _, a := range some {
			for _, index := range r.vault.Indexes(IndexText(orgID, product, a.Document, a.Inputs)) {
				of[string(index)] = a
				indexes = append(indexes, index)
			}
		}
		found, err := engine.FindAll(ctx, r.Query, "history.fresh", engine.Same[RecordRow],
			r.bought(orgID, "doc_index IN ? AND answered_at > ?", indexes, engine.Stamp(after)), engine.Order("answered_at"),
			func(db *gorm.DB) *gorm.DB { return db.Select("id, doc_index") })
		if err != nil {
			return nil, err
		}
		for _, row := range found {
			out[of[string(row.DocIndex)]] = string(row.ID) // rows come oldest first, so the newest wins
		}
	}
	return out, nil
}

func (r history) Answers(
	ctx context.Context, orgID, product string, d document.Document, limit int,
) ([]lookup.Record, error) {
	bare := func(row RecordRow) lookup.Record {
		return lookup.Record{
			ID: string(row.ID), OrgID: orgID, Product: product, Document: d,
			AnsweredAt: row.AnsweredAt.UTC(), Found: row.Found, Schema: row.Schema, Purpose: row.Purpose,
			Bureau: row.Bureau,
		}
	}
	return engine.FindAll(ctx, r.Query, "history.answers", bare, r.of(orgID, product, d), func(db *gorm.DB) *gorm.DB {
		return db.Select("id, answered_at, found, schema, purpose, bureau").Order("answered_at DESC").Limit(limit)
	})
}

package lookups

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"strings"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
)

// Page walks an index in its own order for every filter: the asker's without a filter, the one by asker and purpose
// where the filter names a purpose, else the one by asker, product and cache. Where product or cache is open, it walks
// several ranges of that index side by side, so that unwanted entries cost nothing, however many there are.
func (r statement) Page(
	ctx context.Context, by lookup.Asker, f lookup.Filter, after string, limit int,
) ([]lookup.Entry, error) {
	const op = "statement.page"
	products, caches := []string{f.Product}, []bool{false, true}
	if f.Cache != nil {
		caches = []bool{*f.Cache}
	}
	above, below := idsWithin(f, after)
	run, err := r.whereToRead(ctx, by, below)
	if err != nil {
		return nil, err
	}
	if f.Product == "" && f.Cache != nil && f.Purpose == "" {
		if products, err = r.products(ctx, run, by); err != nil || len(products) == 0 {
			return []lookup.Entry{}, err
		}
	}
	page := func(db *gorm.DB, at engine.Window, limit int) *gorm.DB {
		some := fresh(db).Select(columnsOf(f.Brief)).Where(at.Edges).Session(&gorm.Session{})
		part := func(w engine.Walk) *gorm.DB {
			return w.Page(within(f)(alike(by)(some)), "lookups", at.Above, at.Below, false, limit)
		}
		if f.Purpose != "" {
			return db.Raw("?", ofPurpose(by, f.Purpose).Page(passed(by, f)(some), "lookups", at.Above, at.Below, false, limit))
		}
		if f.Product == "" && f.Cache == nil {
			return db.Raw("?", part(indexOf(by)))
		}
		var parts []any
		for _, product := range products {
			for _, cache := range caches {
				w := indexOf(by)
				parts = append(parts, part(engine.Walk{
					Index: w.Index + "_product", Columns: append(w.Columns, "product", "cache"),
					Values: append(w.Values, product, cache),
				}))
			}
		}
		all := "SELECT * FROM (?) AS part" + strings.Repeat(" UNION ALL SELECT * FROM (?) AS part", len(parts)-1)
		return db.Raw("SELECT * FROM ("+all+") AS parts ORDER BY id DESC LIMIT ?", append(parts, limit)...)
	}
	var out []lookup.Entry
	err = run(ctx, op, func(db *gorm.DB) error {
		read := func(at engine.Window, limit int) ([]lookup.Entry, error) {
			return readEntries(r.vault, page(db, at, limit), limit, f.Brief)
		}
		out, err = engine.NewestFirst(engine.LookupsByMonth.Windows(db, r.Edges, above, below), limit, read)
		return err
	})
	return out, err
}

// briefColumns and entryColumns are the columns that entries reads, in that order.
const (
	briefColumns = "id, key_id, member_id, product, doc_type, document, at, cache, charged, amount, status, " +
		"purpose, automation_id, bureau, followed_id, compared"
	entryColumns = briefColumns + ", org_id, contact_id, record_id, day, month, settle_at"
)

func columnsOf(brief bool) string {
	if brief {
		return briefColumns
	}
	return entryColumns
}

// readEntries reads rows without GORM, whose field-by-field scanning would take longer than everything else in
// writing a file of all lines.
func readEntries(v *engine.Vault, db *gorm.DB, most int, brief bool) ([]lookup.Entry, error) {
	rows, err := db.Rows()
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	out := make([]lookup.Entry, 0, min(most, 1<<12))
	var (
		key, member, contact, record sql.Null[string]
		automation, followed         sql.Null[string]
		settle                       sql.Null[time.Time]
		docType                      document.Type
		sealed                       sql.RawBytes
		e                            lookup.Entry
	)
	into := []any{
		&e.ID, &key, &member, &e.Product, &docType, &sealed, &e.At, &e.Cache, &e.Charged, &e.Amount, &e.Status,
		&e.Purpose, &automation, &e.Bureau, &followed, &e.Compared,
	}
	if !brief {
		into = append(into, &e.OrgID, &contact, &record, &e.Day, &e.Month, &settle)
	}
	for rows.Next() {
		e = lookup.Entry{}
		if err := rows.Scan(into...); err != nil {
			return nil, err
		}
		e.KeyID, e.MemberID, e.ContactID, e.RecordID = key.V, member.V, contact.V, record.V
		e.AutomationID, e.FollowedID = automation.V, followed.V
		if e.At = e.At.UTC(); settle.Valid {
			e.SettleAt = settle.V.UTC()
		}
		openDocument(v, &e, docType, sealed)
		out = append(out, e)
	}
	return out, rows.Err()
}

func (r statement) Unanswered(ctx context.Context, orgID string, among int) (out []lookup.Entry, err error) {
	err = r.QueryList(ctx, "statement.unanswered", func(db *gorm.DB) error {
		// Only in the newest months: PostgreSQL takes longer to plan for all than to read these.
		at := engine.LookupsByMonth.Windows(db, r.Edges, engine.BeforeAll, engine.AfterAll)[0]
		some := fresh(db).Select("id, key_id, at, followed_id, status").Where(at.Edges)
		newest := indexOf(lookup.Asker{OrgID: orgID}).Page(some, "lookups", at.Above, at.Below, false, among)
		rows, err := db.Raw(`SELECT id, key_id, at FROM (?) AS newest WHERE followed_id IS NULL AND status IN ?
			ORDER BY id DESC`, newest, lookup.WithoutAnswer).Rows()
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for out = []lookup.Entry{}; rows.Next(); {
			var e lookup.Entry
			var key sql.Null[string]
			if err := rows.Scan(&e.ID, &key, &e.At); err != nil {
				return err
			}
			e.KeyID, e.At = key.V, e.At.UTC()
			out = append(out, e)
		}
		return rows.Err()
	})
	return out, err
}

// callsEnd is roughly when every lookup has its final outcome, by a clock that may be ten minutes behind ours.
const callsEnd = 12 * time.Minute

// whereToRead keeps a key that has just made a lookup from a replica that may not have it yet. Only the newest entries
// are at stake: older ones had arrived before.
func (r statement) whereToRead(ctx context.Context, by lookup.Asker, below string) (engine.Runner, error) {
	if r.Replica == nil || by.KeyID == "" || ports.ReadingOf(ctx) != ports.ForLists {
		return r.QueryList, nil
	}
	since := time.Now().Add(-r.Replica.MaxLag - callsEnd)
	if below < engine.IDsSince(since) {
		return r.QueryList, nil
	}
	const op = "statement.newest"
	_, err := engine.FindOne(ctx, r.Query, op, engine.With(r.vault, entryOf), asker(by),
		engine.Where("at > ?", engine.Stamp(since)), engine.Newest("", 1),
		engine.Where("id > ?", engine.IDsSince(since)))
	if errors.Is(err, ports.ErrNotFound) {
		return r.QueryList, nil
	}
	return r.Query, err
}

// passed keeps the walked entries that an asker's filter wants, by a single condition: for several, PostgreSQL would
// estimate next to no rows.
func passed(by lookup.Asker, f lookup.Filter) engine.Scope {
	condition, values := "org_id = ?", []any{by.OrgID}
	and := func(wanted bool, more string, value any) {
		if wanted {
			condition, values = condition+" AND "+more, append(values, value)
		}
	}
	and(f.Product != "", "product = ?", f.Product)
	and(f.Cache != nil, "cache = ?", f.Cache)
	and(f.Purpose != "", "purpose = ?", f.Purpose)
	and(!f.From.IsZero(), "at >= ?", engine.Stamp(f.From))
	and(!f.Until.IsZero(), "at < ?", engine.Stamp(f.Until))
	if by.Members {
		condition += " AND key_id IS NULL"
	}
	return func(db *gorm.DB) *gorm.DB { return engine.Passing(condition, values...)(engine.Routed(by.OrgID)(db)) }
}

// ofPurpose walks an asker's entries of one purpose; for members, those of the whole organisation.
func ofPurpose(by lookup.Asker, purpose string) engine.Walk {
	owner, value := "org", by.OrgID
	switch {
	case by.KeyID != "":
		owner, value = "key", by.KeyID
	case by.MemberID != "":
		owner, value = "member", by.MemberID
	}
	return engine.Walk{
		Index: "lookups_" + owner + "_purpose", Columns: []string{owner + "_id", "purpose"}, Values: []any{value, purpose},
		Only: "purpose <> ''",
	}
}

// fresh begins a subquery.
func fresh(db *gorm.DB) *gorm.DB {
	return db.Session(&gorm.Session{NewDB: true}).Model(&LookupRow{})
}

// indexOf walks the entries of an asker.
func indexOf(by lookup.Asker) engine.Walk {
	switch {
	case by.KeyID != "":
		return engine.WalkOf("lookups_key", "key_id", by.KeyID)
	case by.MemberID != "":
		return engine.WalkOf("lookups_member", "member_id", by.MemberID)
	case by.Members:
		return engine.WalkOf("lookups_members", "org_id", by.OrgID)
	}
	return engine.WalkOf("lookups_org", "org_id", by.OrgID)
}

// alike keeps the asker's own entries among those of the index.
func alike(by lookup.Asker) engine.Scope {
	switch {
	case by.KeyID != "" || by.MemberID != "":
		return ofOrganisation(by.OrgID)
	case by.Members:
		return engine.Where("key_id IS NULL")
	}
	return func(db *gorm.DB) *gorm.DB { return db }
}

// ofOrganisation keeps those of an organisation among the walked entries.
func ofOrganisation(orgID string) engine.Scope {
	return func(db *gorm.DB) *gorm.DB { return engine.Passing("org_id = ?", orgID)(engine.Routed(orgID)(db)) }
}

// within keeps the entries of a period.
func within(f lookup.Filter) engine.Scope {
	return func(db *gorm.DB) *gorm.DB {
		if !f.From.IsZero() {
			db = engine.Passing("at >= ?", engine.Stamp(f.From))(db)
		}
		if !f.Until.IsZero() {
			db = engine.Passing("at < ?", engine.Stamp(f.Until))(db)
		}
		return db
	}
}

// idsWithin are the bounds, both exclusive, of the ids that entries of a period after a given id can have, so that
// nothing older or newer is read.
func idsWithin(f lookup.Filter, after string) (above, below string) {
	above, below = engine.IDsSince(f.From), cmp.Or(after, engine.AfterAll)
	if at := f.Until.Add(engine.ClockSkew); !f.Until.IsZero() && at.Before(lastOfIDs) {
		below = min(below, engine.FirstID(time.UnixMilli(max(0, at.UnixMilli()))))
	}
	return above, below
}

// lastOfIDs is the last time that the 48 bits of a UUIDv7 hold.
var lastOfIDs = time.UnixMilli(1 << 48)

// products returns the products that were looked up, by a loose index scan.
func (r statement) products(ctx context.Context, run engine.Runner, by lookup.Asker) (names []string, err error) {
	err = run(ctx, "statement.products", func(db *gorm.DB) error {
		next := func() *gorm.DB { return asker(by)(fresh(db).Select("product")).Order("product").Limit(1) }
		return db.Raw(`WITH RECURSIVE asked (product) AS (
			SELECT * FROM (?) AS first
			UNION ALL SELECT (?) FROM asked WHERE product IS NOT NULL
		) SELECT product FROM asked WHERE product IS NOT NULL`, next(), next().Where("product > asked.product")).
			Scan(&names).Error
	})
	return names, err
}

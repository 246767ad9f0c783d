package contacts

import (
	"context"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// ByEmail is the expression by which contacts share an e-mail address: a prefix short enough for an index, in lower
// case as far as both databases agree on it.
func ByEmail(db *gorm.DB, table string) string {
	if db.Name() == "postgres" {
		return "substr(lower(" + table + `.email COLLATE "C"), 1, 200)`
	}
	return "substr(lower(" + table + ".email), 1, 200)"
}

// Lowered is an expression in lower case, as both databases write it.
func Lowered(db *gorm.DB, value string) string {
	if db.Name() == "postgres" {
		return `substr(lower(` + value + ` COLLATE "C"), 1, 200)`
	}
	return "substr(lower(" + value + "), 1, 200)"
}

func (r contacts) Alike(ctx context.Context, c crm.Contact, most int) (out []crm.Contact, err error) {
	err = r.Query(ctx, "contacts.alike", func(db *gorm.DB) error {
		var ids []string
		same := []*gorm.DB{
			Inside(db).Table("contacts AS o").Where("o.org_id = ? AND "+ByEmail(db, "o")+" = "+Lowered(db, "?"), c.OrgID,
				c.Email),
		}
		if c.PhoneE164 != "" {
			same = append(same, Inside(db).Table("contacts AS o").
				Where("o.org_id = ? AND o.phone_e164 = ? AND o.phone_e164 <> ''", c.OrgID, c.PhoneE164))
		}
		for _, some := range same {
			var found []string
			if err := some.Where("o.id <> ?", c.ID).Order("o.id DESC").Limit(most).Pluck("o.id", &found).Error; err != nil {
				return err
			}
			ids = append(ids, found...)
		}
		documents := slices.Concat(engine.Mapped(c.Documents, func(d document.Document) [][]byte {
			return r.vault.Indexes(ContactDocumentText(c.OrgID, d))
		})...)
		if len(documents) > 0 {
			var found []string
			err := db.Session(&gorm.Session{NewDB: true}).Model(&ContactDocumentRow{}).
				Where("org_id = ? AND doc_index IN ? AND contact_id <> ?", c.OrgID, documents, c.ID).
				Order("contact_id DESC").Limit(most).Pluck("contact_id", &found).Error
			if err != nil {
				return err
			}
			ids = append(ids, found...)
		}
		slices.Sort(ids)
		ids = slices.Compact(ids)
		slices.Reverse(ids)
		if len(ids) == 0 {
			return nil
		}
		var rows []ContactRow
		err := engine.Routed(c.OrgID)(withoutNote(Inside(db))).Where("id IN ?", ids[:min(len(ids), most)]).Order("id DESC").
			Find(&rows).Error
		out = engine.Mapped(rows, ContactRow.brief)
		return err
	})
	return out, err
}

func (r contacts) AlikeBefore(ctx context.Context, orgID string, ids []string, most int) (map[string][]string, error) {
	out := map[string][]string{}
	if len(ids) == 0 {
		return out, nil
	}
	err := r.QueryList(ctx, "contacts.alikeBefore", func(db *gorm.DB) error {
		clear(out) // f may run twice
		// Each contact walks the index backwards from itself and stops by itself: a person with a million contacts neither
		// hides others nor makes the page slow.
		var selects []string
		var values []any
		for _, same := range []struct{ table, id, common string }{
			{"contacts", "id", ByEmail(db, "o") + " = " + ByEmail(db, "c")},
			{"contacts", "id", "o.phone_e164 = c.phone_e164 AND o.phone_e164 <> ''"},
			{"contact_documents", "contact_id", "o.doc_index = c.doc_index"},
		} {
			selects = append(selects, strings.NewReplacer("TABLE", same.table, "KEY", same.id, "COMMON", same.common).Replace(
				`SELECT c.KEY AS id, COALESCE((SELECT string_agg(CAST(x.id AS text), ',') FROM
					(SELECT o.KEY AS id FROM TABLE o WHERE o.org_id = c.org_id AND COMMON AND o.KEY < c.KEY
					ORDER BY o.KEY DESC LIMIT ?) x), '') AS others
				FROM TABLE c WHERE c.org_id = ? AND c.KEY IN ?`))
			values = append(values, most, orgID, ids)
		}
		var found []struct{ ID, Others string }
		if err := db.Raw(strings.Join(selects, " UNION ALL "), values...).Scan(&found).Error; err != nil {
			return err
		}
		for _, f := range found {
			if f.Others != "" {
				out[f.ID] = append(out[f.ID], strings.Split(f.Others, ",")...)
			}
		}
		return nil
	})
	for id, others := range out {
		slices.Sort(others)
		others = slices.Compact(others)
		slices.Reverse(others)
		out[id] = others[:min(len(others), most)]
	}
	return out, err
}

package gormstore

import (
	"bytes"
	"context"
	"slices"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/document"
)

// byEmail is what contacts with one e-mail address have in common: enough of it for an index, and in lower case, as far
// as both databases agree on that.
func byEmail(db *gorm.DB, table string) string {
	if db.Name() == "postgres" {
		return "substr(lower(" + table + `.email COLLATE "C"), 1, 200)`
	}
	return "substr(lower(" + table + ".email), 1, 200)"
}

func lowered(db *gorm.DB, value string) string {
	if db.Name() == "postgres" {
		return `substr(lower(` + value + ` COLLATE "C"), 1, 200)`
	}
	return "substr(lower(" + value + "), 1, 200)"
}

func (r contacts) Alike(ctx context.Context, c crm.Contact, most int) (out []crm.Contact, err error) {
	err = r.query(ctx, "contacts.alike", func(db *gorm.DB) error {
		var ids []string
		same := []*gorm.DB{
			inside(db).Table("contacts AS o").Where("o.org_id = ? AND "+byEmail(db, "o")+" = "+lowered(db, "?"), c.OrgID, c.Email),
		}
		if c.PhoneE164 != "" {
			same = append(same, inside(db).Table("contacts AS o").
				Where("o.org_id = ? AND o.phone_e164 = ? AND o.phone_e164 <> ''", c.OrgID, c.PhoneE164))
		}
		for _, some := range same {
			var found []string
			if err := some.Where("o.id <> ?", c.ID).Order("o.id DESC").Limit(most).Pluck("o.id", &found).Error; err != nil {
				return err
			}
			ids = append(ids, found...)
		}
		documents := slices.Concat(mapped(c.Documents, func(d document.Document) [][]byte {
			return r.vault.indexes(contactDocumentText(c.OrgID, d))
		})...)
		if len(documents) > 0 {
			var found []string
			err := db.Session(&gorm.Session{NewDB: true}).Model(&contactDocumentRow{}).
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
		var rows []contactRow
		err := withoutNote(inside(db)).Where("id IN ?", ids[:min(len(ids), most)]).Order("id DESC").Find(&rows).Error
		out = mapped(rows, contactRow.brief)
		return err
	})
	return out, err
}

func (r contacts) AlikeOf(ctx context.Context, orgID string, ids []string, most int) (map[string][]string, error) {
	out := map[string][]string{}
	if len(ids) == 0 {
		return out, nil
	}
	err := r.list(ctx, "contacts.alikeOf", func(db *gorm.DB) error {
		var pairs []struct{ ID, Other string }
		for _, same := range []string{
			"contacts c JOIN contacts o ON o.org_id = c.org_id AND " + byEmail(db, "o") + " = " + byEmail(db, "c"),
			"contacts c JOIN contacts o ON o.org_id = c.org_id AND o.phone_e164 = c.phone_e164 AND o.phone_e164 <> ''",
		} {
			var found []struct{ ID, Other string }
			err := db.Raw("SELECT c.id AS id, o.id AS other FROM "+same+
				" WHERE c.org_id = ? AND c.id IN ? AND o.id <> c.id LIMIT ?", orgID, ids, most).Scan(&found).Error
			if err != nil {
				return err
			}
			pairs = append(pairs, found...)
		}
		for _, p := range pairs {
			out[p.ID] = append(out[p.ID], p.Other)
		}
		return alikeByDocument(db, orgID, ids, most, out)
	})
	for id, others := range out {
		slices.Sort(others)
		others = slices.Compact(others)
		slices.Reverse(others)
		out[id] = others
	}
	return out, err
}

// alikeByDocument adds the contacts that have a document of some, in two steps: PostgreSQL would read all documents of
// the organisation for one.
func alikeByDocument(db *gorm.DB, orgID string, ids []string, most int, out map[string][]string) error {
	var own, others []contactDocumentRow
	if err := db.Find(&own, "contact_id IN ?", ids).Error; err != nil || len(own) == 0 {
		return err
	}
	indexes := mapped(own, func(row contactDocumentRow) []byte { return row.DocIndex })
	if err := db.Limit(most).Find(&others, "org_id = ? AND doc_index IN ?", orgID, indexes).Error; err != nil {
		return err
	}
	for _, mine := range own {
		for _, other := range others {
			if string(mine.OrgID) == orgID && bytes.Equal(mine.DocIndex, other.DocIndex) && mine.ContactID != other.ContactID {
				out[string(mine.ContactID)] = append(out[string(mine.ContactID)], string(other.ContactID))
			}
		}
	}
	return nil
}

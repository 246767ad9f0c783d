package persons

import (
	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
)

// keptLookups are lines of the statement, with the answers that they bought.
var keptLookups = keeper{
	kind: privacy.Lookups, table: "lookups", within: ofOrg,
	names: naming(func(v *engine.Vault, row lookups.LookupRow) (id, orgID engine.UID, who []privacy.Identity) {
		if i, ok := askedAbout(v, row); ok {
			who = append(who, i)
		}
		for _, value := range sentWith(v, "lookups", row.ID, row.Inputs) {
			who = append(who, privacy.FindIn(value)...)
		}
		return row.ID, row.OrgID, who
	}, "id", "org_id", "doc_type", "document", "inputs"),
	erase: subjects.eraseLookups,
}

// askedAbout is whom a line is about; false where its document is erased, or cannot be opened.
func askedAbout(v *engine.Vault, row lookups.LookupRow) (privacy.Identity, bool) {
	value, opened := v.Shown(row.Document, "lookups|document|"+string(row.ID))
	i, ok := privacy.OfDocument(document.Restore(document.Type(row.DocType), string(value)))
	return i, opened && ok
}

// sentWith are the inputs of a line, or of an answer; nil for none, or where they cannot be opened.
func sentWith(v *engine.Vault, table string, id engine.UID, inputs []byte) map[string]string {
	if len(inputs) == 0 {
		return nil
	}
	text, _ := v.Shown(inputs, table+"|inputs|"+string(id))
	return catalog.InputsOf(string(text))
}

// eraseLookups strips the entries of their documents and removes their answers; of entries about somebody else, which
// name the person in an input, it takes out that. A running entry is left until it has an outcome; an entry that its
// owner may still settle no longer gets an answer, which would bring back what was asked.
func (r subjects) eraseLookups(db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
	var rows []lookups.LookupRow
	err := engine.Locked("UPDATE", "")(db).Select("id", "doc_type", "record_id", "document", "inputs").Order("id").
		Where("id BETWEEN ? AND ?", ids[0], ids[len(ids)-1]).
		Find(&rows, "id IN ? AND org_id = ? AND status <> "+engine.Literal(lookup.Running), ids, p.OrgID).Error
	if err != nil {
		return nil, err
	}
	var records, erased []string
	for _, row := range rows {
		if erased = append(erased, string(row.ID)); !r.about(p, row) {
			if err := r.eraseInputs(db, p, row); err != nil {
				return nil, err
			}
			continue
		}
		empty := r.store.Vault.Seal(nil, "lookups|document|"+string(row.ID))
		err := own(db, p).Model(&lookups.LookupRow{}).Where("id = ?", row.ID).
			Updates(map[string]any{
				"document": engine.Blob(empty), "inputs": nil, "record_id": nil, "contact_id": nil, "settle_at": nil,
			}).Error
		if err != nil {
			return nil, err
		}
		if mark(p, row.Document, row.Inputs); row.RecordID != nil {
			records = append(records, string(*row.RecordID))
		}
	}
	gone := privacy.Counts{privacy.Lookups: len(rows)}
	if len(records) > 0 {
		var brought []lookups.RecordRow
		err := own(db, p).Select("id", "document", "answer", "inputs").Find(&brought, "id IN ? OR of_id IN ?", records, records).Error
		if err != nil {
			return nil, err
		}
		records = nil
		for _, row := range brought {
			mark(p, row.Document, row.Answer, row.Inputs)
			records = append(records, string(row.ID))
		}
		if err := r.unanswer(db, p, records); err != nil {
			return nil, err
		}
		answers := db.Delete(&lookups.RecordRow{}, "id IN ? AND org_id = ?", records, p.OrgID)
		if answers.Error != nil {
			return nil, answers.Error
		}
		gone[privacy.Answers] = int(answers.RowsAffected)
	}
	return gone, r.untrace(db, p, privacy.Lookups, erased)
}

// unanswer detaches the person's other lines from answers about to be removed: later steps erase those lines, which
// until then would refer to a missing answer. They are found by the index of people, however long the statement is: a
// line that the history answered is not indexed by its answer, because every such lookup would have to write that
// index.
func (r subjects) unanswer(db *gorm.DB, p *privacy.Person, records []string) error {
	for after, more := "", true; more; {
		ids, err := r.indexed(db.Statement.Context, p, privacy.Lookups, after, traceAtOnce)
		if err != nil || len(ids) == 0 {
			return err
		}
		more, after = len(ids) == traceAtOnce, ids[len(ids)-1]
		err = own(db, p).Model(&lookups.LookupRow{}).Where("id IN ? AND id BETWEEN ? AND ?", ids, ids[0], after).
			Where("record_id IN ?", records).Update("record_id", nil).Error
		if err != nil {
			return err
		}
	}
	return nil
}

// about reports whether a line is not about somebody else.
func (r subjects) about(p *privacy.Person, row lookups.LookupRow) bool {
	i, ok := askedAbout(r.store.Vault, row)
	return !ok || p.Knows(i)
}

// eraseInputs takes the person out of the inputs of a line about somebody else, and of its answer, which from then on
// is that to a question that nobody asks.
func (r subjects) eraseInputs(db *gorm.DB, p *privacy.Person, row lookups.LookupRow) error {
	v := r.store.Vault
	mark(p, row.Inputs)
	_, rest := p.Share(sentWith(v, "lookups", row.ID, row.Inputs))
	inputs := v.Seal([]byte(catalog.InputsText(rest)), "lookups|inputs|"+string(row.ID))
	err := own(db, p).Model(&lookups.LookupRow{}).Where("id = ?", row.ID).
		Updates(map[string]any{"inputs": engine.Blob(inputs), "settle_at": nil}).Error
	if err != nil || row.RecordID == nil {
		return err
	}
	var answers []lookups.RecordRow
	if err := engine.Locked("UPDATE", "")(db).Order("id").Omit("answer").
		Find(&answers, "(id = ? OR of_id = ?) AND org_id = ? AND inputs IS NOT NULL", *row.RecordID, *row.RecordID,
			p.OrgID).Error; err != nil {
		return err
	}
	for _, rec := range answers {
		his, rest := p.Share(sentWith(v, "records", rec.ID, rec.Inputs))
		value, opened := v.Shown(rec.Document, "records|document|"+string(rec.ID))
		if his == nil || !opened {
			continue
		}
		mark(p, rec.Inputs)
		doc, text := document.Restore(document.Type(rec.DocType), string(value)), catalog.InputsText(rest)
		err := own(db, p).Model(&lookups.RecordRow{}).Where("id = ?", rec.ID).Updates(map[string]any{
			"inputs":    engine.Blob(v.Seal([]byte(text), "records|inputs|"+string(rec.ID))),
			"doc_index": engine.Blob(v.Indexes(lookups.IndexText(string(rec.OrgID), rec.Product, doc, text))[0]),
		}).Error
		if err != nil {
			return err
		}
	}
	return nil
}

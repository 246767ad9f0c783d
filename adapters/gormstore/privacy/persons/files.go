package persons

import (
	"bytes"
	"encoding/json"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/batches"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/domain/privacy"
)

// keptBatches and keptImports are batches and imports whose own name, or the name of one of whose columns, names the
// person: somebody called a file so, or its first row was no heading. Their rows are kept by keptItems and keptRows.
var (
	keptBatches = keeper{
		kind: privacy.Batches, table: "batches", within: ofOrg, indexed: true,
		about: opening(func(f finding, row batches.BatchRow) (engine.UID, bool) {
			return row.ID, len(f.p.NamedBy(fileOfBatch(f.store.Vault, row).Names)) > 0
		}, "id", "name", "columns", "sheets"),
		read: reading(fileOfBatch), erase: each(privacy.Batches, subjects.renameBatch),
	}
	keptImports = keeper{
		kind: privacy.Imports, table: "bulk_actions", within: ofOrg + " AND settings IS NOT NULL AND kind = " + engine.Literal(crm.BulkImport),
		about: opening(func(f finding, row contacts.BulkRow) (engine.UID, bool) {
			return row.ID, len(f.p.NamedBy(fileOfImport(f.store.Vault, row).Names)) > 0
		}, "id", "settings"),
		read: reading(fileOfImport), erase: each(privacy.Imports, subjects.renameImport),
	}
)

func fileOfBatch(v *engine.Vault, row batches.BatchRow) privacy.File {
	b := batches.BatchOf(v, row)
	return privacy.File{At: b.CreatedAt, Names: slices.Concat([]string{b.Name, b.Tab}, b.OtherTabs, b.Columns)}
}

// renameBatch takes a person out of what a batch and its columns are called.
func (r subjects) renameBatch(db *gorm.DB, p *privacy.Person, row batches.BatchRow) (bool, error) {
	mark(p, row.Columns, row.Sheets)
	b := batches.BatchOf(r.store.Vault, row)
	b.Name, b.Tab = p.Rename(b.Name), p.Rename(b.Tab)
	b.OtherTabs, b.Columns = engine.Mapped(b.OtherTabs, p.Rename), engine.Mapped(b.Columns, p.Rename)
	now, changed := batches.BatchRowOf(r.store.Vault, b), map[string]any{"name": b.Name}
	if b.Columns != nil { // else it cannot be opened, and is kept
		changed["columns"] = engine.Blob(now.Columns)
	}
	if b.Tab != "" {
		changed["sheets"] = engine.Blob(now.Sheets)
	}
	return true, own(db, p).Model(&batches.BatchRow{}).Where("id = ?", row.ID).Updates(changed).Error
}

func fileOfImport(v *engine.Vault, row contacts.BulkRow) privacy.File {
	b := contacts.BulkOf(v, row)
	file := privacy.File{At: b.At}
	changedTexts(b.Settings, func(s string) string { file.Names = append(file.Names, s); return s })
	return file
}

// renameImport takes a person out of what an imported file and its columns are called.
func (r subjects) renameImport(db *gorm.DB, p *privacy.Person, row contacts.BulkRow) (bool, error) {
	mark(p, row.Settings)
	b := contacts.BulkOf(r.store.Vault, row)
	b.Settings = changedTexts(b.Settings, p.Rename)
	now := contacts.BulkRowOf(r.store.Vault, b)
	settings := engine.Blob(now.Settings)
	return true, own(db, p).Model(&contacts.BulkRow{}).Where("id = ?", row.ID).Update("settings", settings).Error
}

// changedTexts returns JSON with each of its texts changed, but for the names of fields.
func changedTexts(content []byte, change func(string) string) []byte {
	var value any
	d := json.NewDecoder(bytes.NewReader(content))
	d.UseNumber()
	if d.Decode(&value) != nil {
		return content // it cannot be read, or there is none
	}
	var within func(any) any
	within = func(v any) any {
		switch v := v.(type) {
		case string:
			return change(v)
		case []any:
			for n := range v {
				v[n] = within(v[n])
			}
		case map[string]any:
			for name := range v {
				v[name] = within(v[name])
			}
		}
		return v
	}
	changed, err := json.Marshal(within(value))
	if err != nil {
		return content
	}
	return changed
}

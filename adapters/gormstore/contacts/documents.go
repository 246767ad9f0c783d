package contacts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// ContactDocumentRow is a document by which a contact is found. Triggers on contacts write these rows, but on SQLite
// for new contacts: see insertDocument.
type ContactDocumentRow struct {
	OrgID     engine.UID `gorm:"primaryKey"`
	DocIndex  []byte     `gorm:"primaryKey"`
	ContactID engine.UID `gorm:"primaryKey"`
}

// TableName is the table of the row.
func (ContactDocumentRow) TableName() string { return "contact_documents" }

// documentJSON is a document as it is stored.
type documentJSON struct{ Type, Value string }

// ContactDocumentText is the text whose keyed hash finds a contact by its document.
func ContactDocumentText(orgID string, d document.Document) string {
	return "contact|" + orgID + "|" + string(d.Type()) + "|" + d.Value()
}

// SealDocuments seals a contact's documents and indexes each under the first data key; both results are nil without
// documents.
func SealDocuments(v *engine.Vault, c crm.Contact) (sealed, index []byte) {
	if len(c.Documents) == 0 {
		return nil, nil
	}
	stored := engine.Mapped(c.Documents, func(d document.Document) documentJSON {
		return documentJSON{string(d.Type()), d.Value()}
	})
	return v.SealJSON(stored, "contacts|documents|"+c.ID), indexDocuments(v, c.OrgID, c.Documents)
}

var documentTable = engine.TableOf(ContactDocumentRow{})

// insertDocument makes a new contact be found by a document on SQLite. On PostgreSQL a trigger does, because instances
// of an earlier version may run beside.
var insertDocument = documentTable.Insert() + " ON CONFLICT DO NOTHING"

// documentsAtOnce is how many documents are written in one statement.
const documentsAtOnce = 100

// documentsOf are the rows by which a contact is found.
func documentsOf(row ContactRow) (all []ContactDocumentRow) {
	for index := range slices.Chunk(row.DocIndex, sha256.Size) {
		all = append(all, ContactDocumentRow{row.OrgID, index, row.ID})
	}
	return all
}

// WriteDocuments makes a new contact be found by its documents, past GORM.
func WriteDocuments(w *engine.SQLiteTx, row ContactRow) {
	for _, document := range documentsOf(row) {
		w.Exec(insertDocument, documentTable.Values(&document)...)
	}
}

func indexDocuments(v *engine.Vault, orgID string, documents []document.Document) []byte {
	return bytes.Join(engine.Mapped(documents, func(d document.Document) []byte {
		return v.Indexes(ContactDocumentText(orgID, d))[0]
	}), nil)
}

// openDocuments gives a contact its documents, and reports whether they could be opened.
func openDocuments(v *engine.Vault, c *crm.Contact, sealed []byte) bool {
	if sealed == nil {
		return true
	}
	plain, ok := v.Shown(sealed, "contacts|documents|"+c.ID)
	if !ok {
		return false
	}
	var err error
	c.Documents, err = storedDocuments(plain)
	return err == nil
}

func storedDocuments(plain []byte) ([]document.Document, error) {
	var stored []documentJSON
	err := json.Unmarshal(plain, &stored)
	return engine.Mapped(stored, func(d documentJSON) document.Document {
		return document.Restore(document.Type(d.Type), d.Value)
	}), err
}

// WithDocument searches for the hashes under every data key.
func (r contacts) WithDocument(ctx context.Context, orgID string, d document.Document, most int) ([]string, error) {
	var ids []string
	err := r.Query(ctx, "contacts.withDocument", func(db *gorm.DB) error {
		return db.Model(&ContactDocumentRow{}).
			Where("org_id = ? AND doc_index IN ?", orgID, r.vault.Indexes(ContactDocumentText(orgID, d))).
			Order("contact_id DESC").Limit(most).Pluck("contact_id", &ids).Error
	})
	return ids, err
}

// ReindexContact recomputes the hashes by which a contact is found.
func (s *Index) ReindexContact(tx *gorm.DB, id string, plain []byte) error {
	var row ContactRow
	if err := tx.Select("id, org_id").Take(&row, "id = ?", id).Error; err != nil {
		return err
	}
	documents, err := storedDocuments(plain)
	if err != nil {
		return err
	}
	index := indexDocuments(s.Vault, string(row.OrgID), documents)
	return tx.Model(&ContactRow{}).Where("id = ?", id).Update("doc_index", index).Error
}

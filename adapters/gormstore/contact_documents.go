package gormstore

import (
	"bytes"
	"context"
	"encoding/json"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/document"
)

// contactDocumentRow is a document by which a contact is found. Triggers on contacts write these rows.
type contactDocumentRow struct {
	OrgID     uid    `gorm:"primaryKey"`
	DocIndex  []byte `gorm:"primaryKey"`
	ContactID uid    `gorm:"primaryKey"`
}

func (contactDocumentRow) TableName() string { return "contact_documents" }

// documentJSON is a document as it is stored.
type documentJSON struct{ Type, Value string }

func contactDocumentText(orgID string, d document.Document) string {
	return "contact|" + orgID + "|" + string(d.Type()) + "|" + d.Value()
}

// sealDocuments seals a contact's documents and indexes each under the first data key; both results are nil without
// documents.
func (v *vault) sealDocuments(c crm.Contact) (sealed, index []byte) {
	if len(c.Documents) == 0 {
		return nil, nil
	}
	stored := mapped(c.Documents, func(d document.Document) documentJSON {
		return documentJSON{string(d.Type()), d.Value()}
	})
	return v.sealJSON(stored, "contacts|documents|"+c.ID), v.indexDocuments(c.OrgID, c.Documents)
}

func (v *vault) indexDocuments(orgID string, documents []document.Document) []byte {
	return bytes.Join(mapped(documents, func(d document.Document) []byte {
		return v.indexes(contactDocumentText(orgID, d))[0]
	}), nil)
}

// openDocuments gives a contact its documents, and reports whether they could be opened.
func (v *vault) openDocuments(c *crm.Contact, sealed []byte) bool {
	if sealed == nil {
		return true
	}
	plain, ok := v.shown(sealed, "contacts|documents|"+c.ID)
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
	return mapped(stored, func(d documentJSON) document.Document {
		return document.Restore(document.Type(d.Type), d.Value)
	}), err
}

// WithDocument searches for the hashes under every data key.
func (r contacts) WithDocument(ctx context.Context, orgID string, d document.Document, most int) ([]string, error) {
	var ids []string
	err := r.query(ctx, "contacts.withDocument", func(db *gorm.DB) error {
		return db.Model(&contactDocumentRow{}).
			Where("org_id = ? AND doc_index IN ?", orgID, r.vault.indexes(contactDocumentText(orgID, d))).
			Order("contact_id DESC").Limit(most).Pluck("contact_id", &ids).Error
	})
	return ids, err
}

// reindexContact recomputes the hashes by which a contact is found.
func (s *contactsRoom) reindexContact(tx *gorm.DB, id string, plain []byte) error {
	var row contactRow
	if err := tx.Select("id, org_id").Take(&row, "id = ?", id).Error; err != nil {
		return err
	}
	documents, err := storedDocuments(plain)
	if err != nil {
		return err
	}
	index := s.vault.indexDocuments(string(row.OrgID), documents)
	return tx.Model(&contactRow{}).Where("id = ?", id).Update("doc_index", index).Error
}

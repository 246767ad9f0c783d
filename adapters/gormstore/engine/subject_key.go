package engine

import (
	"context"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"sync/atomic"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/document"
	"fichario/domain/privacy"
	"fichario/ports"
)

// SubjectSize is how many bytes of a hash are kept: enough that no two people in a database collide.
const SubjectSize = 16

type subjectKeyRow struct {
	ID        UID       `gorm:"primaryKey"`
	Secret    []byte    `gorm:"not null" stored:"sealed"`
	CreatedAt time.Time `gorm:"not null"`
}

func (subjectKeyRow) TableName() string { return "subject_keys" }

// subjectKeyID is the id of the only key.
const subjectKeyID = "00000000-0000-7000-8000-000000000001"

// subjectKey hashes identities. The key is derived from the first data key that the database had, so that a backup from
// before it existed derives the same one, and stored sealed, so that it outlives that data key.
type subjectKey struct {
	secret atomic.Pointer[[]byte]
}

// SubjectSecret reads the key, or makes it. Until it is cached each caller reads it for itself, so that nobody waits
// for another's query beyond its own deadline.
func (s *Engine) SubjectSecret(ctx context.Context) ([]byte, error) {
	if known := s.subject.secret.Load(); known != nil {
		return *known, nil
	}
	place := "subject_keys|secret|" + subjectKeyID
	fresh, err := hkdf.Key(sha256.New, s.Vault.Keys[0].index, nil, "fichario subjects v1", 32)
	if err != nil {
		return nil, err
	}
	var row subjectKeyRow
	find := func(db *gorm.DB) error { return db.Limit(1).Find(&row, "id = ?", subjectKeyID).Error }
	err = s.Conn().Query(ctx, "subjects.key", find)
	if err == nil && row.ID == "" {
		made := subjectKeyRow{ID: subjectKeyID, Secret: s.Vault.Seal(fresh, place), CreatedAt: Stamp(time.Now())}
		err = s.Conn().Exec(ctx, "subjects.key", func(db *gorm.DB) error {
			if err := db.Clauses(clause.OnConflict{DoNothing: true}).Create(&made).Error; err != nil {
				return err
			}
			return find(db)
		})
	}
	if err != nil {
		return nil, err
	}
	secret, ok := s.Vault.Shown(row.Secret, place)
	if !ok {
		return nil, ports.ErrUnreadable
	}
	s.subject.secret.Store(&secret)
	return secret, nil
}

// SubjectHash is the hash by which a person is found in an organisation.
func SubjectHash(secret []byte, orgID string, i privacy.Identity) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(orgID + "|" + string(i.Type) + "|" + i.Value))
	return mac.Sum(nil)[:SubjectSize]
}

// DocumentHash is the hash of a document's person; nil where it has none.
func DocumentHash(secret []byte, orgID string, d document.Document) []byte {
	i, ok := privacy.OfDocument(d)
	if !ok {
		return nil
	}
	return SubjectHash(secret, orgID, i)
}

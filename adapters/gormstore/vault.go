package gormstore

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/klauspost/compress/s2"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/ports"
)

// DataKeySize is the size of a data key in bytes.
const DataKeySize = 32

// vault encrypts values at rest and makes the keyed hashes that they are found by,
// so that a copy of the database tells nobody's CPF (design, section 9).
type vault struct {
	keys       []dataKey // the first one encrypts
	unreadable unreadable
}

type dataKey struct {
	id    [4]byte
	aead  cipher.AEAD
	index []byte
}

// name is the id in words.
func (k dataKey) name() string { return hex.EncodeToString(k.id[:]) }

// The versions that a sealed value begins with; the id of its key follows.
const (
	sealPlain = 1
	// sealPacked: what was encrypted had been made shorter by S2, which costs less than the pages that it saves.
	sealPacked = 2
)

// packFrom is from which size on a value may become shorter by more than it costs.
const packFrom = 1024

func newVault(masters [][]byte) (*vault, error) {
	if len(masters) == 0 {
		return nil, errors.New("no data key")
	}
	v := &vault{}
	for _, m := range masters {
		if len(m) != DataKeySize {
			return nil, fmt.Errorf("a data key has %d bytes, not %d", len(m), DataKeySize)
		}
		derived, err := hkdf.Key(sha256.New, m, nil, "fichario data key v1", 32+32+4)
		if err != nil {
			return nil, err
		}
		block, err := aes.NewCipher(derived[:32])
		if err != nil {
			return nil, err
		}
		aead, err := cipher.NewGCM(block)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, dataKey{id: [4]byte(derived[64:]), aead: aead, index: derived[32:64]})
	}
	return v, nil
}

// seal encrypts plain for one place: opening it for another place fails. The
// sealed value is a version, the key's id, the nonce and the ciphertext.
func (v *vault) seal(plain []byte, place string) []byte {
	k, version := v.keys[0], byte(sealPlain)
	if len(plain) >= packFrom {
		if packed := s2.Encode(nil, plain); len(packed) < len(plain)-len(plain)/8 {
			plain, version = packed, sealPacked
		}
	}
	const head = 1 + 4
	n := k.aead.NonceSize()
	out := make([]byte, head+n, head+n+len(plain)+k.aead.Overhead())
	out[0] = version
	copy(out[1:], k.id[:])
	_, _ = rand.Read(out[head:]) // never fails: crypto/rand ends the program instead
	return k.aead.Seal(out, out[head:], plain, bound(place, version))
}

// bound is what a sealed value is bound to: its place, and whether it is packed.
func bound(place string, version byte) []byte {
	if version == sealPacked {
		place += "|packed"
	}
	return []byte(place)
}

// open decrypts what seal made for the same place. Any failure is ports.ErrUnreadable: another key sealed it, or it was
// changed, or it was moved from another row.
func (v *vault) open(sealed []byte, place string) ([]byte, error) {
	const head = 1 + 4
	for _, k := range v.keys {
		n := k.aead.NonceSize()
		if len(sealed) < head+n || [4]byte(sealed[1:head]) != k.id {
			continue
		}
		if sealed[0] != sealPlain && sealed[0] != sealPacked {
			return nil, ports.ErrUnreadable
		}
		plain, err := k.aead.Open(nil, sealed[head:head+n], sealed[head+n:], bound(place, sealed[0]))
		if err == nil && sealed[0] == sealPacked {
			plain, err = s2.Decode(nil, plain)
		}
		if err != nil {
			return nil, ports.ErrUnreadable
		}
		return plain, nil
	}
	return nil, ports.ErrUnreadable
}

// indexes returns the keyed hashes of a text, one for each data key, the present
// one first.
func (v *vault) indexes(text string) [][]byte {
	out := make([][]byte, len(v.keys))
	for i, k := range v.keys {
		mac := hmac.New(sha256.New, k.index)
		mac.Write([]byte(text))
		out[i] = mac.Sum(nil)
	}
	return out
}

const proofText = "fichario"

// ErrDataKey is behind what Migrate says of data keys that are not all those which the database was written with.
var ErrDataKey = errors.New("FICHARIO_DATA_KEY")

// prove checks that the data keys at hand are all those that this database is written
// with, and registers the first of them.
func (v *vault) prove(ctx context.Context, db *gorm.DB, now time.Time) error {
	var known []dataKeyRow
	if err := db.WithContext(ctx).Find(&known).Error; err != nil {
		return classify(err)
	}
	opened := 0
	for _, row := range known {
		if _, err := v.open(row.Proof, "data_keys|"+row.ID); err == nil {
			opened++
		}
	}
	switch {
	case opened == 0 && len(known) > 0:
		return fmt.Errorf("%w is not the key that this database was written with", ErrDataKey)
	case opened < len(known):
		return fmt.Errorf("%w lacks a key that part of this database was written with: put it back behind the others, "+
			"and leave it out after `fichario rekey`", ErrDataKey)
	}
	id := v.keys[0].name()
	if slices.ContainsFunc(known, func(row dataKeyRow) bool { return row.ID == id }) {
		return nil // and nothing is written: commands that only read wait for no writer
	}
	row := dataKeyRow{ID: id, Proof: v.seal([]byte(proofText), "data_keys|"+id), CreatedAt: now}
	return classify(db.WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

type dataKeyRow struct {
	ID        string    `gorm:"primaryKey"`
	Proof     []byte    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (dataKeyRow) TableName() string { return "data_keys" }

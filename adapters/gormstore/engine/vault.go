package engine

import (
	"bytes"
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
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klauspost/compress/s2"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/ports"
)

// DataKeySize is the size of a data key in bytes.
const DataKeySize = 32

// Vault encrypts values at rest and makes the keyed hashes by which they are found, so that a copy of the database
// reveals nobody's CPF (design, section 9).
type Vault struct {
	Keys       []dataKey // the first one encrypts
	Unreadable unreadable
}

type dataKey struct {
	Id    [4]byte
	aead  cipher.AEAD
	index []byte
}

// Name is the id in hexadecimal.
func (k dataKey) Name() string { return hex.EncodeToString(k.Id[:]) }

// A sealed value begins with its version; the id of its key follows.
const (
	sealPlain = 1
	// sealPacked: the value was compressed with S2 before encryption, which costs less than the pages it saves.
	sealPacked = 2
)

// packFrom is the size from which compression can pay off.
const packFrom = 1024

func newVault(masters [][]byte) (*Vault, error) {
	if len(masters) == 0 {
		return nil, errors.New("no data key")
	}
	v := &Vault{}
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
		key := dataKey{Id: [4]byte(derived[64:]), aead: aead, index: derived[32:64]}
		if !slices.ContainsFunc(v.Keys, func(k dataKey) bool { return bytes.Equal(k.index, key.index) }) { // given twice
			v.Keys = append(v.Keys, key)
		}
	}
	return v, nil
}

// Seal encrypts plain for one place: opening it for another place fails. The
// sealed value is a version, the key's id, the nonce and the ciphertext.
func (v *Vault) Seal(plain []byte, place string) []byte {
	k, version := v.Keys[0], byte(sealPlain)
	if len(plain) >= packFrom {
		if packed := s2.Encode(nil, plain); len(packed) < len(plain)-len(plain)/8 {
			plain, version = packed, sealPacked
		}
	}
	const head = 1 + 4
	n := k.aead.NonceSize()
	out := make([]byte, head+n, head+n+len(plain)+k.aead.Overhead())
	out[0] = version
	copy(out[1:], k.Id[:])
	_, _ = rand.Read(out[head:]) // never fails: crypto/rand ends the program instead
	return k.aead.Seal(out, out[head:], plain, bound(place, version))
}

// bound is the associated data of a sealed value: its place, and whether it is packed.
func bound(place string, version byte) []byte {
	if version == sealPacked {
		place += "|packed"
	}
	return []byte(place)
}

// Open decrypts what seal made for the same place. Any failure is ports.ErrUnreadable: the value was sealed with
// another key, altered, or moved from another row.
func (v *Vault) Open(sealed []byte, place string) ([]byte, error) {
	const head = 1 + 4
	for _, k := range v.Keys {
		n := k.aead.NonceSize()
		if len(sealed) < head+n || [4]byte(sealed[1:head]) != k.Id {
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

// Indexes returns the keyed hashes of a text, one per data key, the current key's first.
func (v *Vault) Indexes(text string) [][]byte {
	out := make([][]byte, len(v.Keys))
	for i, k := range v.Keys {
		mac := hmac.New(sha256.New, k.index)
		mac.Write([]byte(text))
		out[i] = mac.Sum(nil)
	}
	return out
}

const proofText = "fichario"

// ErrDataKey is wrapped by Migrate's error where some of the data keys that the database was written with are missing.
var ErrDataKey = errors.New("FICHARIO_DATA_KEY")

// Prove checks that all data keys that this database was written with are at hand, and registers the first of the given
// ones.
func (v *Vault) Prove(ctx context.Context, db *gorm.DB, now time.Time) error {
	var known []DataKeyRow
	if err := db.WithContext(ctx).Find(&known).Error; err != nil {
		return Classify(err)
	}
	opened := 0
	for _, row := range known {
		if _, err := v.Open(row.Proof, "data_keys|"+row.ID); err == nil {
			opened++
		}
	}
	switch {
	case opened == 0 && len(known) > 0:
		return fmt.Errorf("%w is not the key that this database was written with", ErrDataKey)
	case opened < len(known):
		return fmt.Errorf("%w lacks a key that part of this database was written with: put it back after the others, "+
			"and remove it after `fichario rekey`", ErrDataKey)
	}
	id := v.Keys[0].Name()
	if slices.ContainsFunc(known, func(row DataKeyRow) bool { return row.ID == id }) {
		return nil // without a write, so that commands that only read wait for no writer
	}
	row := DataKeyRow{ID: id, Proof: v.Seal([]byte(proofText), "data_keys|"+id), CreatedAt: now}
	return Classify(db.WithContext(ctx).Clauses(clause.OnConflict{DoNothing: true}).Create(&row).Error)
}

// DataKeyRow is a data key that something is sealed with.
type DataKeyRow struct {
	ID        string    `gorm:"primaryKey"`
	Proof     []byte    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

// TableName is the table of the row.
func (DataKeyRow) TableName() string { return "data_keys" }

// With is a function of a row that needs a vault, as a function of the row alone.
func With[Row, Opened any](v *Vault, open func(*Vault, Row) Opened) func(Row) Opened {
	return func(row Row) Opened { return open(v, row) }
}

// toldMost bounds how many values are remembered as logged; a lost data key may affect millions.
const toldMost = 1000

// unreadable logs values that cannot be opened, each once, so that a page that shows one does not flood the log.
type unreadable struct {
	log   atomic.Pointer[slog.Logger]
	known sync.Map // of place
	told  atomic.Int64
}

// LogTo sets the log for stored values that cannot be opened. Entries name table, column and id, never content.
func (s *Engine) LogTo(log *slog.Logger) { s.Vault.Unreadable.log.Store(log) }

func (u *unreadable) Tell(place string) {
	log := u.log.Load()
	if log == nil || u.told.Load() >= toldMost {
		return
	}
	if _, known := u.known.LoadOrStore(place, true); known {
		return
	}
	u.told.Add(1)
	log.Error("a stored value cannot be decrypted and is shown as unreadable; fichario doctor --deep finds all of them",
		"place", place)
}

// Shown opens a value of a row that can be shown without it. It reports false where the value cannot be opened.
func (v *Vault) Shown(sealed []byte, place string) ([]byte, bool) {
	plain, err := v.Open(sealed, place)
	if err != nil {
		v.Unreadable.Tell(place)
	}
	return plain, err == nil
}

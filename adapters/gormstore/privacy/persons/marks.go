package persons

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/privacy"
)

const (
	// marksMost bounds the marks remembered for an erasure; beyond it the file is rewritten without a search.
	marksMost = 20_000
	// markMost and markLeast bound the length of a text that is searched for.
	markMost, markLeast = 64, 8
)

// mark remembers the head of sealed values: their nonce is unique.
func mark(p *privacy.Person, sealed ...[]byte) {
	const head, nonce = 1 + 4, 12
	for _, value := range sealed {
		if len(value) >= head+nonce {
			remember(p, value[head:head+nonce])
		}
	}
}

// markTexts remembers a contact's plain texts, as the table and its indexes store them.
func markTexts(p *privacy.Person, row contacts.ContactRow) {
	id := string(row.ID)
	for _, text := range []string{row.Email, strings.ToLower(row.Email), row.Search, row.PhoneE164 + id} {
		if len(text) >= markLeast && text != id {
			remember(p, []byte(text[:min(len(text), markMost)]))
		}
	}
}

func remember(p *privacy.Person, m []byte) {
	if len(p.Marks) > marksMost {
		return
	}
	for _, known := range p.Marks[max(0, len(p.Marks)-50):] {
		if bytes.Equal(known, m) {
			return
		}
	}
	p.Marks = append(p.Marks, bytes.Clone(m))
}

// own says to Citus that a statement is of the person's organisation.
func own(db *gorm.DB, p *privacy.Person) *gorm.DB { return engine.Routed(p.OrgID)(db) }

// markAll marks the values of a column in some rows.
func markAll(db *gorm.DB, p *privacy.Person, table, column, by string, of []string) error {
	var values [][]byte
	err := db.Table(table).Where(by+" IN ? AND "+column+" IS NOT NULL", of).Pluck(column, &values).Error
	mark(p, values...)
	return err
}

// marked reports whether a file contains one of the marks, of at least four bytes each.
func marked(file io.Reader, marks [][]byte) (bool, error) {
	of, some := map[uint32][][]byte{}, make([]bool, 1<<16) // by their first bytes; some rules out most positions
	for _, m := range marks {
		begins := binary.LittleEndian.Uint32(m)
		of[begins] = append(of[begins], m)
		some[begins&0xffff] = true
	}
	buffer := make([]byte, 1<<20)
	kept := 0
	for {
		n, err := io.ReadFull(file, buffer[kept:])
		text := buffer[:kept+n]
		for i := 0; i+4 <= len(text); i++ {
			begins := binary.LittleEndian.Uint32(text[i:])
			if !some[begins&0xffff] {
				continue
			}
			for _, m := range of[begins] {
				if bytes.HasPrefix(text[i:], m) {
					return true, nil
				}
			}
		}
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		kept = copy(buffer, text[max(0, len(text)-markMost):]) // a mark may begin here and end in the next part
	}
}

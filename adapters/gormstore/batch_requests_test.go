package gormstore

import (
	"encoding/hex"
	"errors"
	"strconv"
	"testing"
	"time"

	"fichario/domain/batch"
	"fichario/ports"
)

// TestARequestForABatchBetweenTwoVersions is one: what this version makes stands where the versions before look for it,
// and what those made is found.
func TestARequestForABatchBetweenTwoVersions(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		b := batch.Batch{
			ID: testID(1), OrgID: testID(2), KeyID: testID(3), Product: "cpf", Status: batch.Quoted,
			RequestKey: "pedido", RequestBody: []byte("corpo"), CreatedAt: time.Now(),
		}
		if err := s.Repos().Batches.Create(t.Context(), b); err != nil {
			t.Fatal(s.Writer.Name(), err)
		}
		var before int64
		name := hex.EncodeToString(s.Vault.Indexes("batch|" + b.KeyID + "|pedido")[0])
		body := s.Vault.Indexes("batch|" + b.KeyID + "|corpo")[0]
		if err := s.Reader.Table("batches").Where("request_key = ? AND request_body = ?", name, body).
			Count(&before).Error; err != nil || before != 1 {
			t.Errorf("%s: the version before finds %d, %v", s.Writer.Name(), before, err)
		}
		finds := func(from string) {
			t.Helper()
			for sent, want := range map[string]bool{"corpo": true, "outro": false} {
				found, same, err := s.Repos().Batches.ByRequest(t.Context(), b.OrgID, b.KeyID, "pedido", []byte(sent))
				if err != nil || found.ID != b.ID || same != want {
					t.Errorf("%s: what the version %s made: %q, %v, %v", s.Writer.Name(), from, found.ID, same, err)
				}
			}
		}
		finds("of now")
		var hash string
		var said []byte
		row := s.Reader.Table("batches").Select("request_hash, body_hash").Row()
		if err := row.Scan(&hash, &said); err != nil {
			t.Fatal(s.Writer.Name(), err)
		}
		for back, columns := range [][]any{{hash, said}, {name, body}} {
			err := s.Writer.Exec("UPDATE batches SET request_hash = '', body_hash = NULL, request_key = ?, request_body = ?",
				columns...).Error
			if err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
			finds(strconv.Itoa(1+back) + " before")
		}
		b.ID = testID(4)
		if err := s.Repos().Batches.Create(t.Context(), b); !errors.Is(err, ports.ErrExists) {
			t.Errorf("%s: the same request made another batch: %v", s.Writer.Name(), err)
		}
	}
}

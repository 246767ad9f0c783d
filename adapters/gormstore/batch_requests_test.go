package gormstore

import (
	"encoding/hex"
	"errors"
	"testing"
	"time"

	"fichario/domain/batch"
	"fichario/ports"
)

// TestARequestForABatchBetweenTwoVersions is one: what this version makes stands where the version before looks for it,
// and what that one made is found.
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
		if err := s.Writer.Exec("UPDATE batches SET request_hash = '', body_hash = NULL").Error; err != nil {
			t.Fatal(s.Writer.Name(), err)
		}
		for sent, want := range map[string]bool{"corpo": true, "outro": false} {
			found, same, err := s.Repos().Batches.ByRequest(t.Context(), b.KeyID, "pedido", []byte(sent))
			if err != nil || found.ID != b.ID || same != want {
				t.Errorf("%s: what it made: %q, %v, %v", s.Writer.Name(), found.ID, same, err)
			}
		}
		b.ID = testID(4)
		if err := s.Repos().Batches.Create(t.Context(), b); !errors.Is(err, ports.ErrExists) {
			t.Errorf("%s: the same request made another batch: %v", s.Writer.Name(), err)
		}
	}
}

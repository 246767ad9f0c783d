package engine

import (
	"reflect"
	"testing"
	"time"
)

// sentRow is a row with a column of each kind.
type sentRow struct {
	ID, OrgID UID
	KeyID     *UID
	MemberID  *UID
	Document  []byte
	At        time.Time
	Cache     bool
	Amount    int64
	SettleAt  *time.Time
	Day       string
}

func (sentRow) TableName() string { return "sent" }

func TestArraysOfRows(t *testing.T) {
	t.Parallel()
	at, key := time.Date(2026, 11, 20, 14, 3, 11, 0, time.UTC), UID("k")
	row := sentRow{ID: "i", KeyID: &key, Document: []byte{7}, At: at, Cache: true, Amount: 45, SettleAt: &at}
	entries := Sent{TableOf(row), "e_", map[string]string{"org_id": "'o'", "day": "''"}}
	sent := ArraysOf(3, entries)
	got := map[string]any{}
	for i, value := range sent.Values([]reflect.Value{reflect.ValueOf(&row).Elem(), {}}) {
		got[sent.Columns[i].name] = value
	}
	id, keyID := "i", "k"
	for column, want := range map[string]any{
		"id": []*string{&id, nil}, "key_id": []*string{&keyID, nil}, "member_id": []*string{nil, nil},
		"document": [][]byte{{7}, nil}, "at": []time.Time{at, {}}, "cache": []bool{true, false}, "amount": []int64{45, 0},
		"settle_at": []*time.Time{&at, nil}, "org_id": nil, "day": nil,
	} {
		if !reflect.DeepEqual(got[column], want) {
			t.Errorf("%s: got %v, want %v", column, got[column], want)
		}
	}
}

package gormstore

import (
	"reflect"
	"testing"
	"time"

	"gorm.io/gorm/schema"
)

// TestEveryRowCanBeSent: a column of a type unknown to the statements that bypass GORM would panic at start-up.
func TestEveryRowCanBeSent(t *testing.T) {
	t.Parallel()
	for _, row := range rows {
		fields := reflect.TypeOf(row).Elem().NumField()
		if got := len(tableOf(row.(schema.Tabler)).columns); got != fields { //nolint:forcetypeassert // they all name theirs
			t.Errorf("%T has %d fields and %d columns", row, fields, got)
		}
	}
}

func TestArraysOfRows(t *testing.T) {
	t.Parallel()
	at, key := time.Date(2026, 11, 20, 14, 3, 11, 0, time.UTC), uid("k")
	row := lookupRow{ID: "i", KeyID: &key, Document: []byte{7}, At: at, Cache: true, Amount: 45, SettleAt: &at}
	entries := sent{tableOf(row), "e_", map[string]string{"org_id": "'o'", "day": "''"}}
	sent := arraysOf(3, entries)
	got := map[string]any{}
	for i, value := range sent.values([]reflect.Value{reflect.ValueOf(&row).Elem(), {}}) {
		got[sent.columns[i].name] = value
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

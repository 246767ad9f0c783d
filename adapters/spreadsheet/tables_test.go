package spreadsheet

import (
	"errors"
	"io"
	"strings"
	"testing"

	"fichario/domain/fault"
)

// TestUploadsHaveTheirRoom: per organisation and in total, and reservations are released.
func TestUploadsHaveTheirRoom(t *testing.T) {
	t.Parallel()
	u := NewTables()
	for _, c := range []struct {
		orgID string
		n     int
		want  bool
	}{
		{"a", uploadsEach, true}, {"a", 1, false}, {"b", uploadsEach - 1, true}, {"b", 2, false}, {"c", uploadsEach, true},
		{"d", uploadsEach, true}, {"e", 2, false}, {"e", 1, true}, {"b", 1, false},
	} {
		if got := u.take(c.orgID, c.n); got != c.want {
			t.Errorf("%d bytes of %s: %v", c.n, c.orgID, got)
		}
	}
	u.give("a", uploadsEach)
	body := u.Receive(io.NopCloser(strings.NewReader("CPF\n")), "b")
	if _, err := io.ReadAll(body); fault.CodeOf(err) != fault.ServiceUnavailable || !errors.Is(err, ErrFull) {
		t.Error("beyond what one may have: ", err)
	}
	body.Done()
	body = u.Receive(io.NopCloser(strings.NewReader("CPF\n")), "e")
	if data, err := io.ReadAll(body); string(data) != "CPF\n" || err != nil {
		t.Errorf("%q, %v", data, err)
	}
	body.Done()
	for orgID, n := range map[string]int{"b": uploadsEach - 1, "c": uploadsEach, "d": uploadsEach, "e": 1} {
		u.give(orgID, n)
	}
	if u.all != 0 || len(u.of) != 0 {
		t.Errorf("what is left: %d, %v", u.all, u.of)
	}
}

// TestAFreeSlotIsTaken: a table with a free slot is parsed, even where its wait is over before it looked.
func TestAFreeSlotIsTaken(t *testing.T) {
	t.Parallel()
	u := NewTables()
	u.Within = 0
	for range 100 {
		release, err := u.Turn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		release()
	}
}

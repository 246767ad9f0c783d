package crm

import (
	"testing"
	"time"
)

func TestFirstAssignee(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 11, n, 0, 0, 0, 0, time.UTC) }
	m := func(id string, role Role, active bool, since int) Member {
		return Member{ID: id, Role: role, Active: active, CreatedAt: day(since)}
	}
	for name, c := range map[string]struct {
		members []Member
		want    string
	}{
		"nobody":           {nil, ""},
		"nobody is active": {[]Member{m("a", Owner, false, 1)}, ""},
		"the owner, though younger": {[]Member{
			m("a", Common, true, 1), m("b", Admin, true, 2), m("c", Owner, true, 3),
		}, "c"},
		"an administrator before a member": {[]Member{m("a", Common, true, 1), m("b", Admin, true, 2)}, "b"},
		"past an owner who left":           {[]Member{m("a", Owner, false, 1), m("b", Common, true, 2)}, "b"},
		"the oldest of several":            {[]Member{m("a", Common, true, 3), m("b", Common, true, 2)}, "b"},
		"the oldest owner": {[]Member{
			m("a", Owner, true, 3), m("b", Owner, true, 2), m("c", Owner, false, 1),
		}, "b"},
		"of one moment, the first by its id":  {[]Member{m("b", Common, true, 2), m("a", Common, true, 2)}, "a"},
		"the order of the list has no weight": {[]Member{m("b", Admin, true, 2), m("a", Owner, true, 9)}, "a"},
	} {
		got, ok := FirstAssignee(c.members)
		if got.ID != c.want || ok != (c.want != "") {
			t.Errorf("%s: got %q, %v, want %q", name, got.ID, ok, c.want)
		}
	}
}

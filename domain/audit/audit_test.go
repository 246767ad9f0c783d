package audit_test

import (
	"testing"
	"time"

	"fichario/domain/audit"
)

// TestAHashIsOfAllOfALine except what may change: the subject's hash, and the sealed values, which are hashed as sums.
func TestAHashIsOfAllOfALine(t *testing.T) {
	t.Parallel()
	line := audit.Line{
		ID: "1", OrgID: "o", Number: 1, At: time.Unix(1, 0), Actor: audit.ByMember("m"), Door: audit.API,
		Action: audit.KeyCreated, Object: "k", RequestID: "r", AddressSum: []byte{1}, DetailSum: []byte{2},
	}
	var first audit.Hash
	seen := map[audit.Hash]string{line.After(first): "nothing"}
	for what, change := range map[string]func(*audit.Line){
		"id": func(l *audit.Line) { l.ID = "2" }, "organisation": func(l *audit.Line) { l.OrgID = "p" },
		"number": func(l *audit.Line) { l.Number = 2 }, "time": func(l *audit.Line) { l.At = l.At.Add(time.Microsecond) },
		"actor": func(l *audit.Line) { l.Actor = audit.ByKey("m") }, "door": func(l *audit.Line) { l.Door = audit.Command },
		"action": func(l *audit.Line) { l.Action = audit.KeyRevoked }, "object": func(l *audit.Line) { l.Object = "" },
		"request": func(l *audit.Line) { l.RequestID = "s" }, "address": func(l *audit.Line) { l.AddressSum = nil },
		"detail":    func(l *audit.Line) { l.DetailSum = []byte{3} },
		"what ends": func(l *audit.Line) { l.Object, l.RequestID = "kr", "" },
	} {
		changed := line
		change(&changed)
		if other, known := seen[changed.After(first)]; known {
			t.Errorf("another %s is as %s", what, other)
		}
		seen[changed.After(first)] = what
	}
	if _, known := seen[line.After(audit.Hash{1})]; known {
		t.Error("what is before makes no difference")
	}
	same := line
	same.Subject, same.Address, same.ErasedBy = []byte{9}, "x", "y"
	if same.After(first) != line.After(first) {
		t.Error("what may change makes a difference")
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for _, a := range audit.Actions() {
		if a.Label() == string(a) || !a.Valid() {
			t.Errorf("%s has no words", a)
		}
	}
	if a := audit.Action("x"); a.Valid() || a.Label() != "x" {
		t.Error("an action that is none")
	}
	if a := audit.ByMember("m"); a.Kind() != "membro" || a.ID() != "m" || audit.Operator.ID() != "" {
		t.Error("an actor is somebody else")
	}
	if _, ok := audit.ParseHash("xyz"); ok {
		t.Error("a text is a hash")
	}
}

package lookups

import (
	"strings"
	"testing"
)

func TestTreeIsBounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		raw string
		cut bool
	}{
		{`null`, false}, {`"x"`, false}, {`[]`, false}, {`{"a":{"b":[1,true,null]}}`, false},
		{`[` + strings.Repeat("1,", 1000) + `1]`, true}, {strings.Repeat("[", 500) + strings.Repeat("]", 500), true},
		{`{"a":"` + strings.Repeat("x", 10_000) + `"}`, true},
	} {
		r := readRaw([]byte(c.raw), false)
		if r.Cut != c.cut || !r.Valid || countNodes(r.Tree) > treeNodes+1 {
			t.Errorf("%.30s: cut %t, %d nodes", c.raw, r.Cut, countNodes(r.Tree))
		}
	}
	if r := readRaw([]byte(" \n"), false); !r.Empty {
		t.Error("blank is empty")
	}
}

func countNodes(all []node) int {
	n := len(all)
	for _, child := range all {
		n += countNodes(child.Children)
	}
	return n
}

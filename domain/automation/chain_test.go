package automation

import (
	"fmt"
	"testing"
)

func TestChain(t *testing.T) {
	t.Parallel()
	rule := func(id string, event EventName, does ActionKind, origin string) Automation {
		return Automation{
			ID: id, Event: event, Enabled: true, Action: Action{Kind: does}, Conditions: Conditions{OriginID: origin},
		}
	}
	off := rule("off", ContactCreated, Lookup, "")
	off.Enabled = false
	all := []Automation{
		rule("asks", ContactCreated, Lookup, "fair"), rule("moves", LookupCompleted, MoveStage, ""),
		rule("tells", ContactMoved, HTTP, ""), rule("notes", ContactMoved, AddNote, ""),
		rule("gives", ContactUpdated, Assign, ""), rule("other", LookupCompleted, Email, "site"), off,
	}
	for event, want := range map[EventName]string{
		ContactCreated:  "asks(moves(tells notes(gives)))",
		LookupCompleted: "moves(tells notes(gives)) other",
		ContactUpdated:  "gives",
		BatchCompleted:  "",
	} {
		if got := drawn(Chain(all, event)); got != want {
			t.Errorf("%s leads to %s, not %s", event, got, want)
		}
	}
	loop := []Automation{
		rule("a", ContactUpdated, AddNote, ""), rule("b", ContactUpdated, Assign, ""), rule("c", ContactUpdated, AddNote, ""),
	}
	if got := drawn(Chain(loop, ContactUpdated)); got != "a(b(c) c…) b… c…" {
		t.Errorf("a loop is %s", got)
	}
	var long []Automation
	for i := range 9 {
		does, on := AddNote, ContactMoved
		if i%2 == 0 {
			does, on = MoveStage, ContactUpdated
		}
		long = append(long, rule(fmt.Sprint(i), on, does, ""))
	}
	if deepest := depth(Chain(long, ContactUpdated)); deepest != MaxSteps {
		t.Errorf("a chain has %d steps", deepest)
	}
}

func drawn(links []Link) (out string) {
	for i, l := range links {
		if i > 0 {
			out += " "
		}
		if out += l.ID; l.Again {
			out += "…"
		}
		if len(l.Then) > 0 {
			out += "(" + drawn(l.Then) + ")"
		}
	}
	return out
}

func depth(links []Link) (deepest int) {
	for _, l := range links {
		deepest = max(deepest, 1+depth(l.Then))
	}
	return deepest
}

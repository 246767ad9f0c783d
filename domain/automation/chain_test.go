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

// TestWhatGoesOnAboveIsThere: an automation that goes on as where it was met first has no more that follows here than
// there, where MaxSteps left some out.
func TestWhatGoesOnAboveIsThere(t *testing.T) {
	t.Parallel()
	for n, some := range map[int]bool{3: false, 5: false, 6: true, 9: true} {
		var all []Automation
		for i := range n {
			all = append(all, Automation{
				ID: fmt.Sprint(i), Event: ContactUpdated, Enabled: true, Action: Action{Kind: AddNote},
			})
		}
		first, cut, longer := map[string]int{}, false, false // after how few steps each goes on, from 1
		var walk func(links []Link, steps int)
		walk = func(links []Link, steps int) {
			for _, l := range links {
				if before := first[l.ID]; l.Again && before > steps {
					t.Errorf("of %d, %s after %d steps is said to go on as after %d", n, l.ID, steps, before)
				} else if !l.Again {
					cut, longer = cut || l.Cut, longer || before > 0
					walk(l.Then, steps+1)
					first[l.ID] = steps
					if !l.Cut {
						first[l.ID] = 1
					}
				}
			}
		}
		walk(Chain(all, ContactUpdated), 1)
		if cut != some || longer != some {
			t.Errorf("of %d: cut %t, drawn again after fewer steps %t", n, cut, longer)
		}
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

package automation

import "slices"

// Raises is the event that an action leads to; empty for one that changes nothing here.
func (k ActionKind) Raises() EventName {
	switch k {
	case Lookup:
		return LookupCompleted
	case MoveStage:
		return ContactMoved
	case Assign, AddNote:
		return ContactUpdated
	}
	return ""
}

// MayTrigger reports whether what an automation does may start another: its event does, and no contact can be excluded
// by their origins or webhooks. Conditions in jq are not looked into.
func (a Automation) MayTrigger(other Automation) bool {
	either := func(a, b string) bool { return a == "" || b == "" || a == b }
	return a.ID != other.ID && a.Enabled && other.Enabled && a.Action.Kind.Raises() == other.Event &&
		either(a.Conditions.OriginID, other.Conditions.OriginID) &&
		either(a.Conditions.WebhookID, other.Conditions.WebhookID)
}

// Link is an automation in a chain, with those that it may trigger.
type Link struct {
	ID   string
	Then []Link
	// Again says that the chain goes on as where the automation was met first, Cut that MaxSteps left out some of those
	// that follow.
	Again, Cut bool
}

// Chain returns the automations that an event starts, with what each may trigger. No automation is twice on a way, and
// none goes on twice in the whole, but for one that MaxSteps had cut and that is met again after fewer steps.
func Chain(all []Automation, event EventName) []Link {
	type going struct {
		steps int
		cut   bool
	}
	met := map[string]going{}
	var after func(starts func(Automation) bool, way []string) (out []Link, cut bool)
	after = func(starts func(Automation) bool, way []string) (out []Link, cut bool) {
		for _, a := range all {
			if !starts(a) || slices.Contains(way, a.ID) {
				continue
			}
			if len(way) == MaxSteps {
				return nil, true
			}
			before, was := met[a.ID]
			link := Link{ID: a.ID, Again: was && (!before.cut || before.steps <= len(way))}
			if !link.Again {
				link.Then, link.Cut = after(a.MayTrigger, append(slices.Clone(way), a.ID))
				met[a.ID] = going{len(way), link.Cut}
			}
			out, cut = append(out, link), cut || link.Cut
		}
		return out, cut
	}
	out, _ := after(func(a Automation) bool { return a.Enabled && a.Event == event }, nil)
	return out
}

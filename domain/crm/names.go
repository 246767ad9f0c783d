package crm

// NamedKind is what kind of thing an id stands for.
type NamedKind string

// The kinds of things with names.
const (
	NamedOrigin     NamedKind = "origin"
	NamedWebhook    NamedKind = "webhook"
	NamedStage      NamedKind = "stage"
	NamedMember     NamedKind = "member"
	NamedKey        NamedKind = "key"
	NamedAutomation NamedKind = "automation"
	NamedRotation   NamedKind = "rotation"
)

// Named is something of an organisation that an id stands for.
type Named struct {
	Kind NamedKind
	Name string
	// Stage and Funnel are a stage's: itself, and the name of its funnel.
	Stage  Stage
	Funnel string
	// Member is a member's: id, organisation, name, e-mail, role, and whether they are active.
	Member Member
}

// Names maps ids of one organisation to what they stand for.
type Names map[string]Named

// Has reports whether an id stands for something of a kind.
func (n Names) Has(kind NamedKind, id string) bool { return n[id].Kind == kind }

// Name returns the name of what an id stands for; empty where that is nothing of the kind.
func (n Names) Name(kind NamedKind, id string) string {
	if n.Has(kind, id) {
		return n[id].Name
	}
	return ""
}

// Stage returns the stage with an id, its zero value where there is none.
func (n Names) Stage(id string) Stage { return n[id].Stage }

// Member returns the member with an id, its zero value where there is none.
func (n Names) Member(id string) Member { return n[id].Member }

// Of returns the names of everything of a kind, by id.
func (n Names) Of(kind NamedKind) map[string]string {
	out := map[string]string{}
	for id, named := range n {
		if named.Kind == kind {
			out[id] = named.Name
		}
	}
	return out
}

// View returns a contact with the names behind its ids.
func (n Names) View(c Contact) ContactView {
	stage := n.Stage(c.StageID)
	return ContactView{
		Contact: c, Origin: n.Name(NamedOrigin, c.OriginID), Webhook: n.Name(NamedWebhook, c.WebhookID),
		Funnel: n[c.StageID].Funnel, Stage: stage.Name, StageOutcome: stage.Outcome, Assignee: n.Member(c.AssigneeID),
	}
}

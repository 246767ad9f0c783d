package app

import (
	"context"
	"slices"

	"fichario/domain/crm"
	"fichario/ports"
)

// namesAtOnce is how many ids are looked up one by one; of more, all names of the organisation are read instead.
const namesAtOnce = 500

// NamesOf returns what ids stand for in an organisation. Those that are empty, malformed or another's stand for
// nothing.
func NamesOf(ctx context.Context, r ports.Repos, orgID string, ids ...string) (crm.Names, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !ValidID(id) })
	slices.Sort(ids)
	switch ids = slices.Compact(ids); {
	case len(ids) == 0:
		return crm.Names{}, nil
	case len(ids) > namesAtOnce:
		return r.Names.All(ctx, orgID, slices.Concat(ContactKinds, PeopleKinds, []crm.NamedKind{crm.NamedRotation})...)
	}
	return r.Names.Of(ctx, orgID, ids)
}

// ContactKinds are what the ids in contacts stand for, PeopleKinds who may have asked or changed something.
var (
	ContactKinds = []crm.NamedKind{crm.NamedOrigin, crm.NamedWebhook, crm.NamedStage, crm.NamedMember}
	PeopleKinds  = []crm.NamedKind{crm.NamedMember, crm.NamedKey, crm.NamedAutomation}
)

// IDsIn returns the ids in contacts that stand for something else.
func IDsIn(contacts ...crm.Contact) []string {
	ids := make([]string, 0, 4*len(contacts))
	for _, c := range contacts {
		ids = append(ids, c.OriginID, c.WebhookID, c.StageID, c.AssigneeID)
	}
	return ids
}

// ViewsOf returns contacts of one organisation with the names behind their ids.
func ViewsOf(ctx context.Context, r ports.Repos, orgID string, contacts ...crm.Contact) ([]crm.ContactView, error) {
	n, err := NamesOf(ctx, r, orgID, IDsIn(contacts...)...)
	views := make([]crm.ContactView, len(contacts))
	for i, c := range contacts {
		views[i] = n.View(c)
	}
	return views, err
}

// PersonIn returns the name of a member, a key or an automation, as people say it beside other keys or persons.
func PersonIn(n crm.Names, id string) string {
	if n.Has(crm.NamedKey, id) {
		return n[id].Name
	}
	return ActorIn(n, id)
}

// ActorIn is PersonIn where what is no person is called so.
func ActorIn(n crm.Names, id string) string {
	switch who := n[id]; who.Kind {
	case crm.NamedAutomation:
		return "automação " + who.Name
	case crm.NamedKey:
		return "chave " + who.Name
	default:
		return who.Name
	}
}

// People maps the ids of an organisation's members, keys and automations to their names.
func People(ctx context.Context, r ports.Repos, orgID string) (map[string]string, error) {
	n, err := r.Names.All(ctx, orgID, PeopleKinds...)
	names := map[string]string{}
	for id := range n {
		names[id] = PersonIn(n, id)
	}
	return names, err
}

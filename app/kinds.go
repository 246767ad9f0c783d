package app

import (
	"context"

	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

// ContactKind finds contacts.
var ContactKind = Kind[crm.Contact]{
	Field: "contact", Missing: "Não há contato com este id.",
	Find:  func(r ports.Repos) func(context.Context, string, string) (crm.Contact, error) { return r.Contacts.Find },
	OrgOf: func(c crm.Contact) string { return c.OrgID },
}

// ContactViewKind finds contacts with the names behind their ids.
var ContactViewKind = Kind[crm.ContactView]{
	Field: ContactKind.Field, Missing: ContactKind.Missing,
	Find: func(r ports.Repos) func(context.Context, string, string) (crm.ContactView, error) {
		return func(ctx context.Context, orgID, id string) (crm.ContactView, error) {
			return viewContact(ctx, r, orgID, id)
		}
	},
	OrgOf: func(v crm.ContactView) string { return v.OrgID },
}

func viewContact(ctx context.Context, r ports.Repos, orgID, id string) (crm.ContactView, error) {
	c, err := r.Contacts.Find(ctx, orgID, id)
	if err != nil {
		return crm.ContactView{}, err
	}
	views, err := ViewsOf(ctx, r, c.OrgID, c)
	return views[0], err
}

// EntryKind finds lookups.
var EntryKind = Kind[lookup.Entry]{
	Field: "id", Missing: "Não há consulta com este id.",
	Find: func(r ports.Repos) func(context.Context, string, string) (lookup.Entry, error) {
		return r.Statement.Find
	},
	OrgOf: func(e lookup.Entry) string { return e.OrgID },
}

// Tie sets the contact of a lookup that the caller may see, and of the question that a call of a chain belongs to.
func Tie(ctx context.Context, r ports.Repos, by Caller, lookupID string, about crm.Contact) error {
	e, err := EntryKind.Visible(ctx, r, by, lookupID)
	if err != nil {
		return err
	}
	if about.OrgID != e.OrgID {
		return ContactKind.NotFound()
	}
	if e.FollowedID != "" {
		if err := r.LookupContacts.Tie(ctx, e.OrgID, e.FollowedID, about.ID); err != nil {
			return err
		}
	}
	return r.LookupContacts.Tie(ctx, e.OrgID, lookupID, about.ID)
}

// KeyKind finds keys.
var KeyKind = Kind[access.Key]{
	Field: "id", Missing: "Não há chave com este id.",
	Find:  func(r ports.Repos) func(context.Context, string, string) (access.Key, error) { return r.Keys.Find },
	OrgOf: func(k access.Key) string { return k.OrgID },
}

// HookKind finds webhooks in the form that handling a post needs.
var HookKind = Kind[webhook.Hook]{
	Field: "webhook", Missing: "Não há webhook com este id.",
	Find: func(r ports.Repos) func(context.Context, string, string) (webhook.Hook, error) {
		return r.Webhooks.HookOf
	},
	OrgOf: func(h webhook.Hook) string { return h.OrgID },
}

package app

import (
	"context"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

var contactKind = kind[crm.Contact]{
	field: "contact", missing: "Não há contato com este id.",
	find:  func(r ports.Repos) func(context.Context, string) (crm.Contact, error) { return r.Contacts.Find },
	orgOf: func(c crm.Contact) string { return c.OrgID },
}

// contactViewKind finds contacts with the names behind their ids.
var contactViewKind = kind[crm.ContactView]{
	field: contactKind.field, missing: contactKind.missing,
	find: func(r ports.Repos) func(context.Context, string) (crm.ContactView, error) {
		return func(ctx context.Context, id string) (crm.ContactView, error) { return viewContact(ctx, r, id) }
	},
	orgOf: func(v crm.ContactView) string { return v.OrgID },
}

func viewContact(ctx context.Context, r ports.Repos, id string) (crm.ContactView, error) {
	c, err := r.Contacts.Find(ctx, id)
	if err != nil {
		return crm.ContactView{}, err
	}
	n, err := loadNames(ctx, r, c.OrgID)
	return n.view(c), err
}

var entryKind = kind[lookup.Entry]{
	field: "id", missing: "Não há consulta com este id.",
	find:  func(r ports.Repos) func(context.Context, string) (lookup.Entry, error) { return r.Statement.Find },
	orgOf: func(e lookup.Entry) string { return e.OrgID },
}

// tie sets the contact of a lookup that the caller may see.
func tie(ctx context.Context, r ports.Repos, by Caller, lookupID string, about crm.Contact) error {
	e, err := entryKind.visible(ctx, r, by, lookupID)
	if err != nil {
		return err
	}
	if about.OrgID != e.OrgID {
		return contactKind.notFound()
	}
	return r.Statement.Tie(ctx, lookupID, about.ID)
}

var keyKind = kind[access.Key]{
	field: "id", missing: "Não há chave com este id.",
	find:  func(r ports.Repos) func(context.Context, string) (access.Key, error) { return r.Keys.Find },
	orgOf: func(k access.Key) string { return k.OrgID },
}

// hookKind finds webhooks in the form that handling a post needs.
var hookKind = kind[webhook.Hook]{
	field: "webhook", missing: "Não há webhook com este id.",
	find:  func(r ports.Repos) func(context.Context, string) (webhook.Hook, error) { return r.Webhooks.HookOf },
	orgOf: func(h webhook.Hook) string { return h.OrgID },
}

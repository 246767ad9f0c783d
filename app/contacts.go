package app

import (
	"context"
	"errors"

	"fichario/domain/crm"
	"fichario/ports"
)

// Contacts shows and changes contacts, and shows what the team was told about them.
type Contacts struct {
	store ports.Store
	clock Clock
}

// NewContacts returns the use case.
func NewContacts(store ports.Store, clock Clock) *Contacts {
	return &Contacts{store: store, clock: clock}
}

// ContactView is a contact with the names behind its ids.
type ContactView struct {
	crm.Contact
	// Origin and Webhook are names; empty when there is none.
	Origin, Webhook string
	Funnel, Stage   string
	// Assignee is the member it belongs to; the zero value when nobody does.
	Assignee crm.Member
}

// List returns contacts of an organisation, newest first. Faults: InvalidRequest,
// ServiceUnavailable.
func (c *Contacts) List(ctx context.Context, by Caller, orgID string, limit int) ([]ContactView, error) {
	if err := maySee(ctx, c.store, by, orgID); err != nil {
		return nil, err
	}
	page, err := paged(limit, func(after string, n int) ([]crm.Contact, error) {
		return c.store.Repos().Contacts.Page(ctx, orgID, after, n)
	}, func(k crm.Contact) string { return k.ID })
	if err != nil {
		return nil, err
	}
	n, err := loadNames(ctx, c.store.Repos(), orgID)
	out := make([]ContactView, len(page))
	for i, contact := range page {
		out[i] = n.view(contact)
	}
	return out, err
}

// Show returns a contact with its history, oldest first. Faults: InvalidRequest,
// ServiceUnavailable.
func (c *Contacts) Show(ctx context.Context, by Caller, id string) (ContactView, []crm.Event, error) {
	view, err := c.View(ctx, by, id)
	if err != nil {
		return ContactView{}, nil, err
	}
	events, err := c.store.Repos().Contacts.Events(ctx, id)
	return view, events, err
}

// Notifications returns what the team was told, newest first; what is read is said
// for a member, when one is given. Faults: InvalidRequest, ServiceUnavailable.
func (c *Contacts) Notifications(ctx context.Context, by Caller, orgID, memberID string, limit int) ([]crm.Notification, error) {
	if limit < 1 {
		return nil, invalid("limit", "O limite é de ao menos 1.")
	}
	if err := c.check(ctx, by, orgID, memberID); err != nil {
		return nil, err
	}
	return c.store.Repos().Notifications.List(ctx, orgID, memberID, limit)
}

// Unread counts the notifications that the caller has not read, up to a hundred.
// Fault: ServiceUnavailable.
func (c *Contacts) Unread(ctx context.Context, by Caller) (int, error) {
	return c.store.Repos().Notifications.Unread(ctx, by.OrgID, by.MemberID)
}

// ReadNotifications marks every notification up to now as read by a member. Faults:
// InvalidRequest, ServiceUnavailable.
func (c *Contacts) ReadNotifications(ctx context.Context, by Caller, orgID, memberID string) error {
	if err := c.check(ctx, by, orgID, memberID); err != nil {
		return err
	}
	last, err := c.store.Repos().Notifications.List(ctx, orgID, memberID, 1)
	if err != nil || len(last) == 0 {
		return err
	}
	return c.store.Repos().Notifications.ReadAll(ctx, orgID, memberID, last[0].ID)
}

func (c *Contacts) check(ctx context.Context, by Caller, orgID, memberID string) error {
	if err := maySee(ctx, c.store, by, orgID); err != nil || memberID == "" {
		return err
	}
	_, err := findMember(ctx, c.store, orgID, memberID)
	return err
}

// findMember returns a member of an organisation.
func findMember(ctx context.Context, store ports.Store, orgID, id string) (crm.Member, error) {
	notFound := missing("member", "Não há membro com este id nesta organização.")
	if !validID(id) {
		return crm.Member{}, notFound
	}
	m, err := store.Repos().Members.Find(ctx, id)
	if errors.Is(err, ports.ErrNotFound) || err == nil && m.OrgID != orgID {
		return crm.Member{}, notFound
	}
	return m, err
}

// names are what the ids in contacts of one organisation stand for.
type names struct {
	origins, webhooks map[string]string
	stages, funnels   map[string]string // both by stage
	members           map[string]crm.Member
}

func loadNames(ctx context.Context, r ports.Repos, orgID string) (names, error) {
	n := names{map[string]string{}, map[string]string{}, map[string]string{}, map[string]string{}, map[string]crm.Member{}}
	origins, err := r.Origins.List(ctx, orgID)
	for _, o := range origins {
		n.origins[o.ID] = o.Name
	}
	hooks, err2 := r.Webhooks.List(ctx, orgID)
	for _, w := range hooks {
		n.webhooks[w.ID] = w.Name
	}
	funnels, err3 := r.Funnels.List(ctx, orgID)
	for _, f := range funnels {
		for _, s := range f.Stages {
			n.stages[s.ID], n.funnels[s.ID] = s.Name, f.Name
		}
	}
	members, err4 := r.Members.List(ctx, orgID)
	for _, m := range members {
		n.members[m.ID] = m
	}
	return n, errors.Join(err, err2, err3, err4)
}

func (n names) view(c crm.Contact) ContactView {
	return ContactView{
		Contact: c, Origin: n.origins[c.OriginID], Webhook: n.webhooks[c.WebhookID], Funnel: n.funnels[c.StageID], Stage: n.stages[c.StageID],
		Assignee: n.members[c.AssigneeID],
	}
}

func viewContact(ctx context.Context, r ports.Repos, id string) (ContactView, error) {
	c, err := r.Contacts.Find(ctx, id)
	if err != nil {
		return ContactView{}, err
	}
	n, err := loadNames(ctx, r, c.OrgID)
	return n.view(c), err
}

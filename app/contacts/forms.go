package contacts

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/crm"
)

// Choices are the options that the forms about contacts offer.
type Choices struct {
	Funnels []crm.Funnel
	Origins []crm.Origin
	// Members includes inactive ones. Webhooks are names by id.
	Members  []crm.Member
	Webhooks []Choice
}

// Choice is one option.
type Choice struct{ ID, Name string }

// Choices returns what the forms about contacts offer to a caller. Fault:
// ServiceUnavailable.
func (c *Contacts) Choices(ctx context.Context, by app.Caller) (Choices, error) {
	var out Choices
	orgID, err := by.Org()
	if err != nil {
		return out, err
	}
	r := c.store.Repos()
	funnels, err := r.Funnels.List(ctx, orgID)
	origins, err2 := r.Origins.List(ctx, orgID)
	members, err3 := r.Members.List(ctx, orgID)
	hooks, err4 := r.Webhooks.List(ctx, orgID)
	for _, hook := range hooks {
		out.Webhooks = append(out.Webhooks, Choice{hook.ID, hook.Name})
	}
	out.Funnels, out.Origins, out.Members = funnels, origins, members
	return out, errors.Join(err, err2, err3, err4)
}

package ports

import (
	"context"

	"fichario/domain/crm"
)

// Funnels stores funnels and their stages.
type Funnels interface {
	Create(ctx context.Context, f crm.Funnel) error
	// Update writes the name and the stages of a funnel: new ones are added, missing ones removed. From then on, until the
	// transaction ends, nothing can be put into a removed one.
	Update(ctx context.Context, f crm.Funnel) error
	// List returns the funnels of an organisation, the default one first, each with
	// its stages in order.
	List(ctx context.Context, orgID string) ([]crm.Funnel, error)
}

// Origins stores where contacts come from.
type Origins interface {
	// Create returns ErrExists when the organisation has an origin whose name
	// differs at most by case or accents.
	Create(ctx context.Context, o crm.Origin) error
	// Rename changes a name; ErrExists as for Create, ErrNotFound when there is none.
	Rename(ctx context.Context, o crm.Origin) error
	// Remove removes an origin that nothing is linked to; ErrExists when something is.
	Remove(ctx context.Context, o crm.Origin) error
	// List returns the origins of an organisation by name.
	List(ctx context.Context, orgID string) ([]crm.Origin, error)
}

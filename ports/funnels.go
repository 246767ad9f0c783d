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

// Rotations stores the rotations that give contacts to members in turn.
type Rotations interface {
	Create(ctx context.Context, r crm.Rotation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, orgID, id string) (crm.Rotation, error)
	// List returns the rotations of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]crm.Rotation, error)
	// Update writes name and members, but not how many contacts each got; ErrNotFound when there is none.
	Update(ctx context.Context, r crm.Rotation) error
	// Remove removes a rotation and its counts; ErrNotFound when there is none.
	Remove(ctx context.Context, r crm.Rotation) error
	// Turn takes the next turn of a rotation and returns the member, from a sequence that is not empty, whose turn it is;
	// other callers wait until the transaction ends. Only inside InTx.
	Turn(ctx context.Context, orgID, id string, sequence []string) (string, error)
}

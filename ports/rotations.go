package ports

import (
	"context"

	"fichario/domain/crm"
)

// Rotations stores the rotations that give contacts to members in turn.
type Rotations interface {
	Create(ctx context.Context, r crm.Rotation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Rotation, error)
	// List returns the rotations of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]crm.Rotation, error)
	// Update writes name and members, but not how many contacts each got; ErrNotFound when there is none.
	Update(ctx context.Context, r crm.Rotation) error
	// Remove removes a rotation and its counts; ErrNotFound when there is none.
	Remove(ctx context.Context, r crm.Rotation) error
	// Turn takes the next turn of a rotation and returns the member, from a sequence that is not empty, whose turn it is;
	// other callers wait until the transaction ends. Only inside InTx.
	Turn(ctx context.Context, id string, sequence []string) (string, error)
}

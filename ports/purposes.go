package ports

import (
	"context"

	"fichario/domain/crm"
)

// Purposes stores what organisations look people up for. None is ever removed, because lookups keep their codes.
type Purposes interface {
	// Create returns ErrExists when the organisation has a purpose with the code.
	Create(ctx context.Context, p crm.Purpose) error
	// Update changes name, basis, roles and whether it is retired; ErrNotFound when there is none.
	Update(ctx context.Context, p crm.Purpose) error
	// List returns the purposes of an organisation, retired or not, oldest first.
	List(ctx context.Context, orgID string) ([]crm.Purpose, error)
}

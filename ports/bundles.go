package ports

import (
	"context"

	"fichario/domain/catalog"
)

// Bundles stores the products that organisations ask for together.
type Bundles interface {
	// Create returns ErrExists when the organisation has a bundle whose name differs at most by case or accents.
	Create(ctx context.Context, b catalog.Bundle) error
	// Update changes the name and the products; ErrExists as for Create, ErrNotFound when there is none.
	Update(ctx context.Context, b catalog.Bundle) error
	// Remove returns ErrNotFound when there is none.
	Remove(ctx context.Context, b catalog.Bundle) error
	// List returns the bundles of an organisation by name.
	List(ctx context.Context, orgID string) ([]catalog.Bundle, error)
}

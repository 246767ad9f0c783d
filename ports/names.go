package ports

import (
	"context"

	"fichario/domain/crm"
)

// Names reads what ids of an organisation stand for.
type Names interface {
	// Of returns those among some ids that stand for something of the organisation, in one statement. The ids must be
	// UUIDs.
	Of(ctx context.Context, orgID string, ids []string) (crm.Names, error)
	// All returns everything of an organisation that is of some kinds, in one statement.
	All(ctx context.Context, orgID string, kinds ...crm.NamedKind) (crm.Names, error)
}

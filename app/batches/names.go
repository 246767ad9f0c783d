package batches

import (
	"context"

	"fichario/app"
)

// Names maps the ids of the organisation's members and keys to their names, to show who made a batch. Faults: NotFound,
// ServiceUnavailable.
func (b *Batches) Names(ctx context.Context, by app.Caller) (map[string]string, error) {
	orgID, err := by.Org()
	if err != nil {
		return nil, err
	}
	return app.People(ctx, b.Store.Repos(), orgID)
}

package app

import "context"

// Names maps the ids of the organisation's members and keys to their names, to show who made a batch. Faults: NotFound,
// ServiceUnavailable.
func (b *Batches) Names(ctx context.Context, by Caller) (map[string]string, error) {
	orgID, err := by.org()
	if err != nil {
		return nil, err
	}
	return people(ctx, b.Store, orgID)
}

package app

import "context"

// Names are the names of the organisation's members and keys by id, for who made a batch. Faults: NotFound,
// ServiceUnavailable.
func (b *Batches) Names(ctx context.Context, by Caller) (map[string]string, error) {
	orgID, err := by.org()
	if err != nil {
		return nil, err
	}
	return people(ctx, b.Store, orgID)
}

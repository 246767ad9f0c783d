package main

import (
	"context"

	"fichario/adapters/gormstore"
	"fichario/app/privacy"
)

// demoErased is one of the demonstration's documents, of a person who asks for erasure.
const demoErased = "69893557275"

// demoErasure begins the erasure of a person, with a block; the service completes it like any other.
func demoErasure(ctx context.Context, e *environment, store *gormstore.Store) error {
	owner, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return err
	}
	_, err = subjectsOf(e, store).Erase(ctx, owner, privacy.SubjectQuery{OrgID: demoOrg, Document: demoErased}, true)
	return err
}

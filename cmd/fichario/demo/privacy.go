package demo

import (
	"context"

	"fichario/adapters/gormstore"
	"fichario/app/privacy"
	"fichario/cmd/fichario/command"
	privacycommands "fichario/cmd/fichario/privacy"
)

// demoErased is one of the demonstration's documents, of a person who asks for erasure.
const demoErased = "69893557275"

// demoErasure begins the erasure of a person, with a block; the service completes it like any other.
func demoErasure(ctx context.Context, e *command.Environment, store *gormstore.Store) error {
	owner, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return err
	}
	_, err = privacycommands.SubjectsOf(e, store).Erase(ctx, owner,
		privacy.SubjectQuery{OrgID: demoOrg, Document: demoErased}, true)
	return err
}

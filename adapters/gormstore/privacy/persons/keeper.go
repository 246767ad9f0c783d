package persons

import (
	"context"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/privacy"
)

// keeper is what the store knows of one kind of personal data, beside how it is found at all (privacy.Kind.Found). A
// kind that is erased along with another has none.
type keeper struct {
	kind privacy.Kind
	// table has the rows, within selects those of an organisation.
	table, within string
	// indexed says that the ids of an organisation's rows have an index.
	indexed bool
	// names tells whom some rows name, for the index of persons, and for an erasure of which only hashes are left. It is
	// nil where rows of another kind name the same.
	names func(v *engine.Vault, some *gorm.DB, tell telling) error
	// about returns those of some rows that are about a person, where they are found by opening each.
	about func(f finding, some *gorm.DB) ([]string, error)
	// read returns rows as values of the domain; nil where the use cases read them by another repository.
	read func(ctx context.Context, r subjects, chosen ...engine.Scope) ([]any, error)
	// erase removes rows, or what is personal in them, and counts what that was.
	erase func(r subjects, db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error)
}

// telling is told of a row, and whom it names.
type telling func(id, orgID engine.UID, who []privacy.Identity)

// ofOrg selects the rows of an organisation where these say whose they are.
const ofOrg = "org_id = ?"

var keepers = []keeper{
	keptLookups, keptItems, keptContacts, keptParts, keptRemoved, keptRows, keptPosts, keptBatches,
	keptImports, keptNotices, keptTexts,
}

func keeperOf(k privacy.Kind) keeper {
	return keepers[slices.IndexFunc(keepers, func(one keeper) bool { return one.kind == k })]
}

// traced are the kinds that feed the index of persons.
func traced() []keeper {
	return slices.DeleteFunc(slices.Clone(keepers), func(k keeper) bool { return k.kind.Found() != privacy.ByIndex })
}

// naming makes names of a function that tells one row's; columns are those that it needs, all by default.
func naming[Row any](
	one func(*engine.Vault, Row) (id, orgID engine.UID, who []privacy.Identity), columns ...string,
) func(*engine.Vault, *gorm.DB, telling) error {
	return func(v *engine.Vault, some *gorm.DB, tell telling) error {
		var rows []Row
		err := some.Select(columns).Find(&rows).Error
		for _, row := range rows {
			tell(one(v, row))
		}
		return err
	}
}

// each makes erase of a function that takes what is personal out of one row, which is locked, and says whether it did.
func each[Row any](
	kind privacy.Kind, one func(subjects, *gorm.DB, *privacy.Person, Row) (bool, error),
) func(subjects, *gorm.DB, *privacy.Person, []string) (privacy.Counts, error) {
	return func(r subjects, db *gorm.DB, p *privacy.Person, ids []string) (privacy.Counts, error) {
		var rows []Row
		err := engine.Locked("UPDATE", "")(db).Order("id").Find(&rows, "id IN ? AND org_id = ?", ids, p.OrgID).Error
		gone := privacy.Counts{}
		for i := 0; i < len(rows) && err == nil; i++ {
			var did bool
			if did, err = one(r, db, p, rows[i]); did {
				gone[kind]++
			}
		}
		return gone, err
	}
}

// reading reads rows that as turns into values of the domain.
func reading[Row, Out any](
	as func(*engine.Vault, Row) Out,
) func(context.Context, subjects, ...engine.Scope) ([]any, error) {
	return func(ctx context.Context, r subjects, chosen ...engine.Scope) ([]any, error) {
		return engine.FindAll(ctx, r.Query, "subjects.read", func(row Row) any { return as(r.store.Vault, row) }, chosen...)
	}
}

// finding looks for what is about a person.
type finding struct {
	subjects
	p *privacy.Person
	// mine are the person's contacts.
	mine map[string]bool
}

// his reports whether a contact is the person's.
func (f finding) his(id *engine.UID) bool { return id != nil && f.mine[string(*id)] }

// mention reports whether a sealed text names the person.
func (f finding) mention(sealed []byte, place string) bool {
	plain, err := f.store.Vault.Open(sealed, place)
	return err == nil && f.p.Mentions(string(plain))
}

// opening makes about of a function that tells of one row; columns are those that it needs, all by default.
func opening[Row any](
	one func(finding, Row) (id engine.UID, is bool), columns ...string,
) func(finding, *gorm.DB) ([]string, error) {
	return func(f finding, some *gorm.DB) (ids []string, err error) {
		var rows []Row
		err = some.Select(columns).Find(&rows).Error
		for _, row := range rows {
			if id, is := one(f, row); is {
				ids = append(ids, string(id))
			}
		}
		return ids, err
	}
}

func (r subjects) Erase(
	ctx context.Context, p *privacy.Person, k privacy.Kind, ids []string,
) (gone privacy.Counts, err error) {
	err = r.Inside(ctx, "subjects.erase", func(db *gorm.DB) error {
		if len(ids) == 0 {
			return nil
		}
		gone, err = keeperOf(k).erase(r, db.Session(&gorm.Session{NewDB: true}), p, ids)
		return err
	})
	return gone, err
}

// untrace removes rows from the index of people.
func (r subjects) untrace(
	db *gorm.DB, p *privacy.Person, k privacy.Kind, ids []string, others ...privacy.Identity,
) error {
	if len(ids) == 0 {
		return nil
	}
	secret, err := r.store.SubjectSecret(db.Statement.Context)
	if err != nil {
		return err
	}
	hashes := engine.Mapped(slices.Concat(p.Identities, others), func(i privacy.Identity) []byte {
		return engine.SubjectHash(secret, p.OrgID, i)
	})
	for some := range slices.Chunk(hashes, privacyrows.HashesAtOnce) {
		err := db.Delete(&privacyrows.TraceRow{}, "subject IN ? AND kind = ? AND row_id IN ?", some, string(k), ids).Error
		if err != nil {
			return err
		}
	}
	return nil
}

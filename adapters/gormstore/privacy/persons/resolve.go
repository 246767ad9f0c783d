package persons

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/privacy"
)

// resolving searches for identities whose hashes are known.
type resolving struct {
	subjects
	secret []byte
	orgID  string
	wanted map[string]bool // by hash; true until found
	found  []privacy.Identity
}

func (r subjects) Resolve(ctx context.Context, orgID string, hashes [][]byte) ([]privacy.Identity, error) {
	secret, err := r.store.SubjectSecret(ctx)
	if err != nil {
		return nil, err
	}
	look := &resolving{subjects: r, secret: secret, orgID: orgID, wanted: map[string]bool{}}
	for _, hash := range hashes {
		look.wanted[string(hash)] = true
	}
	if err := look.traced(ctx); err != nil {
		return nil, err
	}
	for _, kept := range keepers {
		if kept.names == nil || kept.kind.Found() == privacy.ByIndex {
			continue
		}
		for last := engine.BeforeAll; last != "" && slices.Contains(slices.Collect(maps.Values(look.wanted)), true); {
			if last, err = look.step(ctx, kept, last); err != nil {
				return nil, err
			}
		}
	}
	return look.found, nil
}

// sees records those of a row's identities that are wanted.
func (l *resolving) sees(_, _ engine.UID, identities []privacy.Identity) {
	for _, i := range identities {
		hash := string(engine.SubjectHash(l.secret, l.orgID, i))
		if l.wanted[hash] {
			l.wanted[hash], l.found = false, append(l.found, i)
		}
	}
}

// traced opens one indexed row of each person.
func (l *resolving) traced(ctx context.Context) error {
	return l.Query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		for hash := range l.wanted {
			for _, kept := range traced() {
				var trace privacyrows.TraceRow
				one := db.Session(&gorm.Session{NewDB: true})
				found := one.Limit(1).Find(&trace, "subject = ? AND kind = ?", []byte(hash), string(kept.kind))
				if found.Error != nil {
					return found.Error
				}
				if found.RowsAffected == 0 {
					continue
				}
				if err := kept.names(l.store.Vault, one.Where("id = ?", trace.RowID).Limit(1), l.sees); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// step searches the next rows of a table, and returns the last id, or nothing at the end.
func (l *resolving) step(ctx context.Context, kept keeper, last string) (next string, err error) {
	err = l.Query(ctx, "subjects.resolve", func(db *gorm.DB) error {
		if next, err = engine.EndOfStep(db, kept.table, last, engine.StepRows); err != nil {
			return err
		}
		some := db.Session(&gorm.Session{NewDB: true}).Where("id > ? AND id <= ?", last, cmp.Or(next, engine.AfterAll))
		return kept.names(l.store.Vault, some.Where(kept.within, l.orgID), l.sees)
	})
	return next, err
}

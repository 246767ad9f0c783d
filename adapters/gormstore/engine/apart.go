package engine

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"slices"
	"sync/atomic"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/ports"
)

// Citus sends a statement to one node where every distributed table in it is bound to one organisation by a value. So
// statements for calls of several organisations name these too: on Citus, they are one (NewApart).

// Distinct are the organisations of some rows, as a parameter of a statement.
func Distinct[T any](rows []T, org func(T) UID) []string {
	var out []string
	seen := map[UID]bool{}
	for _, row := range rows {
		if id := org(row); !seen[id] {
			seen[id] = true
			out = append(out, string(id))
		}
	}
	return out
}

// AnyOf compares with one of the organisations that a parameter names.
func AnyOf(parameter int) string { return fmt.Sprintf("= ANY ($%d::text[]::uuid[])", parameter) }

// OfOrgs is the condition that a table's row is of one of the organisations that a parameter names.
func OfOrgs(table string, parameter int) string { return table + ".org_id " + AnyOf(parameter) }

// dialect is that of PostgreSQL, and knows whether Citus divides the tables.
type dialect struct {
	postgres.Dialector
	distributed *atomic.Bool
}

// Distributed reports whether Citus divides the tables by organisation.
func Distributed(db *gorm.DB) bool {
	d, ok := db.Dialector.(dialect)
	return ok && d.distributed.Load()
}

// candidatesMost is how many rows EachOrg looks at for their organisations.
const candidatesMost = 200

// EachOrg runs what locks rows of any organisation. Citus locks those of one at a time: there f runs for each
// organisation of the next rows that a query selects, in their order, until it has found some.
func EachOrg(next *gorm.DB, f func(of Scope) (found bool, err error)) error {
	if !Distributed(next) {
		_, err := f(func(db *gorm.DB) *gorm.DB { return db })
		return err
	}
	orgs, err := organisationsOf(next)
	for _, org := range orgs {
		if found, err := f(Where("org_id = ?", org)); err != nil || found {
			return err
		}
	}
	return err
}

// EveryOrg is EachOrg for what locks rows of all of these organisations in one transaction: in the order of their ids,
// so that no two deadlock.
func EveryOrg(next *gorm.DB, f func(of Scope) error) error {
	if !Distributed(next) {
		return f(func(db *gorm.DB) *gorm.DB { return db })
	}
	orgs, err := organisationsOf(next)
	slices.Sort(orgs)
	for _, org := range orgs {
		if err := f(Where("org_id = ?", org)); err != nil {
			return err
		}
	}
	return err
}

// organisationsOf are those of the next rows that a query selects, in their order.
func organisationsOf(next *gorm.DB) ([]string, error) {
	var orgs []UID
	err := next.Limit(candidatesMost).Pluck("org_id", &orgs).Error
	return Distinct(orgs, func(id UID) UID { return id }), err
}

// WithOrg is the condition on an organisation beside one whose index is to be walked: SQLite, which has no statistics,
// would walk the organisation's, and PostgreSQL sometimes.
func WithOrg(db *gorm.DB) string { return withOrg(db, "org_id") }

func withOrg(db *gorm.DB, column string) string {
	if Distributed(db) {
		return column + " = ?"
	}
	return "CAST(" + column + " AS text) = ?"
}

// Routed says to Citus which organisation's rows a statement reads, where it finds those of one anyway.
func Routed(orgID string) Scope {
	return func(db *gorm.DB) *gorm.DB {
		if !Distributed(db) {
			return db
		}
		return db.Where("org_id = ?", orgID)
	}
}

// RoutedAny is Routed for rows of some organisations.
func RoutedAny[T ~string](orgIDs []T) Scope {
	return func(db *gorm.DB) *gorm.DB {
		if !Distributed(db) {
			return db
		}
		return db.Where("org_id IN ?", orgIDs)
	}
}

// OnCitus is a part of a statement for Citus alone.
func OnCitus(db *gorm.DB, part string) string {
	if Distributed(db) {
		return part
	}
	return ""
}

// LockedAlone is Locked for rows of any organisation, which are then changed only if they are still as they were found:
// Citus cannot lock them.
func LockedAlone(strength, options string) Scope {
	return func(db *gorm.DB) *gorm.DB {
		if Distributed(db) {
			return db
		}
		return Locked(strength, options)(db)
	}
}

// ofItsOwn binds a query that locks the row with an id to the organisation of that row.
func ofItsOwn(db *gorm.DB) *gorm.DB {
	if _, locks := db.Statement.Clauses["FOR"]; !locks || !Distributed(db) {
		return db
	}
	var orgs []UID
	where := db.Statement.Clauses["WHERE"].Expression
	err := db.Session(&gorm.Session{NewDB: true}).Model(db.Statement.Model).Clauses(where.(clause.Interface)).Limit(1).
		Pluck("org_id", &orgs).Error
	if err != nil || len(orgs) == 0 {
		_ = db.AddError(cmp.Or(err, gorm.ErrRecordNotFound))
		return db
	}
	return db.Where("org_id = ?", orgs[0])
}

// LockNumber is the number of an advisory lock of an organisation on PostgreSQL. Organisations that share a number only
// wait for each other.
func LockNumber(of string, orgID UID) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(of + "|" + string(orgID)))
	return int64(h.Sum64())
}

// TryAgain reports whether a transaction that has collided is to be tried again. Citus locks a table of which each node
// has a copy as a whole: there a try comes later than the one before, and the number of them is larger.
func TryAgain(ctx context.Context, db *gorm.DB, tried int) bool {
	if !Distributed(db) {
		return tried < 3 && ctx.Err() == nil
	}
	return tried < 10 && Pause(ctx, time.Duration(tried)*ports.Spread(50*time.Millisecond)) == nil
}

// Pause waits, at most until the context ends.
func Pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
	return ctx.Err()
}

package engine

import (
	"errors"
	"strconv"
	"strings"

	"gorm.io/gorm"
	"gorm.io/gorm/callbacks"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"
	"gorm.io/gorm/schema"
	"modernc.org/sqlite"
	sqlitelib "modernc.org/sqlite/lib"
)

// sqliteDialect teaches GORM SQLite through a driver that keeps its prepared statements; GORM's own dialect would also
// link a driver in C. Tables are made by migrations alone, so it has no migrator.
type sqliteDialect struct {
	ways ways
	dsn  string
}

func (sqliteDialect) Name() string { return "sqlite" }

func (d sqliteDialect) Initialize(db *gorm.DB) error {
	db.ConnPool = d.ways.open(d.dsn)
	callbacks.RegisterDefaultCallbacks(db, &callbacks.Config{
		CreateClauses: []string{"INSERT", "VALUES", "ON CONFLICT", "RETURNING"},
		UpdateClauses: []string{"UPDATE", "SET", "FROM", "WHERE", "RETURNING"},
		DeleteClauses: []string{"DELETE", "FROM", "WHERE", "RETURNING"},
	})
	// SQLite has one writer and no row locks.
	db.ClauseBuilders["FOR"] = func(clause.Clause, clause.Builder) {}
	// A limit passed as a parameter makes SQLite plan the statement again at each execution.
	db.ClauseBuilders["LIMIT"] = func(c clause.Clause, b clause.Builder) {
		limit, ok := c.Expression.(clause.Limit)
		if !ok || limit.Limit == nil && limit.Offset <= 0 {
			return
		}
		most := -1 // an offset needs a limit; -1 is none
		if limit.Limit != nil {
			most = *limit.Limit
		}
		_, _ = b.WriteString("LIMIT " + strconv.Itoa(most))
		if limit.Offset > 0 {
			_, _ = b.WriteString(" OFFSET " + strconv.Itoa(limit.Offset))
		}
	}
	return nil
}

func (sqliteDialect) Migrator(*gorm.DB) gorm.Migrator { return nil }

func (sqliteDialect) DataTypeOf(*schema.Field) string { return "" }

func (sqliteDialect) DefaultValueOf(*schema.Field) clause.Expression { return clause.Expr{SQL: "NULL"} }

func (sqliteDialect) BindVarTo(w clause.Writer, _ *gorm.Statement, _ any) { _ = w.WriteByte('?') }

func (sqliteDialect) QuoteTo(w clause.Writer, name string) {
	for i, part := range strings.Split(name, ".") {
		if i > 0 {
			_ = w.WriteByte('.')
		}
		_, _ = w.WriteString("`" + part + "`")
	}
}

func (sqliteDialect) Explain(statement string, values ...any) string {
	return logger.ExplainSQL(statement, nil, `"`, values...)
}

// Translate maps the driver's errors to GORM's.
func (sqliteDialect) Translate(err error) error {
	var said *sqlite.Error
	if errors.As(err, &said) {
		switch said.Code() {
		case sqlitelib.SQLITE_CONSTRAINT_UNIQUE, sqlitelib.SQLITE_CONSTRAINT_PRIMARYKEY:
			return gorm.ErrDuplicatedKey
		case sqlitelib.SQLITE_CONSTRAINT_FOREIGNKEY:
			return gorm.ErrForeignKeyViolated
		}
	}
	return err
}

// SavePoint and RollbackTo nest a transaction.
func (sqliteDialect) SavePoint(tx *gorm.DB, name string) error {
	return tx.Exec("SAVEPOINT " + name).Error
}

func (sqliteDialect) RollbackTo(tx *gorm.DB, name string) error {
	return tx.Exec("ROLLBACK TO SAVEPOINT " + name).Error
}

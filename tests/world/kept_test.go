package world_test

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"

	gormengine "fichario/adapters/gormstore/engine"
)

// kept is SQLite's driver, which keeps connections, and the statements that those keep, for later worlds, which have
// one file: a new connection would read the whole schema first.
type kept struct{ driver.Driver }

// idle are connections that nobody uses, by what they were opened with.
var idle = struct {
	sync.Mutex
	by map[string][]*keptConn
}{by: map[string][]*keptConn{}}

type keptConn struct {
	gormengine.LiteConn
	dsn string
}

func (k kept) Open(dsn string) (driver.Conn, error) {
	idle.Lock()
	defer idle.Unlock()
	if all := idle.by[dsn]; len(all) > 0 {
		idle.by[dsn] = all[:len(all)-1]
		return all[len(all)-1], nil
	}
	conn, err := k.Driver.Open(dsn)
	if err != nil {
		return nil, err
	}
	return &keptConn{conn.(gormengine.LiteConn), dsn}, nil
}

func (c *keptConn) Close() error {
	_, _ = c.LiteConn.ExecContext(context.Background(), "ROLLBACK", nil) // where there is anything
	idle.Lock()
	defer idle.Unlock()
	idle.by[c.dsn] = append(idle.by[c.dsn], c)
	return nil
}

func (c *keptConn) ExecContext(ctx context.Context, q string, args []driver.NamedValue) (driver.Result, error) {
	if q == "VACUUM" { // after it, every connection would read the schema again
		return driver.ResultNoRows, nil
	}
	return c.LiteConn.ExecContext(ctx, q, args)
}

// file is the one file of SQLite's worlds.
type file struct {
	path   string
	driver kept
	db     *sql.DB  // outside of worlds
	empty  []string // the statements that make it as it was after its migration
}

// connector opens connections to the file that are kept.
type connector struct {
	kept
	dsn string
}

func (c connector) Connect(context.Context) (driver.Conn, error) { return c.Open(c.dsn) }
func (c connector) Driver() driver.Driver                        { return c.kept }

func (f *file) open(how string) *sql.DB {
	return sql.OpenDB(connector{f.driver, "file:" + f.path + how})
}

// openFile opens a file that is migrated.
func openFile(path string) (*file, error) {
	none, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, err
	}
	defer func() { _ = none.Close() }()
	f := &file{path: path, driver: kept{gormengine.Kept{Driver: none.Driver()}}}
	f.db = f.open("")
	f.db.SetMaxOpenConns(1)
	rows, err := f.db.Query(`SELECT name, sql LIKE 'CREATE VIRTUAL%' FROM sqlite_master WHERE type = 'table' AND
		name NOT LIKE 'sqlite%' AND name NOT LIKE 'contact_trigrams_%' AND name <> 'goose_db_version'`)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	tables, last := []string{"contacts"}, []string{} // while the triggers of its removal find what they remove
	for rows.Next() {
		var name string
		var virtual bool
		err = errors.Join(err, rows.Scan(&name, &virtual))
		if virtual {
			last = append(last, "INSERT INTO "+name+" ("+name+") VALUES ('delete-all')")
		} else {
			tables = append(tables, name)
		}
	}
	err = errors.Join(err, rows.Err(), rows.Close())
	for _, name := range tables {
		var some bool
		err = errors.Join(err, f.db.QueryRow("SELECT EXISTS (SELECT 1 FROM "+name+")").Scan(&some))
		if f.empty = append(f.empty, "DELETE FROM "+name); some && err == nil {
			_, err = f.db.Exec("CREATE TEMP TABLE made_" + name + " AS SELECT * FROM " + name)
			f.empty = append(f.empty, "INSERT INTO "+name+" SELECT * FROM made_"+name)
		}
	}
	f.empty = append(f.empty, last...)
	return f, err
}

// reset makes it as it was after its migration.
func (f *file) reset() error {
	tx, err := f.db.Begin()
	if err != nil {
		return err
	}
	for _, statement := range f.empty {
		if _, err := tx.Exec(statement); err != nil {
			return errors.Join(fmt.Errorf("%s: %w", statement, err), tx.Rollback())
		}
	}
	return tx.Commit()
}

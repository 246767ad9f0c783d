package gormstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	"fichario/domain/document"
)

// Rekey re-encrypts with the first data key what other keys sealed, and then forgets those keys, so that they can be
// dropped from the configuration. It may run beside a service whose instances all have the current first key first, and
// may be interrupted and run again. It returns how many values it sealed. A post's receipt is a hash under the old key,
// which cannot be recomputed.
func (s *Store) Rekey(ctx context.Context) (n int, err error) {
	for _, c := range s.sealed() {
		for last := engine.BeforeAll; last != ""; {
			var m int
			var begun time.Time
			after := last
			err = insisting(ctx, func() (err error) {
				m, last, begun, err = s.rekey(ctx, c.Table, c.Column, after)
				return err
			})
			if err != nil {
				return n, fmt.Errorf("%s.%s: %w", c.Table, c.Column, engine.Classify(err))
			}
			n += m
			if err := engine.Rest(ctx, begun); err != nil {
				return n, err
			}
		}
	}
	err = insisting(ctx, func() error {
		return s.Writer.WithContext(ctx).Delete(&engine.DataKeyRow{}, "id <> ?", s.Vault.Keys[0].Name()).Error
	})
	return n, engine.Named("store.rekey", engine.Classify(err))
}

// insistsFor is how long one step of Rekey is tried, insistsAfter the pause before it is tried again.
const insistsFor, insistsAfter = time.Minute, 50 * time.Millisecond

// insisting tries a step again that has lost against others' transactions, for longer than engine.TryAgain, because no
// request waits for it. SQLite has one writer, and nobody queues for that: beside a busy service, a step may wait in
// vain several times.
func insisting(ctx context.Context, step func() error) error {
	for begun := time.Now(); ; {
		err := step()
		if !engine.Collided(err) || time.Since(begun) > insistsFor || engine.Pause(ctx, insistsAfter) != nil {
			return err
		}
	}
}

// rekeyAtOnce is how many values are re-encrypted in one transaction: few, because on SQLite posts wait for it.
// rekeyLooks is how many rows are read for them, which nobody waits for: many, because a busy service adds rows
// faster than transactions of few rows come to their turn.
const rekeyAtOnce, rekeyLooks = 25, 2000

// rekey re-encrypts one step of a column, the rows by id after last; it returns how many values it sealed, the last id
// of the step, or nothing at the end, and since when it has worked, without its wait for the writer.
func (s *Store) rekey(
	ctx context.Context, table, column, last string,
) (n int, next string, begun time.Time, err error) {
	begun = time.Now()
	db := s.Writer.WithContext(ctx)
	if next, err = engine.EndOfStep(db, table, last, rekeyLooks); err != nil {
		return 0, "", begun, err
	}
	var old []string
	found := db.Raw("SELECT id "+oldOf(table, column)+" ORDER BY id LIMIT ?", last, cmp.Or(next, engine.AfterAll),
		engine.Blob(s.Vault.Keys[0].Id[:]), rekeyAtOnce).Scan(&old)
	if found.Error != nil || len(old) == 0 {
		return 0, next, begun, found.Error
	}
	end := old[len(old)-1]
	if len(old) == rekeyAtOnce {
		next = end
	}
	err = db.Transaction(func(tx *gorm.DB) (err error) {
		begun = time.Now()
		rows, err := s.oldValues(tx, table, column, last, end)
		if err != nil {
			return err
		}
		ids, plain, anew := make([]string, len(rows)), make([][]byte, len(rows)), make([][]byte, len(rows))
		for i, row := range rows {
			place := table + "|" + column + "|" + row.ID
			if plain[i], err = s.Vault.Open(row.Value, place); err != nil {
				return err
			}
			ids[i], anew[i] = row.ID, s.Vault.Seal(plain[i], place)
		}
		switch table + "." + column {
		case "records.document":
			err = s.reindex(tx, ids, plain)
		case "contacts.documents":
			for i := 0; i < len(ids) && err == nil; i++ {
				err = s.ReindexContact(tx, ids[i], plain[i])
			}
		}
		if err != nil {
			return err
		}
		n = len(rows)
		return s.replace(tx, table, column, ids, anew)
	})
	return n, next, begun, err
}

// oldOf are the values between two ids, with the second, that another key encrypted than the one of an id.
func oldOf(table, column string) string {
	return fmt.Sprintf("FROM %[1]s WHERE id > ? AND id <= ? AND substr(%[2]s, 2, 4) <> ?", table, column)
}

// oldValues locks the old values of a step; on Citus those of each organisation by themselves.
func (s *Store) oldValues(tx *gorm.DB, table, column, last, next string) (rows []sealedValue, err error) {
	values := []any{last, next, engine.Blob(s.Vault.Keys[0].Id[:])}
	old := oldOf(table, column)
	find := fmt.Sprintf("SELECT id, %s AS value %s", column, old)
	if !s.IsPostgres() {
		return rows, tx.Raw(find+" ORDER BY id", values...).Scan(&rows).Error
	}
	const locked = " ORDER BY id FOR UPDATE"
	if !s.Distributed.Load() || !s.divides(table) {
		return rows, tx.Raw(find+locked, values...).Scan(&rows).Error
	}
	var orgs []string
	if err := tx.Raw("SELECT DISTINCT org_id::text "+old+" ORDER BY 1", values...).Scan(&orgs).Error; err != nil {
		return nil, err
	}
	for _, org := range orgs {
		var some []sealedValue
		if err := tx.Raw(find+" AND org_id = ?"+locked, append(values, org)...).Scan(&some).Error; err != nil {
			return nil, err
		}
		rows = append(rows, some...)
	}
	return rows, nil
}

// replace writes the values of some rows: on PostgreSQL in one statement that bypasses GORM, which expands arrays into
// lists.
func (s *Store) replace(tx *gorm.DB, table, column string, ids []string, values [][]byte) error {
	if len(ids) == 0 {
		return nil
	}
	if s.Writer.Name() == "postgres" {
		_, err := tx.Statement.ConnPool.ExecContext(tx.Statement.Context, fmt.Sprintf(`UPDATE %[1]s SET %[2]s = anew.value
			FROM unnest($1::uuid[], $2::bytea[]) AS anew (id, value)
			WHERE %[1]s.id = anew.id AND %[1]s.id BETWEEN $3 AND $4`, table, column),
			ids, values, slices.Min(ids), slices.Max(ids))
		return err
	}
	for i, id := range ids {
		if err := tx.Table(table).Where("id = ?", id).Update(column, engine.Blob(values[i])).Error; err != nil {
			return err
		}
	}
	return nil
}

// reindex recomputes the hashes by which the records of some documents are found.
func (s *Store) reindex(tx *gorm.DB, ids []string, documents [][]byte) error {
	var rows []lookups.RecordRow
	if err := tx.Select("id, org_id, product, doc_type, inputs").Find(&rows, "id IN ?", ids).Error; err != nil {
		return err
	}
	found, indexes := make([]string, len(rows)), make([][]byte, len(rows))
	for i, row := range rows {
		id := string(row.ID)
		doc := document.Restore(document.Type(row.DocType), string(documents[slices.Index(ids, id)]))
		var inputs []byte
		if len(row.Inputs) > 0 {
			var err error
			if inputs, err = s.Vault.Open(row.Inputs, "records|inputs|"+id); err != nil {
				return err
			}
		}
		text := lookups.IndexText(string(row.OrgID), row.Product, doc, string(inputs))
		found[i], indexes[i] = id, s.Vault.Indexes(text)[0]
	}
	return s.replace(tx, "records", "doc_index", found, indexes)
}

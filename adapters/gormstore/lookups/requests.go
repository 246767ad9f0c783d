package lookups

import (
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
)

// lookupRequestRow is a request with an idempotency key. It has begun once its call is charged, or its entry is written
// that needs none: until LeaseUntil nobody else may take the key, and then only if it has not.
type lookupRequestRow struct {
	KeyID      engine.UID `gorm:"primaryKey"`
	Name       []byte     `gorm:"primaryKey"`
	Question   []byte     `gorm:"not null"`
	LookupID   engine.UID `gorm:"not null"`
	Begun      bool       `gorm:"not null"`
	LeaseUntil time.Time  `gorm:"not null"`
	CreatedAt  time.Time  `gorm:"not null"`
	OrgID      *engine.UID
}

func (lookupRequestRow) TableName() string { return "lookup_requests" }

type lookupRequests struct {
	engine.Conn
	// secret keys the hashes: it stays when the data key is rotated.
	secret func(context.Context) ([]byte, error)
}

// requestHash is the keyed hash of something that a request says.
func requestHash(secret []byte, keyID, what, said string) []byte {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte("lookup request|" + what + "|" + keyID + "|" + said))
	return mac.Sum(nil)
}

const (
	// overRequest removes a request that is over. Where one that has not begun had its time, the last parameter must name
	// its entry, which is then known not to be there: that is seen by its id alone, because History writes many at once
	// that have no request. On PostgreSQL the time is the database's, and on Citus that of the statement: there, no clock
	// may decide what is removed.
	overRequest = "key_id = ? AND name = ? AND (created_at <= ? OR NOT begun AND lease_until <= ? AND lookup_id = ?)"
	// claimRequest inserts one, unless there is one: most names are new, so that it comes first.
	claimRequest = `INSERT INTO lookup_requests (key_id, name, question, lookup_id, begun, lease_until, created_at, org_id)
		VALUES (?, ?, ?, ?, false, ?, ?, ?) ON CONFLICT DO NOTHING`
)

func (r lookupRequests) Claim(ctx context.Context, q ports.LookupRequest) (ports.LookupRequest, error) {
	const op = "lookupRequests.claim"
	if err := r.Outside(op); err != nil {
		return q, err
	}
	name, question, err := r.hashes(ctx, q)
	if err != nil {
		return q, err
	}
	var row lookupRequestRow
	err = r.Whole(ctx, op, func(db *gorm.DB) (err error) {
		row, err = claimed(db, q, name, question, engine.NoID)
		if err != nil || row.Begun || row.LookupID == engine.UID(q.LookupID) {
			return err
		}
		var entries []engine.UID
		// The bound lets PostgreSQL prune partitions; what is older is over.
		since := engine.UID(engine.IDsSince(q.At.Add(-q.Lasts)))
		err = engine.Routed(q.OrgID)(db.Model(&LookupRow{})).Where("id = ? AND id > ?", row.LookupID, since).
			Pluck("id", &entries).Error
		if err != nil || len(entries) > 0 {
			return err
		}
		row, err = claimed(db, q, name, question, row.LookupID)
		return err
	})
	return row.request(q, question), err
}

func (r lookupRequests) Find(ctx context.Context, q ports.LookupRequest) (ports.LookupRequest, error) {
	name, question, err := r.hashes(ctx, q)
	if err != nil {
		return q, err
	}
	return engine.FindOne(ctx, r.Query, "lookupRequests.find",
		func(row lookupRequestRow) ports.LookupRequest { return row.request(q, question) },
		engine.Routed(q.OrgID), func(db *gorm.DB) *gorm.DB {
			return db.Where("key_id = ? AND name = ? AND created_at > ?", engine.UID(q.KeyID), engine.Blob(name),
				engine.Stamp(q.At.Add(-q.Lasts)))
		})
}

// hashes are those of what a request is called, and of what it asks.
func (r lookupRequests) hashes(ctx context.Context, q ports.LookupRequest) (name, question []byte, err error) {
	secret, err := r.secret(ctx)
	if err != nil {
		return nil, nil, err
	}
	return requestHash(secret, q.KeyID, "name", q.Name), requestHash(secret, q.KeyID, "question", q.Question), nil
}

// request is the request that has the key of q, which asks question.
func (row lookupRequestRow) request(q ports.LookupRequest, question []byte) ports.LookupRequest {
	return ports.LookupRequest{
		OrgID: q.OrgID, KeyID: q.KeyID, Name: q.Name, LookupID: string(row.LookupID),
		Same: bytes.Equal(row.Question, question), At: row.CreatedAt.UTC(),
	}
}

// claimed inserts a request unless there is one that is not over, and returns the one that there is then. without is
// the entry that is known not to be there.
func claimed(
	db *gorm.DB, q ports.LookupRequest, name, question []byte, without engine.UID,
) (row lookupRequestRow, err error) {
	now := func(later time.Duration) any { return engine.Stamp(q.At.Add(later)) }
	if db.Name() == "postgres" {
		clock := cmp.Or(engine.OnCitus(db, "statement_timestamp()"), "clock_timestamp()")
		now = func(later time.Duration) any {
			return gorm.Expr(clock+" + ? * interval '1 microsecond'", later.Microseconds())
		}
	}
	key, of := engine.UID(q.KeyID), engine.Routed(q.OrgID)
	for {
		added := db.Exec(claimRequest, key, engine.Blob(name), engine.Blob(question), engine.UID(q.LookupID), now(q.Begins),
			now(0), engine.Optional(q.OrgID))
		if added.Error != nil {
			return row, added.Error
		}
		if added.RowsAffected == 0 {
			over := of(db).Delete(&row, overRequest, key, engine.Blob(name), now(-q.Lasts), now(0), without)
			if over.Error != nil {
				return row, over.Error
			}
			if over.RowsAffected > 0 {
				continue
			}
		}
		err = of(db).Take(&row, "key_id = ? AND name = ?", key, engine.Blob(name)).Error
		if !errors.Is(err, gorm.ErrRecordNotFound) { // it was released in between
			return row, err
		}
	}
}

func (r lookupRequests) Extend(ctx context.Context, q ports.LookupRequest) error {
	now, err := engine.Clock{Conn: r.Conn}.Now(ctx, q.At)
	if err != nil {
		return err
	}
	n, err := r.ExecCount(ctx, "lookupRequests.extend", func(db *gorm.DB) *gorm.DB {
		return engine.Routed(q.OrgID)(db.Model(&lookupRequestRow{})).
			Where("key_id = ? AND lookup_id = ?", engine.UID(q.KeyID), engine.UID(q.LookupID)).
			Update("lease_until", engine.Stamp(now.Add(q.Begins)))
	})
	if err == nil && n == 0 {
		err = ports.ErrOvertaken
	}
	return err
}

func (r lookupRequests) Release(ctx context.Context, q ports.LookupRequest) error {
	return r.Exec(ctx, "lookupRequests.release", func(db *gorm.DB) error {
		return engine.Routed(q.OrgID)(db).Delete(&lookupRequestRow{}, "key_id = ? AND lookup_id = ?", engine.UID(q.KeyID),
			engine.UID(q.LookupID)).Error
	})
}

func (r lookupRequests) Forget(ctx context.Context, before time.Time) (int, error) {
	return r.ForgetSome(ctx, "lookupRequests.forget", lookupRequestRow{},
		engine.Where("created_at < ?", engine.Stamp(before)))
}

// The statements by which a call that is charged keeps its idempotency key: it is locked before the accounts, so that
// nobody takes it over between the look and the commit.
const (
	askRequest   = "SELECT 1 FROM lookup_requests WHERE key_id = ? AND name = ? AND lookup_id = ?"
	beginRequest = "UPDATE lookup_requests SET begun = true WHERE lookup_id = ?"
)

var (
	lockRequests = engine.OwnedBy(`SELECT r.lookup_id::text FROM lookup_requests r
		JOIN unnest($1::text[], $2::bytea[], $3::text[]) AS a (key_id, name, lookup_id)
		ON r.key_id = a.key_id::uuid AND r.name = a.name AND r.lookup_id = a.lookup_id::uuid WHERE true{of r}
		ORDER BY r.key_id, r.name FOR UPDATE OF r`, 4)
	beginRequests = engine.OwnedBy(
		"UPDATE lookup_requests SET begun = true WHERE lookup_id = ANY ($1::text[]::uuid[]){of lookup_requests}", 2)
)

// queueRequests locks on PostgreSQL the idempotency keys of calls, and notes those that another request has by now.
func (s admission) queueRequests(batch *engine.Batch, in []beginning) {
	var keys, ids []string
	var names [][]byte
	positions := map[string]int{}
	for i, b := range in {
		if b.request != nil {
			s.overtaken[i], positions[string(b.entry.ID)] = true, i
			keys, names = append(keys, string(engine.OrNoID(b.entry.KeyID))), append(names, b.request)
			ids = append(ids, string(b.entry.ID))
		}
	}
	if len(ids) == 0 {
		return
	}
	batch.QueueOwned(lockRequests, organisationsOf(in), keys, names, ids).Query(func(rows pgx.Rows) error {
		var id string
		_, err := pgx.ForEachRow(rows, []any{&id}, func() error { delete(s.overtaken, positions[id]); return nil })
		return err
	})
}

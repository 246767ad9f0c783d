package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
)

// replica is a streaming copy of the database, for reads that may be slightly stale.
//
// Its maximum staleness is measured with our own clock and log positions: what had been written when the primary was
// asked for its position has been replayed once the replica gets there. Hence neither an idle primary, nor a replica
// that is cut off from it, nor differing clocks distort it.
type replica struct {
	db, primary *gorm.DB
	MaxLag      time.Duration
	schema      int64 // the oldest version that can be queried
	log         *slog.Logger

	mu      sync.Mutex
	asked   []position // of the primary, not yet reached by the replica when it was last asked
	upTo    time.Time  // the replica has what was written until then
	now     whereabouts
	serving context.Context //nolint:containedctx // ends when lists move elsewhere
	leave   context.CancelFunc

	answered, passed atomic.Int64 // lists
}

// whereabouts says where lists are read.
type whereabouts int

const (
	unknown whereabouts = iota
	here
	elsewhere
)

// position is how far the primary's log had got at a time.
type position struct {
	at  time.Time
	log int64
}

// ReplicaFigures say how a replica is used.
type ReplicaFigures struct {
	// InUse is whether lists are read from it now.
	InUse bool
	// Lag is its maximum staleness.
	Lag time.Duration
	// Answered counts the lists that it answered, Passed those that the primary answered in its place.
	Answered, Passed int64
}

const replicaVariable = "FICHARIO_READ_DATABASE_URL"

// ReadFrom makes lists, figures and files that may be slightly stale (ports.ForLists) read from a replica while it lags
// by at most lag; otherwise, and while it is away, from the primary. It fails where the address cannot be a replica of
// this database. The caller must then call FollowReplica periodically.
func (s *Engine) ReadFrom(ctx context.Context, databaseURL string, lag time.Duration, log *slog.Logger) error {
	if !s.IsPostgres() {
		return errors.New(replicaVariable + " requires PostgreSQL, but FICHARIO_DATABASE_URL is SQLite")
	}
	if s.Distributed.Load() {
		return errors.New(replicaVariable + " cannot be used with Citus: a replica of its coordinator has no rows")
	}
	d, err := NewDialer(replicaVariable, databaseURL)
	if err != nil {
		return err
	}
	r := &replica{primary: s.Writer, MaxLag: lag, log: log}
	if r.db, err = d.gorm(&s.Distributed); err == nil {
		err = setPool(r.db, s.most)
	}
	if err != nil {
		return err
	}
	s.replica = r
	s.Outside.Store(nil)
	if err := r.primary.WithContext(ctx).Raw(askSchema).Scan(&r.schema).Error; err != nil {
		return fmt.Errorf("%s: %w", replicaVariable, Classify(err))
	}
	if err := r.same(ctx); err != nil {
		return err
	}
	// What was written just now is still on its way.
	for start := time.Now(); time.Since(start) < lookWithin && r.measure(ctx) == nil && r.lag() > lag; {
		time.Sleep(20 * time.Millisecond)
	}
	r.look(ctx)
	return nil
}

const (
	askSchema   = "SELECT MAX(version_id) FROM goose_db_version WHERE is_applied"
	askIdentity = "SELECT system_identifier || ' ' || current_database() FROM pg_control_system()"
	askPrimary  = "SELECT CAST(pg_current_wal_flush_lsn() - '0/0' AS bigint)"
	askReplica  = `SELECT pg_is_in_recovery() AS replaying,
		CAST(COALESCE(pg_last_wal_replay_lsn(), '0/0') - '0/0' AS bigint) AS log, (` + askSchema + `) AS schema`
	// lookWithin is how long a replica may take to report its position.
	lookWithin = 2 * time.Second
)

// same refuses an address of another system or database. An unreachable one is accepted: it may come up while the
// service runs.
func (r *replica) same(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	var ours, theirs string
	if err := r.primary.WithContext(ctx).Raw(askIdentity).Scan(&ours).Error; err != nil {
		return fmt.Errorf("%s: reading the identity of the primary: %w", replicaVariable, Classify(err))
	}
	err := r.db.WithContext(ctx).Raw(askIdentity).Scan(&theirs).Error
	if err != nil && !Away(err) {
		return fmt.Errorf("%s: reading the identity of the replica: %w", replicaVariable, err)
	}
	if err == nil && ours != theirs {
		return errors.New(replicaVariable + " is the address of a server or database that is not a replica of " +
			"FICHARIO_DATABASE_URL")
	}
	return nil
}

// FollowReplica measures how far the replica is. It is a chore for every ReplicaEvery.
func (s *Engine) FollowReplica(ctx context.Context) error {
	s.replica.look(ctx)
	return nil
}

// ReplicaEvery is the interval at which to call FollowReplica for a lag.
func ReplicaEvery(lag time.Duration) time.Duration { return min(time.Second, lag/4) }

// look measures how far the replica is, and logs when that starts or stops being enough.
func (r *replica) look(ctx context.Context) {
	err := r.measure(ctx)
	if ctx.Err() != nil {
		return
	}
	if err == nil && r.lag() > r.MaxLag {
		err = fmt.Errorf("it may lag by more than %s", r.MaxLag)
	}
	r.turn(err)
}

// measure asks primary and replica for their positions.
func (r *replica) measure(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookWithin)
	defer cancel()
	now := position{at: time.Now()}
	if err := r.primary.WithContext(ctx).Raw(askPrimary).Scan(&now.log).Error; err == nil {
		r.mu.Lock()
		// The replica may be away for days: drop positions older than the allowed lag, which serve nothing any more.
		r.asked = append(slices.DeleteFunc(r.asked, func(p position) bool { return time.Since(p.at) > r.MaxLag }), now)
		r.mu.Unlock()
	} // else what is known ages
	var there struct {
		Replaying   bool
		Log, Schema int64
	}
	err := r.db.WithContext(ctx).Raw(askReplica).Scan(&there).Error
	switch {
	case err != nil:
		return err
	case !there.Replaying:
		return errors.New("it is not a replica (any more): it accepts writes")
	case there.Schema < r.schema:
		return errors.New("its schema is older than this program's")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	left := r.asked[:0]
	for _, p := range r.asked {
		switch {
		case p.log <= there.Log:
			r.upTo, left = p.at, left[:0]
		case time.Since(p.at) <= r.MaxLag:
			left = append(left, p)
		}
	}
	r.asked = left
	return nil
}

// lag is the replica's maximum staleness.
func (r *replica) lag() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.upTo)
}

// turn directs lists to the replica, or, for a reason, to the primary; reads in progress there are then repeated.
func (r *replica) turn(away error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case away != nil && r.now != elsewhere:
		if r.now = elsewhere; r.leave != nil {
			r.leave()
		}
		r.log.Warn("lists are read from the primary, not from the replica", "why", Reason(away))
	case away == nil && r.now != here:
		r.now = here
		r.serving, r.leave = context.WithCancel(context.Background())
		r.log.Info("lists are read from the replica")
	}
}

// answer reads from the replica, if it is usable now; where it is not done, the primary has to be asked.
func (r *replica) answer(ctx context.Context, f func(*gorm.DB) error) (done bool, err error) {
	defer func() {
		if done {
			r.answered.Add(1)
		} else {
			r.passed.Add(1)
		}
	}()
	r.mu.Lock()
	serving, usable := r.serving, r.now == here && time.Since(r.upTo) <= r.MaxLag
	r.mu.Unlock()
	if !usable {
		return false, nil
	}
	ctx, cancel := context.WithTimeout(ctx, Timeout())
	defer cancel()
	reading, leave := context.WithCancel(ctx)
	defer leave()
	defer context.AfterFunc(serving, leave)()
	err = f(r.db.WithContext(reading))
	var pg *pgconn.PgError
	switch {
	case err == nil, errors.Is(err, gorm.ErrRecordNotFound):
		return true, err
	case serving.Err() != nil && ctx.Err() == nil:
		return false, nil
	case ctx.Err() != nil, errors.As(err, &pg) && pg.Code == queryCanceled:
		return true, Told(ctx, err) // by the caller or a timeout: the primary would take as long
	case Away(err) && !Collided(err): // a reader cancelled so that replay can go on is just sent to the primary
		r.turn(err)
	}
	return false, nil
}

// queryCanceled is PostgreSQL's code for a statement that took too long.
const queryCanceled = "57014"

// Replica says how the replica is used; false where there is none.
func (s *Engine) Replica() (ReplicaFigures, bool) {
	r := s.replica
	if r == nil {
		return ReplicaFigures{}, false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return ReplicaFigures{
		InUse: r.now == here, Lag: time.Since(r.upTo), Answered: r.answered.Load(), Passed: r.passed.Load(),
	}, true
}

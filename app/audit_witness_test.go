package app_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/crm"
	"fichario/ports"
)

// outside is a witness in memory; while away is set it takes nothing.
type outside struct {
	mu    sync.Mutex
	text  bytes.Buffer
	away  error
	fresh bool
}

func (o *outside) Take(_ context.Context, lines []byte) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.away == nil {
		o.text.Write(lines)
		o.fresh = false
	}
	return o.away
}

func (o *outside) Check(context.Context) error { return o.away }
func (o *outside) Fresh() bool                 { return o.fresh }

// of returns the heads of an organisation that have left.
func (o *outside) of(orgID string) (heads []audit.Witnessed) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for line := range bytes.Lines(o.text.Bytes()) {
		var w privacy.WitnessLine
		done(json.Unmarshal(line, &w))
		if w.OrgID == orgID {
			heads = append(heads, audit.Witnessed(w))
		}
	}
	return heads
}

func witnessOf(s ports.Store, o *outside, log *bytes.Buffer) *privacy.Witness {
	return privacy.NewWitness(s, o, now, slog.New(slog.NewTextHandler(log, nil)))
}

// TestTheWitnessShowsAnOldState: what was valid once, and is put back, only the witness shows. The tables are edited
// after their state of line 4 and each one up to line 8 have been witnessed; then further lines are written.
func TestTheWitnessShowsAnOldState(t *testing.T) {
	t.Parallel()
	back := []string{
		"DELETE FROM audit_lines WHERE org_id = @org AND number > 4", "DELETE FROM audit_heads WHERE id = @org",
		"INSERT INTO audit_heads SELECT * FROM old_heads WHERE id = @org",
	}
	cases := map[string]struct {
		edits         []string
		alone, beside string
		more          int
	}{
		"nothing":                            {nil, "", "", 0},
		"the head back, the last lines gone": {back, "", "5 testemunha", 0},
		"and some lines written":             {back, "", "5 testemunha", 2},
		"and as many lines as there were":    {back, "", "5 testemunha", 4},
		"and more":                           {back, "", "5 testemunha", 9},
		"lines of another chain in its place": {[]string{
			back[0], "CREATE TABLE theirs AS SELECT * FROM audit_lines WHERE org_id = @rival AND number > 4",
			"DELETE FROM audit_lines WHERE org_id = @rival AND number > 4", "UPDATE theirs SET org_id = @org",
			"INSERT INTO audit_lines SELECT * FROM theirs",
		}, "5 alterada", "5 alterada", 0},
		"the head of another chain": {[]string{
			"DELETE FROM audit_heads WHERE id = @org", "UPDATE audit_heads SET id = @org WHERE id = @rival",
		}, "7 cabeca", "7 cabeca", 0},
		"the two chains exchanged": {[]string{
			"UPDATE audit_lines SET number = -number WHERE org_id = @org",
			"UPDATE audit_lines SET org_id = @org WHERE org_id = @rival",
			"UPDATE audit_lines SET org_id = @rival, number = -number WHERE number < 0",
		}, "1 alterada", "1 alterada", 0},
	}
	behind(t, func(t *testing.T, s *setting, _ string, edit func(string, ...any)) {
		edit("CREATE TABLE old_heads AS SELECT * FROM audit_heads WHERE 1 = 0")
		for what, c := range cases {
			s, rival := s.another(), s.another()
			owner := s.add("dona", crm.Owner)
			add := func(n int) {
				for range n {
					must(s.origins.Add(t.Context(), owner, s.orgID, lookups.NewKeyID()))
					must(s.origins.Add(t.Context(), app.Operator(), rival.orgID, lookups.NewKeyID()))
				}
			}
			var there outside
			var log bytes.Buffer
			w := witnessOf(s.store, &there, &log)
			named := strings.NewReplacer("@org", "'"+s.orgID+"'", "@rival", "'"+rival.orgID+"'")
			add(2)
			done(w.Work(t.Context()))
			edit(named.Replace("INSERT INTO old_heads SELECT * FROM audit_heads WHERE id = @org"))
			for range 4 {
				add(1)
				done(w.Work(t.Context()))
			}
			for _, query := range c.edits {
				edit(named.Replace(query))
			}
			add(c.more)
			done(w.Work(t.Context()))
			verify := func(heads ...audit.Witnessed) string {
				if f := must(s.audit.Verify(t.Context(), owner, s.orgID, audit.Hash{}, heads...)).Finding; f != nil {
					return line(f.Number, f.Problem)
				}
				return ""
			}
			equal(t, "without the witness: "+what, verify(), c.alone)
			equal(t, "beside the witness: "+what, verify(there.of(s.orgID)...), c.beside)
		}
	})
}

// TestTheWitnessGetsEachHead once from each process, and the newest only; one that is away is named once in the log.
func TestTheWitnessGetsEachHead(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, url string, edit func(string, ...any)) {
		var there outside
		var log bytes.Buffer
		w, rival := witnessOf(s.store, &there, &log), s.another()
		work := func(want string) {
			t.Helper()
			before, failed := len(there.of(s.orgID)), w.Work(t.Context()) != nil
			equal(t, "new heads, and a failure", line(len(there.of(s.orgID))-before, failed), want)
		}
		work("1 false")
		work("0 false")
		there.away = errors.New("status 503")
		for i := range 3 {
			must(s.origins.Add(t.Context(), app.Operator(), s.orgID, fmt.Sprint("Feira ", i)))
			work("0 true")
		}
		equal(t, "warnings", strings.Count(log.String(), "do not leave the house"), 1)
		there.away = nil
		work("1 false")
		there.fresh = true // it was rotated away
		work("1 false")
		done(witnessOf(open(t, url), &there, &log).Work(t.Context()))
		equal(t, "heads with another instance's", len(there.of(s.orgID)), 4)
		edit("UPDATE audit_heads SET number = number + 1 WHERE id = '" + rival.orgID + "'")
		there.fresh = true
		done(w.Work(t.Context()))
		equal(t, "heads of one that was edited", len(there.of(rival.orgID)), 3)
	})
}

// TestSlowRetentionBesideTheWitness and two instances that write: no check finds anything, whenever it runs.
func TestSlowRetentionBesideTheWitness(t *testing.T) {
	t.Parallel()
	behind(t, func(t *testing.T, s *setting, url string, _ func(string, ...any)) {
		var there outside
		var several, other sync.WaitGroup
		var stop atomic.Bool
		for _, store := range []ports.Store{s.store, open(t, url)} {
			origins := contacts.NewOrigins(store)
			for range 2 {
				several.Go(func() {
					for range 12 {
						must(origins.Add(t.Context(), app.Operator(), s.orgID, lookups.NewKeyID()))
					}
				})
			}
			other.Go(func() {
				for !stop.Load() {
					must(store.Repos().AuditRemovals.Forget(t.Context(), time.Now().Add(-50*time.Millisecond)))
				}
			})
			other.Go(func() {
				var log bytes.Buffer
				for w := witnessOf(store, &there, &log); !stop.Load(); {
					done(w.Work(t.Context()))
				}
			})
			other.Go(func() {
				for verify := privacy.NewAudit(store, now); !stop.Load(); {
					heads := there.of(s.orgID)
					found := must(verify.Verify(t.Context(), app.Operator(), s.orgID, audit.Hash{}, heads...))
					if f := found.Finding; f != nil {
						t.Errorf("found %s at %d of %d heads, from %d on", f.Problem, f.Number, len(heads), found.First)
						return
					}
				}
			})
		}
		several.Wait()
		stop.Store(true)
		other.Wait()
		done(witnessOf(s.store, &there, new(bytes.Buffer)).Work(t.Context()))
		for must(s.store.Repos().AuditRemovals.Forget(t.Context(), time.Now().Add(time.Hour))) > 0 {
		}
		found := must(s.audit.Verify(t.Context(), app.Operator(), s.orgID, audit.Hash{}, there.of(s.orgID)...))
		equal(t, "all are gone but the last one's hash", line(found.Finding == nil, found.Lines, found.Witnessed > 0), "true 0 true")
	})
}

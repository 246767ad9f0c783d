package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// TestSoak kills the program at random under 32 clients that post and ask, on both databases together, and holds every
// row to what the clients and the bureau know. It kills each three times, or for as long as SOAK says (`make soak`).
func TestSoak(t *testing.T) {
	t.Parallel()
	goOn := func(kills int, _ time.Time) bool { return kills < 3 }
	if text := os.Getenv("SOAK"); text != "" {
		length, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal("SOAK: ", err)
		}
		goOn = func(_ int, began time.Time) bool { return time.Since(began) < length }
	}
	var mu sync.Mutex
	results := map[string]*soak{}
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		name, _, _ := strings.Cut(env["FICHARIO_DATABASE_URL"], ":")
		s := newSoak(t, env)
		mu.Lock()
		results[name] = s
		mu.Unlock()
		for began := time.Now(); goOn(s.kills, began) && !t.Failed(); {
			s.round()
		}
		s.end()
	})
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintln(w, "database\tkills\tacknowledged leads\tacknowledged lookups\tbureau's ledger\tlost\tdoubled\tuncharged\tin doubt\t")
	for name, s := range results {
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, s.kills, s.leads, s.lookups, s.bureau.Calls(), s.lost,
			s.doubled, s.uncharged, s.inDoubt)
		if s.lost+s.doubled+s.uncharged > 0 {
			t.Error("something is lost, doubled or uncharged on " + name)
		}
	}
	_ = w.Flush()
	t.Log("\n" + table.String())
}

// soak is a service that is killed again and again, and what is known of it from outside.
type soak struct {
	t       *testing.T
	env     map[string]string
	bureau  *lookuptest.Bureau
	product intaketest.Product
	key     string
	hook    hook

	kills, leads, lookups, lost, doubled, uncharged, inDoubt int

	// again are posts with an Idempotency-Key that nobody answered.
	again []sent
	// people are the contacts by their address, all of them.
	people map[string]string
	// asked is how many documents were asked about; answered are some of those that history must have.
	asked    int
	answered []string
	// charged is how often each document was charged; newest is the newest entry that was looked at.
	charged map[string]int
	newest  string
}

func newSoak(t *testing.T, env map[string]string) *soak {
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		lookuptest.Ordinary(w, r, document)
	})
	s := &soak{t: t, env: env, bureau: bureau, people: map[string]string{}, charged: map[string]int{}}
	s.product = intaketest.StartProductOf(t, env, bureau, 500*time.Millisecond)
	s.key, s.hook = s.product.Lookups.NewKey(1e9, 1e9, 1e9).Key, s.product.Leads.NewHook("Sob carga", "generic")
	return s
}

// round lets the clients work, kills the service, and looks at what there is.
func (s *soak) round() {
	began := time.Now().Add(-time.Millisecond)
	work := s.load()
	enough, limit := rand.IntN(300), time.Now().Add(20*time.Second)
	for work.done() <= enough && time.Now().Before(limit) {
		time.Sleep(time.Duration(1+rand.IntN(5)) * time.Millisecond)
	}
	s.product.Lookups.Kill()
	s.kills++
	work.wait()
	s.orphans()
	s.product.Lookups.ForgetLogs()
	s.product.Lookups.Restart()
	s.checkLeads(began, work)
	s.checkLookups(work)
}

// end looks at everything once more, when every call has an outcome.
func (s *soak) end() {
	t, lookups := s.t, s.product.Lookups
	db := openDatabase(t, s.env)
	await(t, "every call has an outcome", func() bool {
		running := 1
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM lookups WHERE status = 'em_andamento'").Scan(&running)
		return err == nil && running == 0
	})
	for document, calls := range s.bureau.Ledger() {
		s.hold(document, calls)
	}
	rows, err := db.QueryContext(t.Context(), "SELECT id, email FROM contacts")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	contacts := 0
	for ; rows.Next(); contacts++ {
		var id, email string
		if err := rows.Scan(&id, &email); err != nil {
			t.Fatal(err)
		}
		if s.people[email] != id {
			s.doubled++
			t.Error("a contact was not there before")
		}
	}
	if contacts < len(s.people) || rows.Err() != nil {
		s.lost += len(s.people) - contacts
		t.Errorf("%d contacts of %d, %v", contacts, len(s.people), rows.Err())
	}
	entries := 0
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM lookups WHERE charged").Scan(&entries); err != nil {
		t.Fatal(err)
	}
	expect(t, "charged entries", entries, sum(s.charged))
	expect(t, "charged, by the statement", lookups.Statement(s.key).Cobradas.Total, sum(s.charged))
	lookups.Command("doctor", "--deep") // finds nothing, or the test fails
}

// shift is what the clients of one round do.
type shift struct {
	work sync.WaitGroup
	mu   sync.Mutex

	posts   []sent
	lookups []lookedUp
}

// lookedUp is one lookup, about a document that nobody asked about before, or one that history has.
type lookedUp struct {
	document string
	known    bool
	a        lookuptest.Answer
}

func (w *shift) done() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.posts) + len(w.lookups)
}

func (w *shift) wait() { w.work.Wait() }

// load starts 32 clients, of which half post and half ask until they get no answer.
func (s *soak) load() *shift {
	const each = 16
	w, again := &shift{}, s.again
	s.again = nil
	documents := make(chan string, 1)
	stop := make(chan struct{})
	w.work.Go(func() { // one place that counts
		for ; ; s.asked++ {
			select {
			case documents <- lookuptest.CPF(s.asked):
			case <-stop:
				return
			}
		}
	})
	var clients sync.WaitGroup
	for c := range each {
		clients.Go(func() {
			for i := 0; ; i++ {
				p := sent{name: fmt.Sprintf("carga %d-%d-%d", s.kills, c, i), keyed: c%2 == 0}
				if n := c + i*each; n < len(again) {
					p.name, p.keyed = again[n].name, true
				}
				var err error
				p.a, err = s.product.Leads.Send(context.Background(), p.request(s.hook))
				w.mu.Lock()
				w.posts = append(w.posts, p)
				w.mu.Unlock()
				if err != nil {
					return
				}
				time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
			}
		})
		clients.Go(func() {
			for {
				l := lookedUp{known: len(s.answered) > 0 && rand.IntN(4) == 0}
				if l.known {
					l.document = s.answered[rand.IntN(len(s.answered))]
				} else {
					l.document = <-documents
				}
				var err error
				l.a, err = s.product.Lookups.Do(context.Background(), http.MethodGet, "/api/v1/cpf/"+l.document, s.key, nil, "")
				w.mu.Lock()
				w.lookups = append(w.lookups, l)
				w.mu.Unlock()
				if err != nil {
					return
				}
				time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
			}
		})
	}
	w.work.Go(func() {
		clients.Wait()
		close(stop)
	})
	return w
}

// orphans waits until PostgreSQL has seen that the service is gone: what was sent to it may still be done.
func (s *soak) orphans() {
	if strings.HasPrefix(s.env["FICHARIO_DATABASE_URL"], "sqlite") {
		return
	}
	db := openDatabase(s.t, s.env)
	await(s.t, "PostgreSQL has ended what the service began", func() bool {
		left := 1
		const of = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'fichario'"
		return db.QueryRowContext(s.t.Context(), of).Scan(&left) == nil && left == 0
	})
	_ = db.Close()
}

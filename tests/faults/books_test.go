package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// books are what is known of a service from outside, against which every row is checked: what clients sent and were
// told, and the bureau's calls.
type books struct {
	t       *testing.T
	env     map[string]string
	bureau  *lookuptest.Bureau
	product intaketest.Product
	key     string
	hook    hook

	// shifts counts them.
	shifts int
	// leads and lookups count the acknowledged ones.
	leads, lookups int
	// lost counts those of them that are missing, doubled those that are there more than once, uncharged the calls that
	// nobody paid for. inDoubt counts charges without an answer, unasked those among them that the bureau never saw.
	lost, doubled, uncharged, inDoubt, unasked int

	// again are unanswered posts with an Idempotency-Key.
	again []sent
	// people are all contacts, by e-mail address.
	people map[string]string
	// asked is how many documents were looked up; answered are some that the history must have.
	asked    int
	answered []string
	// charged is how often each document was charged; newest is the newest entry already checked.
	charged map[string]int
	newest  string
}

// openBooks starts a service in front of a fast bureau.
func openBooks(t *testing.T, env map[string]string) *books {
	t.Helper()
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		lookuptest.Ordinary(w, r, document)
	})
	b := &books{t: t, env: env, bureau: bureau, people: map[string]string{}, charged: map[string]int{}}
	b.product = intaketest.StartProductOf(t, env, bureau, 20*time.Second) // a busy machine is no slow bureau
	b.key, b.hook = b.product.Lookups.NewKey(1e9, 1e9, 1e9).Key, b.product.Leads.NewHook("Sob carga", "generic")
	return b
}

// shift is the work of clients between two audits.
type shift struct {
	began time.Time
	over  context.Context //nolint:containedctx // of the clients
	end   context.CancelFunc
	work  sync.WaitGroup

	mu      sync.Mutex
	posts   []sent
	lookups []lookedUp
	// acknowledged counts the answers with 200.
	acknowledged int
}

func newShift() *shift {
	w := &shift{began: time.Now().Add(-time.Millisecond)}
	w.over, w.end = context.WithCancel(context.Background())
	return w
}

// lookedUp is one lookup, of a new document, or of one in the history.
type lookedUp struct {
	document string
	known    bool
	a        lookuptest.Answer
}

func (w *shift) count(of func(*shift) int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return of(w)
}

// more waits until n more requests are answered with 200.
func (w *shift) more(t *testing.T, what string, n int) {
	t.Helper()
	acknowledged := func() int { return w.count(func(w *shift) int { return w.acknowledged }) }
	before := acknowledged()
	lookuptest.Eventually(t, what, func() bool { return acknowledged() >= before+n })
}

// stop lets the clients finish.
func (w *shift) stop() {
	w.end()
	w.work.Wait()
}

// clients are those of a load: half of them post, half make lookups.
const clients = 16

// load starts the clients, which go on until they are stopped or get no answer.
func (b *books) load() *shift {
	const each = clients / 2
	w, again := newShift(), b.again
	b.again = nil
	b.shifts++
	var documents sync.Mutex
	for c := range each {
		w.work.Go(func() {
			for i := 0; w.over.Err() == nil; i++ {
				p := sent{name: fmt.Sprintf("carga %d-%d-%d", b.shifts, c, i), keyed: c%2 == 0}
				if n := c + i*each; n < len(again) {
					p.name, p.keyed = again[n].name, true
				}
				p.a, p.err = b.product.Leads.Send(context.Background(), p.request(b.hook))
				w.noted(p.a.Status, func() { w.posts = append(w.posts, p) })
				if p.err != nil {
					return
				}
			}
		})
		w.work.Go(func() {
			for w.over.Err() == nil {
				l := lookedUp{known: len(b.answered) > 0 && rand.IntN(4) == 0}
				if l.known {
					l.document = b.answered[rand.IntN(len(b.answered))]
				} else {
					documents.Lock()
					l.document = lookuptest.CPF(b.asked)
					b.asked++
					documents.Unlock()
				}
				var err error
				l.a, err = b.product.Lookups.Do(context.Background(), http.MethodGet, "/api/v1/cpf/"+l.document, b.key, nil, "")
				w.noted(l.a.Status, func() { w.lookups = append(w.lookups, l) })
				if err != nil {
					return
				}
			}
		})
	}
	return w
}

// noted records a request, and pauses its client for a moment.
func (w *shift) noted(status int, note func()) {
	w.mu.Lock()
	note()
	if status == http.StatusOK {
		w.acknowledged++
	}
	w.mu.Unlock()
	time.Sleep(time.Duration(rand.IntN(10)) * time.Millisecond)
}

// audit checks every row of a shift against what was sent in it, once nothing is in flight.
func (b *books) audit(w *shift) {
	b.t.Helper()
	b.auditLeads(w)
	b.auditLookups(w)
}

// close checks everything once more, when every call has an outcome.
func (b *books) close() {
	t, lookups := b.t, b.product.Lookups
	db := openDatabase(t, b.env)
	await(t, "every call has an outcome", func() bool {
		running := 1
		err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM lookups WHERE status = 'em_andamento'").Scan(&running)
		return err == nil && running == 0
	})
	for document, calls := range b.bureau.Ledger() {
		b.hold(document, calls)
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
		if b.people[email] != id {
			b.doubled++
			t.Error("a contact was not there before")
		}
	}
	if contacts < len(b.people) || rows.Err() != nil {
		b.lost += len(b.people) - contacts
		t.Errorf("%d contacts of %d, %v", contacts, len(b.people), rows.Err())
	}
	entries := 0
	if err := db.QueryRowContext(t.Context(), "SELECT count(*) FROM lookups WHERE charged").Scan(&entries); err != nil {
		t.Fatal(err)
	}
	expect(t, "charged entries", entries, sum(b.charged))
	expect(t, "charged, by the statement", lookups.Statement(b.key).Cobradas.Total, sum(b.charged))
	lookups.Command("doctor", "--deep") // exits with an error if it finds anything
}

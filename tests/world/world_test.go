// Package world_test explores orders of steps. A world is one or two organisations, what happens to them, and up to
// three instances of the program on one database, in one process and in a bubble of fake time. Every statement, every
// call to the bureau and to other systems is a step that waits for a scheduler, which chooses by a seed; afterwards
// judges compare everything with what a simple model allows. The same seed makes the same world.
package world_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/netip"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"fichario/adapters/automation"
	"fichario/adapters/gormstore"
	gormengine "fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/batches"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

const (
	price   = catalog.Money(4500) // of each product, in ten-thousandths of a real
	timeout = 4 * time.Second     // of the bureau
	fresh   = 30 * 24 * time.Hour // how long history answers
)

var (
	// next is when the next world begins: after the one before, because ids never go back.
	next = time.Now().UTC().Truncate(time.Hour).Add(time.Hour)

	dataKey = bytes.Repeat([]byte{7}, gormengine.DataKeySize)
	nobody  = netip.MustParseAddr("127.0.0.1")
)

func products() catalog.Catalog {
	all := catalog.Standard()
	for i := range all {
		all[i].Price = price
	}
	return all
}

// chains are the bureaus of an instance, and what they offer.
func (i *instance) chains() (ports.Chains, catalog.Catalog) {
	w := i.world
	chains, offered := ports.Single("a", seenBy{w.bureau, i, "a"}, products(), timeout), products()
	for n, p := range offered {
		c := chains[p.ID]
		for _, name := range []string{"b", "c"}[:w.plan.bureaus-1] {
			c.Links = append(c.Links, ports.Link{Name: name, Product: p, Timeout: timeout, Bureau: seenBy{w.bureau, i, name}})
		}
		c.OnNoRecord = w.plan.more
		if w.plan.compares > 0 {
			c.Compare = &ports.Comparison{
				Link:  ports.Link{Name: w.plan.with, Product: p, Timeout: timeout, Bureau: seenBy{w.bureau, i, w.plan.with}},
				Share: 1, Monthly: w.compared + catalog.Money(w.plan.compares)*price,
			}
		}
		chains[p.ID] = c
		offered[n].Price, _ = c.Most()
	}
	return chains, offered
}

// world is one run.
type world struct {
	t      *testing.T
	plan   plan
	sched  *scheduler
	server *server // nil on SQLite
	file   *file   // nil on PostgreSQL
	// writing is SQLite's lock.
	writing  chan struct{}
	bureau   *bureau
	heard    *receiver
	platform *platform
	calendar access.Calendar

	instances []*instance
	judge     *instance // whose steps never wait
	look      *sql.DB   // what judges read

	orgID    string
	owner    string // id of a member
	members  []string
	keys     []heldKey
	hook     string // token of the webhook
	adHook   string // id of the webhook of the platform, and its token
	adToken  string
	rotation string // of its contacts, if there is one
	agent    agent
	stages   []crm.Stage
	rules    []string
	compared catalog.Money // what comparisons cost this month, in the worlds before

	mu       sync.Mutex
	wires    map[string][]*wire
	findings []finding
	happened []happening
	batches  []string
	contacts map[string]string // of people, by their number
	started  int
	begun    time.Time
	known    map[string]bool // violations that were found before
	// rotations are how often the second key was about to get another secret, and got one.
	rotations [2]int
}

type heldKey struct{ id, secret string }

// finding is what a judge holds against a world.
type finding struct{ judgement, text string }

func (w *world) fail(judgement, format string, values ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, finding{judgement, fmt.Sprintf(format, values...)})
}

// opened notes a connection of an instance.
func (w *world) opened(who string, c *wire) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.wires[who] = append(w.wires[who], c)
}

// instance is one running program: its own use cases and pool.
type instance struct {
	name   string
	place  int // among the instances
	world  *world
	store  *gormstore.Store
	offset time.Duration // of its clock

	asker       *lookups.Asker
	ledger      *lookups.Ledger
	keys        *lookups.Keys
	batches     *batches.Batches
	jobs        *automations.Jobs
	intake      *intakeapp.Intake
	contacts    *contacts.Contacts
	bulks       *contacts.Bulks
	members     *team.Members
	automations *automations.Automations
	subjects    *privacyapp.Subjects
	audit       *privacyapp.Audit
	webhooks    *intakeapp.Webhooks
	leads       *intakeapp.Leads // nil where none are fetched
	funnels     *contacts.Funnels
	purposes    *privacyapp.Purposes
	rotations   *contacts.Rotations
	orgs        *team.Organisations
	retention   *privacyapp.Retention
	statement   *lookups.Statement

	log  *slog.Logger
	stop context.CancelFunc
	over sync.WaitGroup
}

// journal keeps nothing.
type journal struct{}

func (journal) Append(privacy.Entry) (bool, error) { return false, nil }

func (w *world) open(name string) (*instance, error) {
	var store *gormstore.Store
	var err error
	if w.server != nil {
		// Nothing is prepared, as through a pooler: a connection of a world hardly sends a statement twice.
		store, err = gormstore.Open("postgres://postgres@127.0.0.1/"+w.server.database+
			"?sslmode=disable&default_query_exec_mode=exec", [][]byte{dataKey},
			gormengine.Dialing(w.server.dial(w, name)))
	} else {
		store, err = gormstore.Open("sqlite://"+w.file.path, [][]byte{dataKey}, gormengine.Driving(w.driver(name)))
	}
	if err != nil {
		return nil, err
	}
	if err := store.LimitConnections(80); err != nil {
		return nil, err
	}
	i := &instance{name: name, world: w, store: store}
	now := func() time.Time { return time.Now().UTC().Add(i.offset) }
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	if testing.Verbose() && os.Getenv("WORLD_LOG") != "" {
		log = slog.New(slog.NewTextHandler(os.Stderr, nil)).With("instance", name)
	}
	store.LogTo(log)
	i.log = log
	chains, offered := i.chains()
	terms, pace := lookups.NewTerms(offered, time.Duration(w.plan.bureaus)*timeout, fresh, w.calendar), batches.NewPace()
	i.ledger = lookups.NewLedger(lookups.LedgerConfig{
		Store: store, Terms: terms, Clock: now, Log: log, Observe: func(lookups.Event) {},
		Bureaus: lookups.NewBureaus(chains, store, w.calendar, now, log), Callbacks: w.callbacks(),
	})
	i.asker = lookups.NewAsker(i.ledger, pace.Single)
	i.keys = lookups.NewKeys(store, now)
	i.batches = batches.New(batches.Config{
		Store: store, Asker: i.asker, Pace: pace, Catalog: offered, Fresh: fresh, Calendar: w.calendar,
		Clock: now, Log: log, Concurrency: 4, Bureau: "mundo",
	})
	i.jobs = automations.NewJobs(automations.JobsConfig{
		Store: store, Clock: now, Dispatcher: hearing{w.heard, i}, Destinations: automation.Destinations{},
		Conditions: automation.NewConditions(), Asker: i.asker, Terms: terms, Log: log, PublicURL: "https://f.example",
	})
	store.OnJobs(i.jobs.Wake)
	i.intake = intakeapp.New(store, now).Mailing(i.name[0]%2 == 0) // of instances, some have no server for e-mail
	i.contacts, i.bulks = contacts.New(store, now), contacts.NewBulks(store, now)
	if w.hasAds() {
		i.leads = i.fetching(now)
	}
	i.members = team.NewMembers(store, now, func(p string) (string, error) { return "h:" + p, nil })
	i.automations = automations.New(store, now, automations.Means{
		Conditions: automation.NewConditions(), Catalog: offered, Destinations: automation.Destinations{},
	})
	i.subjects = privacyapp.NewSubjects(store, store, journal{}, now, i.contacts.PartToErase)
	i.audit = privacyapp.NewAudit(store, now)
	i.webhooks, i.funnels = intakeapp.NewWebhooks(store, now), contacts.NewFunnels(store, now)
	i.purposes, i.orgs = privacyapp.NewPurposes(store, now), team.NewOrganisations(store, now)
	i.rotations = contacts.NewRotations(store, now)
	i.retention = privacyapp.NewRetention(store, privacyapp.Keeping{
		Answers: 90 * 24 * time.Hour, Deliveries: 30 * 24 * time.Hour, Audit: 365 * 24 * time.Hour,
	}, now)
	i.statement = lookups.NewStatement(store, w.calendar, now)
	return i, nil
}

// start begins the instance's own work.
func (i *instance) start() {
	ctx, stop := context.WithCancel(context.Background())
	i.stop = stop
	log := slog.New(slog.NewTextHandler(io.Discard, nil))
	if p := i.world.plan; p.working&(1<<i.place) != 0 {
		if p.runs {
			i.over.Go(func() { i.batches.Run(ctx) })
		}
		if p.fires {
			i.over.Go(func() { i.jobs.Run(ctx) })
		}
		if i.leads != nil {
			i.over.Go(func() { i.leads.Run(ctx) })
		}
	}
	i.over.Go(func() {
		app.RunChores(ctx, log, i.work()...)
	})
}

// chores is how many kinds of periodic work there are; some by their place.
const (
	chorePersons = 3
	choreErase   = 4
	choreFold    = 5
	choreBulks   = 10
	chores       = 12
)

// work is the periodic work that the plan has.
func (i *instance) work() (all []app.Chore) {
	pace := i.world.plan.pace
	for n, c := range []app.Chore{
		{Name: "settle", Every: 3 * pace, Do: i.ledger.Settle},
		{Name: "use", Every: 10 * pace, Do: i.keys.SaveUse},
		{Name: "index", Every: 5 * pace, Do: i.store.IndexContacts},
		{Name: "persons", Every: 10 * pace, Do: i.store.IndexSubjects},
		{Name: "erase", Every: pace, Do: i.subjects.Work},
		{Name: "fold", Every: 30 * pace, Do: func(ctx context.Context) error {
			return i.store.FoldFigures(ctx, i.world.calendar)
		}},
		{Name: "answers", Every: 60 * pace, Do: i.retention.ForgetAnswers},
		{Name: "audit", Every: 60 * pace, Do: i.retention.ForgetAudit},
		{Name: "requests", Every: 60 * pace, Do: i.asker.ForgetRequests},
		{Name: "quotes", Every: 60 * pace, Do: i.batches.Forget},
		{Name: "bulks", Every: pace, Do: i.bulks.Work},
		{Name: "removed", Every: 15 * pace, Do: i.contacts.ForgetRemoved},
	} {
		if i.world.plan.without&(1<<n) == 0 {
			all = append(all, c)
		}
	}
	if aboutStages(i.world.plan.seed) {
		all = append(all, app.Chore{Name: "rescue", Every: 5 * pace, Do: i.funnels.Rescue})
	}
	if i.world.plan.moods.taken > 0 {
		all = append(all, app.Chore{Name: "fetch", Every: time.Second, Do: i.ledger.FetchLater})
	}
	return all
}

// end stops the instance as SIGTERM does.
func (i *instance) end() {
	if i.stop != nil {
		i.stop()
	}
	i.over.Wait()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if lost := i.ledger.Stop(ctx); lost > 0 && !i.world.sched.isDead(i.name) {
		i.world.fail("lost", "%s: %d outcomes of calls were lost at the end", i.name, lost)
	}
	_ = i.store.Close()
}

// kill ends everything of an instance at once, and starts it again.
func (w *world) kill(n int) {
	old := w.instances[n]
	w.sched.note(old.name + ": KILLED")
	w.sched.kill(old.name)
	w.mu.Lock()
	wires := w.wires[old.name]
	delete(w.wires, old.name)
	w.mu.Unlock()
	for _, c := range wires {
		_ = c.pipe.Close()
	}
	old.stop()
	old.ledger.GiveUp()
	go old.end()
	w.begin(n)
}

// begin starts an instance again.
func (w *world) begin(n int) {
	w.started++
	fresh, err := w.open(fmt.Sprintf("%c%d", 'A'+n, w.started))
	if err != nil {
		w.fail("start", "starting again: %v", err)
		return
	}
	fresh.place = n
	w.mu.Lock()
	w.instances[n] = fresh
	w.mu.Unlock()
	fresh.start()
}

// at returns an instance, as the balancer in front of them would.
func (w *world) at(n int) *instance {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.instances[n%len(w.instances)]
}

var errAway = errors.New("no such thing yet")

// lookAt opens what judges read.
func (w *world) lookAt() (*sql.DB, error) {
	if w.server == nil {
		return w.file.open("?_time_format=sqlite&_pragma=query_only(1)"), nil
	}
	// What it reads is about this world only: no connection is to remember it.
	config, err := pgx.ParseConfig("postgres://postgres@127.0.0.1/" + w.server.database +
		"?sslmode=disable&default_query_exec_mode=simple_protocol")
	if err != nil {
		return nil, err
	}
	config.DialFunc = w.server.dial(w, judge)
	return stdlib.OpenDB(*config), nil
}

// number reads one number.
func (w *world) number(statement string) (n int64) {
	var out sql.NullInt64
	if err := w.look.QueryRow(statement).Scan(&out); err != nil {
		w.fail("judge", "%s: %v", statement, err)
	}
	return out.Int64
}

// rows reads texts.
func (w *world) rows(statement string) (all [][]string) {
	rows, err := w.look.Query(statement)
	if err != nil {
		w.fail("judge", "%s: %v", statement, err)
		return nil
	}
	defer func() { _ = rows.Close() }()
	columns, _ := rows.Columns()
	for rows.Next() {
		texts, into := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range texts {
			into[i] = &texts[i]
		}
		if err := rows.Scan(into...); err != nil {
			w.fail("judge", "%s: %v", statement, err)
		}
		one := make([]string, len(columns))
		for i, t := range texts {
			one[i] = t.String
		}
		all = append(all, one)
	}
	if err := rows.Err(); err != nil {
		w.fail("judge", "%s: %v", statement, err)
	}
	return all
}

// judge is the name under which nothing waits.
const judge = "judge"

// outcome is what became of a world.
type outcome struct {
	findings []finding
	steps    []string
	pairs    map[[2]string]int
	kinds    map[string]int
}

// where gives worlds a database.
type where struct {
	database interface{ reset() error }
	server   *server
	file     *file
}

// run makes the world of a plan and judges it.
func (at *where) run(t *testing.T, p plan) (out outcome) {
	t.Helper()
	// By the organisation's clock it begins at the same time each time.
	begin := next
	local := time.Duration(p.minute) * time.Minute
	if p.midnight {
		local = 24*time.Hour - 20*time.Second
	}
	zone := time.FixedZone("mundo", int((local - time.Duration(begin.Hour())*time.Hour).Seconds()))
	if err := at.database.reset(); err != nil {
		t.Fatal(err)
	}
	cryptotest.SetGlobalRandom(t, p.seed)
	// Who waits for a mutex is awake for the scheduler, which waits in turn: the stacks tell who holds it.
	hangs := time.AfterFunc(patience.Scaled(5*time.Minute), func() {
		panic(fmt.Sprintf("the world of seed %d hangs", p.seed))
	})
	defer hangs.Stop()
	synctest.Test(t, func(t *testing.T) {
		time.Sleep(time.Until(begin))
		w := &world{
			t: t, plan: p, sched: newScheduler(p.seed), server: at.server, file: at.file,
			wires: map[string][]*wire{}, contacts: map[string]string{}, writing: make(chan struct{}, 1),
			known: map[string]bool{},
			begun: begin, calendar: access.Calendar{Location: zone},
		}
		w.sched.strategy = p.strategy
		w.bureau, w.heard = &bureau{world: w}, &receiver{world: w}
		w.platform = &platform{world: w, calls: map[string]int{}}
		w.bureau.calls, w.bureau.mute, w.bureau.polls = map[string]int{}, map[string]int{}, map[string]int{}
		if at.server != nil {
			w.sched.outside = at.server
		}
		w.live()
		out = outcome{w.findings, w.sched.taken, w.sched.pairs, w.sched.kinds}
		next = time.Now().UTC().Truncate(time.Hour).Add(time.Hour)
	})
	return out
}

// within runs f in a goroutine, and schedules until it is done.
func (w *world) within(f func()) {
	var done bool
	var mu sync.Mutex
	go func() {
		f()
		mu.Lock()
		done = true
		mu.Unlock()
	}()
	if !w.sched.until(func() bool { mu.Lock(); defer mu.Unlock(); return done }, time.Hour) {
		w.fail("stuck", "something did not end within an hour: %s", w.sched.stuck())
	}
}

// live is the life of a world: it is made, things happen to it, it comes to rest, and is judged.
func (w *world) live() {
	w.sched.freely(true)
	w.within(func() {
		var err error
		if w.look, err = w.lookAt(); err == nil {
			bucket := lookup.ComparedBucket(w.calendar.Month(w.begun), catalog.CPF)
			spent := "SELECT sum(amount) FROM key_usage WHERE key_id = '%s' AND bucket = '%s'"
			w.compared = catalog.Money(w.number(fmt.Sprintf(spent, gormengine.NoID, bucket)))
			w.judge, err = w.open(judge)
		}
		for n := range w.plan.instances {
			var one *instance
			if err == nil {
				one, err = w.open(string(rune('A' + n)))
				w.instances = append(w.instances, one)
				if err == nil {
					one.place = n
				}
			}
		}
		if err == nil {
			err = w.judge.store.KeepPartitions(context.Background())
		}
		if err == nil {
			err = w.settle()
		}
		if err != nil {
			w.fail("setting up", "%v", err)
		}
	})
	if len(w.findings) == 0 {
		w.sched.freely(false)
		for _, i := range w.instances {
			i.start()
		}
		w.sched.stir(w.plan)
		if w.play(0); w.plan.night {
			w.sleep()
			w.play(1)
		}
		w.sched.calm()
		w.rest()
	}
	w.sched.freely(true)
	w.within(func() {
		for _, i := range w.instances {
			i.end()
		}
		if len(w.findings) == 0 {
			w.verdicts()
		}
		w.judge.end()
		_ = w.look.Close()
	})
	// What was killed, or waits for a pause to end, has fifteen seconds to notice.
	w.sched.until(func() bool { return false }, 20*time.Second)
}

// play lets the clients do what the plan says, or a half of it where a night is between.
func (w *world) play(half int) {
	var mu sync.Mutex
	running := len(w.plan.clients)
	for c, script := range w.plan.clients {
		if w.plan.night {
			middle := (len(script) + 1) / 2
			script = [][]op{script[:middle], script[middle:]}[half]
		}
		go func() {
			for _, o := range script {
				w.do(c, o, func() bool { mu.Lock(); defer mu.Unlock(); return running <= 1 })
			}
			mu.Lock()
			running--
			mu.Unlock()
		}()
	}
	if !w.sched.until(func() bool { mu.Lock(); defer mu.Unlock(); return running == 0 }, 2*time.Hour) {
		w.fail("stuck", "clients wait after two hours: %s", w.sched.stuck())
		w.sched.freely(true)
	}
}

// sleep stops the instances, and starts them hours later: figures are of the past by then.
func (w *world) sleep() {
	w.sched.calm()
	w.within(func() {
		for _, i := range w.instances {
			i.end()
		}
	})
	w.sched.stir(w.plan)
	w.sched.note("NIGHT")
	night := 3 * time.Hour
	if w.server == nil && w.plan.minute%2 == 0 { // quotes are forgotten by then; PostgreSQL would need many partitions
		night = 9 * 24 * time.Hour
	}
	time.Sleep(night)
	for n := range w.instances {
		w.begin(n)
	}
}

// rest lets everything that was begun end.
func (w *world) rest() {
	var mu sync.Mutex
	calm := false
	go func() {
		stillBefore := false
		for renewed, n := !w.hasAds(), 0; n < 200; n++ {
			renewed = renewed || w.renewed()
			time.Sleep(time.Duration(1+min(n, 2)) * time.Second)
			// A job that waits for its next attempt may wait for hours.
			// Nor does whoever was kept for longer than a statement may take come back before a lease has ended.
			steady := w.plan.faults.frozen == 0 && !w.crashed() && w.plan.holds == (holds{}) && w.plan.pins == (pins{})
			still := w.calm() && !w.posting() && w.allFetched() && (w.idle() || n > 4 && steady || n > 20)
			if still && (stillBefore || steady) {
				break
			}
			stillBefore = still // a commit that was held until its client gave up lands after the first look
		}
		mu.Lock()
		calm = true
		mu.Unlock()
	}()
	w.sched.until(func() bool { mu.Lock(); defer mu.Unlock(); return calm }, time.Hour)
}

func (s *scheduler) stuck() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []string
	for _, one := range s.waiting {
		all = append(all, one.String())
	}
	return strings.Join(all, "; ")
}

package gormstore

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/ports"
	"fichario/ports/portstest"
	"fichario/tests/testkit/postgres"
)

// everywhere are the functions that read or change rows of a table whatever their organisation, by why.
var everywhere = map[string][]string{
	"work that is due, of any organisation": {
		"automations.jobs.Claim SELECT jobs", "automations.jobs.Lock SELECT jobs",
		"batches.batches.Busy SELECT batch_items", "batches.batches.Busy SELECT batches",
		"contacts.bulks.Next SELECT bulk_actions",
		"lookups.statement.Abandon SELECT lookups", "lookups.statement.Settle SELECT leases",
		"lookups.statement.unanswered SELECT lookups",
		"privacy/persons.subjects.LeaseErasure SELECT erasures",
		"privacy/persons.subjects.LeaseErasure UPDATE erasures",
	},
	"which organisation a row has that is locked next": {
		"privacy/persons.subjects.LockErasure SELECT erasures",
	},
	"what is over": {
		"automations.jobs.Forget DELETE jobs", "batches.batches.Expire UPDATE batches",
		"batches.batches.ForgetQuotes SELECT batches",
		"batches.batches.discard SELECT batches", "contacts.bulks.Forget SELECT bulk_actions",
		"contacts.removals.Forget SELECT bulk_actions",
		"contacts.removals.Forget SELECT removed_contacts", "intake.inbox.Forget DELETE deliveries",
		"intake.inbox.Forget DELETE delivery_contacts", "intake.inbox.Forget DELETE delivery_hours",
		"intake.inbox.Forget DELETE receipts", "lookups.lookupRequests.Forget DELETE lookup_requests",
		"lookups.usage.ForgetSessions DELETE key_usage",
		"privacy.auditLines.Forget SELECT audit_lines",
	},
	"what a chore goes through": {
		"contacts.contacts.Changed SELECT contact_events", "contacts.contacts.Changed SELECT contacts",
		"contacts.contacts.Changed SELECT removed_contacts", "contacts.contacts.Stray SELECT contacts",
		"contacts.contacts.Stray SELECT stage_totals",
		"privacy/persons.init.naming SELECT batch_items", "privacy/persons.init.naming SELECT lookups",
		"privacy/persons.resolving.step SELECT contacts", "privacy/persons.resolving.step SELECT deliveries",
		"privacy/persons.resolving.step SELECT removed_contacts",
	},
	"figures of all organisations": {"lookups.bureauStates.Days SELECT bureau_days"},
	"ports.AnyOrg, which few may name": {
		"automations.jobs.Find SELECT jobs", "automations.jobs.Revive UPDATE jobs",
		"batches.batches.Find SELECT batches",
		"batches.batches.Items SELECT batch_items", "batches.batches.Lock SELECT batches",
		"contacts.bulks.Find SELECT bulk_actions", "contacts.contacts.Find SELECT contacts",
		"contacts.contacts.Lock SELECT contacts", "contacts.cameOf SELECT contacts",
		"contacts.removals.Find SELECT removed_contacts", "contacts.removals.Into SELECT removed_contacts",
		"intake.deliveries.Find SELECT deliveries", "lookups.statement.Find SELECT lookups",
		"privacy/persons.subjects.FindErasure SELECT erasures",
	},
}

// TestSlowEveryStatementIsOfOneOrganisation: each that the suite of the ports makes PostgreSQL run, as it is for Citus,
// names the organisation of every table that Citus divides, or stands in the list above. PostgreSQL says so itself, in
// its plan for any values. What triggers do, and tables without an organisation, are not seen.
func TestSlowEveryStatementIsOfOneOrganisation(t *testing.T) {
	t.Parallel()
	all := &heard{who: map[string]map[string]bool{}}
	t.Run("suite", func(t *testing.T) {
		portstest.Store(t, func(t *testing.T) ports.Store {
			t.Helper()
			s := heardBy(t, all)
			s.Distributed.Store(true)
			return s
		})
	})
	got := judged(t, all)
	for why, named := range everywhere {
		for _, name := range named {
			if _, seen := got[name]; !seen {
				t.Errorf("%s: no statement is made for %s; take it from the list", name, why)
			}
			delete(got, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(got)) {
		t.Errorf("%s is found without its organisation:\n%s", name, strings.Join(got[name], "\n"))
	}
}

// heard are the statements that were sent to PostgreSQL, each with the functions of the store that sent it.
type heard struct {
	mu  sync.Mutex
	who map[string]map[string]bool
}

// heardBy opens an empty migrated database whose statements are heard. The query mode has each of them sent anew.
func heardBy(t *testing.T, all *heard) *Store {
	t.Helper()
	at, err := url.Parse(postgres.New(t, migrateEach))
	if err != nil {
		t.Fatal(err)
	}
	settings := at.Query()
	settings.Set("default_query_exec_mode", "exec")
	at.RawQuery = settings.Encode()
	return opened(t, at.String(), engine.Dialing(all.dial))
}

func (h *heard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := new(net.Dialer).DialContext(ctx, network, address)
	return &listening{Conn: conn, heard: h}, err
}

// listening is a connection whose statements are heard.
type listening struct {
	net.Conn
	*heard
	begun bool
}

// Write reads the messages in p. The first of a connection has no type.
func (l *listening) Write(p []byte) (int, error) {
	const head = 5
	for rest := p; l.begun && len(rest) >= head; {
		size := 1 + int(binary.BigEndian.Uint32(rest[1:head]))
		if size > len(rest) {
			return 0, fmt.Errorf("a message of %d bytes is written in parts", size)
		}
		said := bytes.Split(rest[head:size], []byte{0})
		switch rest[0] {
		case 'P':
			l.hear(string(said[1]), sender()) // after the name
		case 'Q':
			l.hear(string(said[0]), sender())
		}
		rest = rest[size:]
	}
	l.begun = true
	return l.Conn.Write(p)
}

func (h *heard) hear(text, from string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.who[text] == nil {
		h.who[text] = map[string]bool{}
	}
	h.who[text][from] = true
}

// sender names the function of the store, outside its engine, that sends a statement.
func sender() string {
	const most, store = 100, "fichario/adapters/gormstore"
	var at [most]uintptr
	frames := runtime.CallersFrames(at[:runtime.Callers(1, at[:])])
	for more := true; more; {
		var frame runtime.Frame
		frame, more = frames.Next()
		name, ours := strings.CutPrefix(frame.Function, store)
		if ours && !strings.HasPrefix(name, "/engine.") && !strings.HasSuffix(frame.File, "_test.go") {
			return ofClosure.ReplaceAllString(strings.NewReplacer("(*", "", ")", "").Replace(name[1:]), "$1")
		}
	}
	return "?"
}

// ofClosure matches a package with its function, or a type and its method, and then what stands in it.
var ofClosure = regexp.MustCompile(`^([\w/]+\.\w+(?:\.[A-Za-eg-z]\w*|\.f[a-tv-z]\w*)?).*$`)

// judged returns the statements that name no organisation of a table, by their functions and the table.
func judged(t *testing.T, all *heard) map[string][]string {
	t.Helper()
	s := heardBy(t, &heard{who: map[string]map[string]bool{}}) // which keeps no prepared statements of its own
	var divided []string
	if err := s.Reader.Raw(`SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE a.attname = 'org_id' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname NOT IN ?`,
		append(slices.Clone(alone), directory...)).Scan(&divided).Error; err != nil || len(divided) == 0 {
		t.Fatal(len(divided), err)
	}
	out, plans := map[string][]string{}, 0
	for text, who := range all.who {
		verb := strings.Fields(strings.TrimLeft(text, " \n\t("))[0]
		if !slices.Contains([]string{"SELECT", "UPDATE", "DELETE", "INSERT", "WITH"}, strings.ToUpper(verb)) {
			continue
		}
		said := planOfAny(t, s, text)
		if said == nil {
			continue
		}
		plans++
		for alias, table := range said.tables {
			if !slices.Contains(divided, table) || said.isBound(alias) {
				continue
			}
			for name := range who {
				name += " " + strings.ToUpper(verb) + " " + table
				out[name] = append(out[name], text)
			}
		}
	}
	if plans < 500 {
		t.Errorf("%d statements are judged: most are not heard", plans)
	}
	return out
}

// planOfAny reads PostgreSQL's plan for a statement with any values.
func planOfAny(t *testing.T, s *Store, text string) *bindings {
	t.Helper()
	var shown string
	err := s.Writer.Transaction(func(db *gorm.DB) error {
		for _, first := range []string{
			"DEALLOCATE ALL", "SET LOCAL plan_cache_mode = force_generic_plan", "SET LOCAL enable_partition_pruning = off",
			"PREPARE judged AS " + text,
		} {
			if err := db.Exec(first).Error; err != nil {
				return err
			}
		}
		var values string
		if err := db.Raw(`SELECT COALESCE('(' || string_agg('NULL', ', ') || ')', '')
			FROM pg_prepared_statements, unnest(parameter_types) WHERE name = 'judged'`).Scan(&values).Error; err != nil {
			return err
		}
		return db.Raw("EXPLAIN (FORMAT JSON, VERBOSE, COSTS OFF) EXECUTE judged" + values).Scan(&shown).Error
	})
	var plan any
	if err == nil {
		err = json.Unmarshal([]byte(shown), &plan)
	}
	if err != nil {
		t.Errorf("%s has no plan: %v", text, err)
		return nil
	}
	out := &bindings{tables: map[string]string{}, bound: map[string]bool{}, same: map[string]string{}}
	out.read(plan)
	return out
}

// bindings are what a plan says of the aliases of its tables: which are bound to an organisation by a value, and which
// to one another.
type bindings struct {
	tables map[string]string
	bound  map[string]bool
	same   map[string]string
}

var (
	toValue = regexp.MustCompile(`(\w+)\.org_id\)?(?:::text)? = \(*(?:ANY \()?\(*(?:ARRAY\[)?\(*(?:\$\d|')`)
	toOther = regexp.MustCompile(`(\w+)\.org_id\)? = \(?(\w+)\.org_id`)
	ofPart  = regexp.MustCompile(`(_\d+)+$|_rest$`)
)

func (b *bindings) read(node any) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			b.read(child)
		}
	case map[string]any:
		if table, reads := n["Relation Name"].(string); reads && n["Node Type"] != "ModifyTable" {
			alias, _ := n["Alias"].(string)
			b.tables[alias] = ofPart.ReplaceAllString(table, "")
		}
		for name, value := range n {
			condition, is := value.(string)
			if !is || !strings.HasSuffix(name, "Cond") && !strings.HasSuffix(name, "Filter") {
				b.read(value)
				continue
			}
			for _, of := range toValue.FindAllStringSubmatch(condition, -1) {
				b.bound[of[1]] = true
			}
			for _, of := range toOther.FindAllStringSubmatch(condition, -1) {
				if one, other := b.first(of[1]), b.first(of[2]); one != other {
					b.same[one] = other
				}
			}
		}
	}
}

// first is the alias that stands for all that are bound to one another.
func (b *bindings) first(alias string) string {
	for b.same[alias] != "" {
		alias = b.same[alias]
	}
	return alias
}

func (b *bindings) isBound(alias string) bool {
	for bound := range b.bound {
		if b.first(bound) == b.first(alias) {
			return true
		}
	}
	return false
}

// TestEveryOrganisationInOrder: whoever locks rows of several organisations does so in the order of their ids,
// whichever the rows have, so that no two deadlock.
func TestEveryOrganisationInOrder(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		if !s.IsPostgres() {
			continue
		}
		s.Distributed.Store(true)
		for i, org := range []string{testID(3), testID(1), testID(2), testID(1)} {
			err := s.Writer.Exec("INSERT INTO leases (doc_index, call_id, expires_at, org_id) VALUES (?, ?, ?, ?)",
				engine.Blob{byte(i)}, testID(9), time.Now().Add(time.Duration(i)*time.Second), org).Error
			if err != nil {
				t.Fatal(err)
			}
		}
		var visited []string
		err := engine.EveryOrg(s.Writer.Table("leases").Order("expires_at"), func(of engine.Scope) error {
			var orgs []string
			err := of(s.Writer.Table("leases")).Limit(1).Pluck("org_id", &orgs).Error
			visited = append(visited, orgs...)
			return err
		})
		if err != nil || !slices.Equal(visited, []string{testID(1), testID(2), testID(3)}) {
			t.Errorf("visited %v, %v", visited, err)
		}
	}
}

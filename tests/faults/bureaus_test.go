package faults

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// moody is a bureau whose answers are drawn: it names what each costs, refuses free of charge, has no credit, breaks
// connections or keeps silent, and at times takes no connections. Its ledger has every call that arrived.
type moody struct {
	t     *testing.T
	name  string
	most  catalog.Money
	moods []string

	mu     sync.Mutex
	chance *rand.Rand
	server *httptest.Server
	at     string
	ledger map[string][]*served
	// answering are the calls that have arrived and whose answer has not left.
	answering map[*served]bool
	away      bool
}

// served is a call that arrived: what it was answered, what that costs, and whether the bureau went away meanwhile, so
// that it may count a call whose answer nobody has.
type served struct {
	mood  string
	costs catalog.Money
	cut   bool
}

func (s served) String() string { return fmt.Sprintf("%s %s, cut %t", s.mood, s.costs, s.cut) }

func startMoody(t *testing.T, name string, most catalog.Money, seed uint64, moods ...string) *moody {
	b := &moody{
		t: t, name: name, most: most, moods: moods,
		chance: rand.New(rand.NewPCG(seed, uint64(most))), ledger: map[string][]*served{}, answering: map[*served]bool{},
	}
	b.up()
	t.Cleanup(b.down)
	return b
}

// up takes connections, at the address that it had before.
func (b *moody) up() {
	b.mu.Lock()
	defer b.mu.Unlock()
	var listener net.Listener
	lookuptest.Eventually(b.t, "the bureau's address is free", func() bool {
		var err error
		listener, err = new(net.ListenConfig).Listen(context.Background(), "tcp", max(b.at, "127.0.0.1:0"))
		return err == nil // for a moment a connection of another program may have the port
	})
	b.at, b.away = listener.Addr().String(), false
	b.server = &httptest.Server{Listener: listener, Config: &http.Server{Handler: b, ReadHeaderTimeout: time.Minute}}
	b.server.Start()
}

// down refuses connections, and breaks those that there are.
func (b *moody) down() {
	b.mu.Lock()
	b.away = true
	for s := range b.answering {
		s.cut = true
	}
	b.mu.Unlock()
	b.server.CloseClientConnections()
	b.server.Close()
}

func (b *moody) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	document := r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	b.mu.Lock()
	mood := b.moods[b.chance.IntN(len(b.moods))]
	named := catalog.Money(100 * (1 + b.chance.IntN(int(b.most/100))))
	costs := map[string]catalog.Money{"answer": named, "nobody": named, "busy": 0, "empty": 0}
	one := &served{mood: mood, costs: b.most, cut: b.away}
	if c, told := costs[mood]; told {
		one.costs = c
	}
	b.ledger[document] = append(b.ledger[document], one)
	b.answering[one] = true
	b.mu.Unlock()
	defer func() {
		b.mu.Lock()
		delete(b.answering, one)
		b.mu.Unlock()
	}()
	body := fmt.Sprintf(`{"nome":"Ana %s","preco":"%s","achou":%t}`, lookuptest.Secret, named, mood == "answer")
	switch mood {
	case "busy":
		w.Header().Set("Retry-After", "0")
		say(w, http.StatusTooManyRequests, "")
	case "empty":
		say(w, http.StatusPaymentRequired, "")
	case "reset":
		hijack(w, "")
	case "truncated":
		hijack(w, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"+body)
	case "silent":
		<-r.Context().Done()
	default:
		say(w, http.StatusOK, body)
	}
}

// say answers; the answer has left when it returns.
func say(w http.ResponseWriter, status int, body string) {
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = io.WriteString(w, body)
	_ = http.NewResponseController(w).Flush()
}

func (b *moody) file(dir string) string {
	path := filepath.Join(dir, b.name+".yaml")
	err := os.WriteFile(path, []byte(fmt.Sprintf(`
name: %s
base_url: http://%s
timeout: %s
not_charged: [429]
exhausted: { status: 402, until: manual }
products:
  cpf:
    price: { max: "%s", from: .body.preco }
    request: { method: GET, path: "/pessoas/{documento}" }
    found: .achou
    fields: { nome: .nome }
`, b.name, b.at, lookuptest.ScaledTimeout(3*time.Second), b.most)), 0o600)
	if err != nil {
		b.t.Fatal(err)
	}
	return path
}

// TestSlowSeveralBureaus sends questions down a chain of three bureaus with moods, from two instances on PostgreSQL,
// while bureaus go away and instances are killed. Each bureau's ledger is compared with its lines in the statement,
// call for call and cent for cent. BUREAUS says how many questions there are (the figures of docs/faults.md: 10000),
// SEED makes the same moods again.
func TestSlowSeveralBureaus(t *testing.T) {
	t.Parallel()
	questions, err := strconv.Atoi(os.Getenv("BUREAUS"))
	if err != nil {
		questions = 1000
	}
	seed, err := strconv.ParseUint(os.Getenv("SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64N(1_000_000)
	}
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		c := &chainOfMoody{t: t, bureaus: []*moody{
			startMoody(t, "a", 1000, seed, "answer", "answer", "nobody", "busy", "busy", "reset", "truncated",
				"silent", "empty"),
			startMoody(t, "b", 4500, seed, "answer", "answer", "answer", "nobody", "busy", "reset"),
			startMoody(t, "c", 9000, seed, "answer"),
		}}
		dir := t.TempDir()
		files := make([]string, len(c.bureaus))
		for i, b := range c.bureaus {
			files[i] = b.file(dir)
		}
		s := lookuptest.StartService(t, env, strings.Join(files, ","))
		c.instances = []*lookuptest.Service{s}
		if strings.HasPrefix(env["FICHARIO_DATABASE_URL"], "postgres") {
			c.instances = append(c.instances, s.StartAnother())
		}
		c.keys = []string{s.NewKey(1e6, 1e6, 1e6).Key, s.NewKey(1e6, questions/10, 1e6).Key}
		c.run(questions, seed)
		c.check(questions)
	})
}

// chainOfMoody is the chain, who asks, and what they heard.
type chainOfMoody struct {
	t         *testing.T
	bureaus   []*moody
	instances []*lookuptest.Service
	keys      []string
	kills     int
	downs     int
	// unread are the documents with a charge for a call that no bureau has read.
	unread map[string]bool

	mu    sync.Mutex
	heard map[string]lookuptest.Answer // by document
}

const askers = 16

func (c *chainOfMoody) run(questions int, seed uint64) {
	c.heard = map[string]lookuptest.Answer{}
	docs := make(chan string)
	var asking sync.WaitGroup
	for n := range askers {
		asking.Go(func() {
			chance := rand.New(rand.NewPCG(seed, uint64(n)))
			for d := range docs {
				s, key := c.instances[chance.IntN(len(c.instances))], c.keys[chance.IntN(len(c.keys))]
				a, err := s.Do(context.Background(), "GET", "/api/v1/cpf/"+d, key, nil, "")
				if err == nil {
					c.mu.Lock()
					c.heard[d] = a
					c.mu.Unlock()
				}
			}
		})
	}
	chance := rand.New(rand.NewPCG(seed, 99))
	for i := range questions {
		d := lookuptest.CPF(700_000 + i)
		c.instances[0].Hide(d)
		docs <- d
		switch b := c.bureaus[chance.IntN(2)]; {
		case i%(questions/5) == questions/10:
			one := c.instances[chance.IntN(len(c.instances))]
			one.Kill()
			c.kills++
			one.ForgetLogs()
			one.Restart()
		case i%97 == 50:
			b.down()
			c.downs++
		case i%97 == 80:
			for _, b := range c.bureaus[:2] {
				b.down()
				b.up()
				c.downs++
			}
			c.instances[0].Command("bureau", "back", "a")
		}
	}
	close(docs)
	asking.Wait()
}

// chainLine is a line of the statement.
type chainLine struct{ id, document, status, bureau, followed string }

func (c *chainOfMoody) check(questions int) {
	t := c.t
	lookuptest.Eventually(t, "every call has an outcome", func() bool {
		for _, l := range c.lines() {
			if l.status == "em_andamento" {
				return false
			}
		}
		return true
	})
	c.unread = map[string]bool{}
	lines, charges := c.lines(), map[chainLine]catalog.Money{}
	of := map[string][]chainLine{}
	for l, m := range c.linesWith() {
		charges[l] = m
		of[l.bureau+" "+l.document] = append(of[l.bureau+" "+l.document], l)
	}
	doubtful, calls, paid := 0, 0, catalog.Money(0)
	for _, b := range c.bureaus {
		for d, all := range b.ledger {
			calls += len(all)
			for _, one := range all {
				paid += one.costs
			}
			var charged catalog.Money
			want, cut := catalog.Money(0), false
			for _, one := range all {
				want += one.costs
				cut = cut || one.cut
			}
			unsure := false
			for _, l := range of[b.name+" "+d] {
				charged += charges[l]
				unsure = unsure || l.status == "sem_resposta" || l.status == "falhou" && cut
			}
			switch {
			case charged == want:
			case unsure && charged == b.most && want < charged:
				doubtful++ // killed, or cut, before the answer arrived
			default:
				t.Errorf("%s: a document's calls %v cost %s, and its lines %v are charged %s", b.name, all, want,
					of[b.name+" "+d], charged)
			}
			if len(of[b.name+" "+d]) == 0 {
				t.Errorf("%s was asked %v, and the statement has no line", b.name, all)
			}
		}
	}
	for l, m := range charges {
		called := false
		for _, b := range c.bureaus {
			called = called || b.name == l.bureau && len(b.ledger[l.document]) > 0
		}
		if m > 0 && !called {
			if doubtful++; l.status != "sem_resposta" && l.status != "falhou" {
				t.Errorf("a charge of %s at %s, %s, without a call", m, l.bureau, l.status)
			}
			c.unread[l.document] = true
		}
	}
	// A connection that a bureau closes as a request leaves is a doubt, too.
	if doubtful > c.kills*askers+c.downs {
		t.Errorf("%d charges in doubt, of %d kills, and %d times that a bureau went away", doubtful, c.kills, c.downs)
	}
	c.checkOrder()
	c.checkAnswers()
	st := c.instances[0].Statement(c.keys[1])
	if st.Cobradas.Hoje > st.Limites.Dia {
		t.Errorf("%d charged of %d", st.Cobradas.Hoje, st.Limites.Dia)
	}
	t.Logf("%d questions, %d kills: %d calls at three bureaus for R$ %s, %d lines, %d in doubt; "+
		"the capped key was charged %d of %d",
		questions, c.kills, calls, paid, len(lines), doubtful, st.Cobradas.Hoje, st.Limites.Dia)
}

// checkOrder: after a call that may have been charged, nobody is asked about the document any more.
func (c *chainOfMoody) checkOrder() {
	for i, b := range c.bureaus {
		for d, all := range b.ledger {
			if len(all) > 1 {
				c.t.Errorf("%s was asked %d times about a document: %v", b.name, len(all), all)
			}
			for _, later := range c.bureaus[i+1:] {
				if all[0].costs > 0 && len(later.ledger[d]) > 0 {
					c.t.Errorf("%s was asked after %s had said %v", later.name, b.name, all)
				}
			}
		}
	}
}

// checkAnswers: the last bureau is always there, so that only a cap, or a bureau that was reached, denies an answer.
func (c *chainOfMoody) checkAnswers() {
	for d, a := range c.heard {
		reached := false
		for _, b := range c.bureaus {
			for _, one := range b.ledger[d] {
				reached = reached || one.cut || one.costs > 0 && one.mood != "answer" && one.mood != "nobody"
			}
		}
		switch a.Status {
		case http.StatusOK, http.StatusTooManyRequests:
		case http.StatusBadGateway, http.StatusGatewayTimeout:
			if !reached && !c.unread[d] {
				c.t.Errorf("%s, though no bureau failed", a)
			}
		default:
			c.t.Errorf("%s: %s", a, a.Body)
		}
	}
}

func (c *chainOfMoody) lines() (all []chainLine) {
	for l := range c.linesWith() {
		all = append(all, l)
	}
	return all
}

// linesWith reads the statements of all keys, with what each line was charged.
func (c *chainOfMoody) linesWith() map[chainLine]catalog.Money {
	c.t.Helper()
	all := map[chainLine]catalog.Money{}
	for _, key := range c.keys {
		a := c.instances[0].Get("/api/v1/extrato/arquivo", key)
		rows, err := csv.NewReader(strings.NewReader(string(a.Body))).ReadAll()
		if err != nil || a.Status != http.StatusOK {
			c.t.Fatalf("%s, %v", a, err)
		}
		at := map[string]int{}
		for i, name := range rows[0] {
			at[name] = i
		}
		for _, row := range rows[1:] {
			m, err := catalog.ParseMoney(row[at["valor"]])
			if err != nil {
				c.t.Fatal(err)
			}
			all[chainLine{
				row[at["id"]], row[at["documento"]], row[at["situacao"]], row[at["bureau"]], row[at["seguida"]],
			}] = m
		}
	}
	return all
}

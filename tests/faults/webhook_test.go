package faults

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
	"fichario/tests/testkit/postgres"
)

type (
	request = intaketest.Request
	answer  = intaketest.Answer
	org     = intaketest.Org
	hook    = intaketest.Hook
)

var line = intaketest.Line

// load is clients that post, one post after the other, and know what became of each.
type load struct {
	o    *org
	h    hook
	stop chan struct{}
	work sync.WaitGroup
	// acked counts the accepted posts.
	acked atomic.Int64

	mu    sync.Mutex
	posts []sent
}

// sent is one post: its person is known by a name that no other post has.
type sent struct {
	name  string
	keyed bool
	a     answer
	err   error
}

func (s sent) request(h hook) request {
	header := map[string]string{"Content-Type": "application/json"}
	if s.keyed {
		header["Idempotency-Key"] = s.name
	}
	return request{Path: h.Path, Header: header, Body: intaketest.Lead(s.name)}
}

// newLoad starts clients; every other one sends an Idempotency-Key. A client that gets no answer at all ends.
func newLoad(o *org, h hook, clients int, round string) *load {
	l := &load{o: o, h: h, stop: make(chan struct{})}
	for c := range clients {
		l.work.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-l.stop:
					return
				default:
				}
				s := sent{name: fmt.Sprintf("carga %s-%d-%d", round, c, i), keyed: c%2 == 0}
				s.a, s.err = o.Send(context.Background(), s.request(h))
				if s.a.Status == http.StatusOK {
					l.acked.Add(1)
				}
				l.mu.Lock()
				l.posts = append(l.posts, s)
				l.mu.Unlock()
				if s.err != nil && s.a.Status == 0 {
					return
				}
			}
		})
	}
	return l
}

// end stops the clients and returns what they sent.
func (l *load) end() []sent {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.work.Wait()
	return l.posts
}

// settle sends what has an Idempotency-Key and no answer again, as its sender would, and holds every post that was answered to
// its answer: its contact is there, and it is the only one of its person.
func settle(t *testing.T, o *org, h hook, posts []sent) {
	t.Helper()
	for i, s := range posts {
		if !s.keyed || s.a.Status == http.StatusOK && i%10 != 0 {
			continue // of those that were acknowledged, one in ten
		}
		a := o.Do(s.request(h))
		if a.Status != http.StatusOK || s.a.Status == http.StatusOK && a.LeadID() != s.a.LeadID() {
			t.Errorf("a post that was answered with %q is answered with %s when it is sent again, another contact: %v", s.a, a, a.LeadID() != s.a.LeadID())
		}
		posts[i].a, posts[i].err = a, nil
	}
	byPerson := map[string][]string{}
	for id, c := range o.ByID() {
		byPerson[c.Email] = append(byPerson[c.Email], id)
	}
	known := map[string]bool{}
	for _, s := range posts {
		ids := byPerson[intaketest.Email(s.name)]
		known[intaketest.Email(s.name)] = true
		switch {
		case len(ids) > 1:
			t.Errorf("one post is %d contacts", len(ids))
		case s.a.Status == http.StatusOK && (len(ids) == 0 || ids[0] != s.a.LeadID()):
			t.Errorf("an acknowledged contact is not there, or has another id (%d found)", len(ids))
		case s.a.Status >= 400 && s.a.Status < 500 && len(ids) > 0:
			t.Errorf("a refused post (%s) made a contact", s.a)
		}
	}
	for person := range byPerson {
		if !known[person] {
			t.Error("a contact is of nobody that was sent")
		}
	}
}

// noted is what an automation of ours adds to the note of a contact: a change of our own data happens once, whatever fails.
const noted = "anotado por uma automação"

func notedOnce(t *testing.T, o *org, contacts []intaketest.Contact) {
	t.Helper()
	history := o.Histories(t)
	for _, c := range contacts {
		entries := 0
		for _, entry := range history[c.ID] {
			if strings.HasPrefix(entry, "nota ") {
				entries++
			}
		}
		if n := strings.Count(c.Nota, noted); n != 1 || entries != 1 {
			t.Errorf("a note was added %d times, and is %d times in the history", n, entries)
		}
	}
}

// whole holds every contact, acknowledged or not, to what belongs to it: one history entry that names the webhook, one
// notification, one accepted delivery, one in the counter.
func whole(t *testing.T, o *org, h hook, name string) []intaketest.Contact {
	t.Helper()
	all := o.Contacts()
	notes, deliveries := map[string]int{}, map[string]int{}
	for _, n := range o.Notifications() {
		notes[n.Contato]++
	}
	for _, d := range o.Deliveries(h) {
		if d.Outcome == "accepted" {
			deliveries[intaketest.Or(d.Contact)]++
		}
	}
	history := o.Histories(t)
	for _, c := range all {
		created := slices.DeleteFunc(slices.Clone(history[c.ID]), func(entry string) bool { return !strings.HasPrefix(entry, "criado ") })
		got := line(notes[c.ID], deliveries[c.ID], created)
		if want := line(1, 1, []string{"criado " + name}); got != want {
			t.Errorf("a contact has (notifications, deliveries, history) %s, want %s", got, want)
		}
	}
	expect(t, "contacts with a history", len(history), len(all))
	expect(t, "contacts with a notification", len(notes), len(all))
	expect(t, "contacts with an accepted delivery", len(deliveries), len(all))
	expect(t, "received", o.Show(h).Received, len(all))
	return all
}

// TestWebhookFaults are those faults that take time because the program waits: for a lease to end, for a database, for a body.
func TestWebhookFaults(t *testing.T) {
	t.Parallel()
	intaketest.AtOnce(t, map[string]func(t *testing.T){
		"killing on SQLite":          func(t *testing.T) { killing(t, testkit.SQLite(t)) },
		"killing on PostgreSQL":      func(t *testing.T) { killing(t, testkit.PostgreSQL(t)) },
		"the database goes":          databaseGoesAndComesBack,
		"the database is locked":     lockedDatabase,
		"a body that stops arriving": bodyThatStopsArriving,
	})
}

// killing kills the program under load, again and again. Nothing that was acknowledged is lost, nothing is half done,
// a retry is the same contact, and every automation has run for every contact.
func killing(t *testing.T, env map[string]string) {
	s := intaketest.Start(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true"})
	o := s.Org(t)
	receiver := intaketest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ intaketest.Call, _ int) {
		w.WriteHeader([]int{http.StatusOK, http.StatusAccepted, http.StatusNoContent}[rand.IntN(3)])
	})
	h := o.NewHook("Sob carga", "generic")
	first, _ := o.Automate("Primeira", "http", "--url", receiver.URL+"/primeira")
	second, _ := o.Automate("Segunda", "http", "--url", receiver.URL+"/segunda")
	o.Automate("Anotar", "add_note", "--text", noted)
	var posts []sent
	const kills = 3
	for round := range kills {
		l := newLoad(o, h, 32, strconv.Itoa(round))
		lookuptest.Eventually(t, "posts are accepted", 20*time.Second, func() bool { return l.acked.Load() >= 80 })
		s.Kill()
		posts = append(posts, l.end()...)
		s.Restart()
	}
	settle(t, o, h, posts)
	all := o.Contacts()
	// A run that was cut off is free again when its lease ends.
	called := func(path string) map[string]map[string]int {
		out := map[string]map[string]int{}
		for _, c := range receiver.Calls() {
			if c.Path == path {
				if out[c.Contact] == nil {
					out[c.Contact] = map[string]int{}
				}
				out[c.Contact][c.ID]++
			}
		}
		return out
	}
	lookuptest.Eventually(t, "every automation has run for every contact", 60*time.Second, func() bool {
		return len(called("/primeira")) >= len(all) && len(called("/segunda")) >= len(all)
	})
	runs := map[string]intaketest.Run{}
	for _, r := range o.Settled(3*len(all), 40*time.Second) {
		expect(t, "run", r.State, "done")
		runs[r.ID] = r
	}
	more := 0
	for path, automation := range map[string]string{"/primeira": first, "/segunda": second} {
		byContact := called(path)
		for _, c := range all {
			ids := byContact[c.ID]
			if len(ids) != 1 {
				t.Errorf("%d webhook-ids for one contact", len(ids))
			}
			for id, n := range ids {
				if r := runs[id]; r.Contact != c.ID || intaketest.Or(r.Automation) != automation {
					t.Error("a webhook-id is not the id of the run")
				}
				more += n - 1
			}
		}
		expect(t, "contacts that were called about", len(byContact), len(all))
	}
	notedOnce(t, o, whole(t, o, h, "Sob carga"))
	acked := 0
	for _, p := range posts {
		if p.a.Status == http.StatusOK {
			acked++
		}
	}
	t.Logf("%d posts, %d acknowledged, %d contacts, %d calls made more than once", len(posts), acked, len(all), more)
}

// databaseGoesAndComesBack: meanwhile every post is told so in time, and afterwards nothing that was acknowledged is
// missing and nothing is half done.
func databaseGoesAndComesBack(t *testing.T) {
	server := postgres.Dedicated(t)
	s := intaketest.Start(t, testkit.OnPostgreSQL(server.Database(t, testkit.Migrate)))
	o := s.Org(t)
	h := o.NewHook("Sem banco", "generic")
	o.Automate("Anotar", "add_note", "--text", noted)
	var posts []sent
	for name, fault := range map[string]struct{ begin, end func() }{
		"stopped": {func() { server.Stop(postgres.Immediate) }, server.Start},
		"frozen":  {server.Pause, server.Resume},
	} {
		l := newLoad(o, h, 16, name)
		lookuptest.Eventually(t, name+": posts are accepted", 20*time.Second, func() bool { return l.acked.Load() >= 50 })
		fault.begin()
		count := func(status int) (n int) {
			l.mu.Lock()
			defer l.mu.Unlock()
			for _, p := range l.posts {
				if p.a.Status == status {
					n++
				}
			}
			return n
		}
		lookuptest.Eventually(t, name+": posts are told", 20*time.Second, func() bool { return count(http.StatusServiceUnavailable) >= 16 })
		probes := []request{{Method: "GET", Path: h.Path}, {Method: "HEAD", Path: h.Path}, {Method: "PUT", Path: h.Path}, {Method: "GET", Path: "/readyz"}}
		for i, a := range intaketest.Together(t, len(probes), func(i int) (answer, error) { return s.Send(t.Context(), probes[i]) }) {
			expect(t, line(name, "probe", i), a.Status, 503)
		}
		expect(t, name+": a token that cannot be one", o.Do(request{Method: "GET", Path: intaketest.PathOf("x")}).Status, 404)
		expect(t, name+": health", o.Do(request{Method: "GET", Path: "/healthz"}).Status, 200)
		before := l.acked.Load()
		fault.end()
		lookuptest.Eventually(t, name+": service returns", 15*time.Second, func() bool { return l.acked.Load() > before+50 })
		posts = append(posts, l.end()...)
	}
	for _, p := range posts {
		if p.err != nil {
			t.Error(p.err)
			continue
		}
		if p.a.Status != http.StatusOK && p.a.String() != "503 servico_indisponivel" {
			t.Errorf("a post is answered with %s", p.a)
		}
		if p.a.Took > 11*time.Second {
			t.Errorf("a post is answered with %s after %s", p.a, p.a.Took)
		}
	}
	settle(t, o, h, posts)
	o.Settled(len(o.Contacts()), 60*time.Second) // a run whose end could not be written is made again when its lease ends
	notedOnce(t, o, whole(t, o, h, "Sem banco"))
}

// lockedDatabase: another process keeps the SQLite file to itself. Meanwhile the senders are told so in time.
func lockedDatabase(t *testing.T) {
	s := intaketest.Start(t, testkit.SQLite(t))
	o := s.Org(t)
	h := o.NewHook("Trancado", "generic")
	unlock := o.Lock(t)
	for i, a := range intaketest.Together(t, 8, func(i int) (answer, error) {
		return s.Send(t.Context(), request{Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Idempotency-Key": "trancado"}, Body: intaketest.Lead("trancado")})
	}) {
		expect(t, fmt.Sprint("answer ", i), a.String(), "503 servico_indisponivel")
		if a.Took > 11*time.Second {
			t.Errorf("it came after %s", a.Took)
		}
	}
	expect(t, "a probe only reads", o.Do(request{Method: "GET", Path: h.Path}).Status, 200)
	unlock()
	o.Nothing(t, h)
	o.Accept(h, intaketest.Lead("destrancado"))
	whole(t, o, h, "Trancado")
}

// TestWebhookSlowReceivers: what happens after the answer does not hold the answer up, nor do those that hang hold up those
// that answer.
func TestWebhookSlowReceivers(t *testing.T) {
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.Start(t, env, map[string]string{
			"FICHARIO_ALLOW_PRIVATE_TARGETS": "true", "FICHARIO_SMTP_URL": "smtp://" + intaketest.Mute(t) + "?from=a@servico.example",
		})
		release := make(chan struct{})
		defer close(release)
		slow := intaketest.NewReceiver(t, func(_ http.ResponseWriter, r *http.Request, _ intaketest.Call, _ int) {
			select {
			case <-release:
			case <-r.Context().Done():
			}
		})
		fast := intaketest.NewReceiver(t, nil)
		quiet, o := s.Org(t), s.Org(t)
		post := func(o *org, h hook) time.Duration {
			took := make([]time.Duration, 0, 200)
			for range 200 / 16 {
				for _, a := range intaketest.Together(t, 16, func(i int) (answer, error) {
					return o.Send(t.Context(), request{Path: h.Path, Header: intaketest.JSON, Body: intaketest.Lead(fmt.Sprint("lenta ", i))})
				}) {
					expect(t, "answer", a.String(), "200")
					took = append(took, a.Took)
				}
			}
			slices.Sort(took)
			if longest := took[len(took)-1]; longest > 2*time.Second {
				t.Errorf("a post is answered after %s", longest)
			}
			return took[len(took)*99/100]
		}
		without := post(quiet, quiet.NewHook("Sem automações", "generic"))
		o.Member("Dona", "owner")
		o.Member("Vendas", "member")
		o.Automate("Pendura", "http", "--url", slow.URL)
		o.Automate("Muda", "http", "--url", "http://"+intaketest.Mute(t))
		o.Automate("Carta", "email", "--to", "contact", "--subject", "x", "--text", "x")
		o.Automate("Responde", "http", "--url", fast.URL)
		with := post(o, o.NewHook("Com automações", "generic"))
		lookuptest.Eventually(t, "both kinds of receivers are called", 10*time.Second, func() bool { return len(slow.Calls()) > 0 && len(fast.Calls()) > 0 })
		h := o.NewHook("Depois", "generic")
		id := o.Accept(h, intaketest.Lead("depois"))
		lookuptest.Eventually(t, "the one that answers is called about all", 30*time.Second, func() bool { return len(fast.About(id)) == 1 })
		t.Logf("99th percentile of the answers: %s without automations, %s with those that hang", without, with)
	})
}

// TestWebhookSIGTERM: a stopping program finishes the posts and the jobs in flight, and what is left is done after the next
// start, once.
func TestWebhookSIGTERM(t *testing.T) {
	onBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.Start(t, env, map[string]string{"FICHARIO_ALLOW_PRIVATE_TARGETS": "true"})
		o := s.Org(t)
		release := make(chan struct{})
		receiver := intaketest.NewReceiver(t, func(w http.ResponseWriter, _ *http.Request, _ intaketest.Call, _ int) {
			<-release
			w.WriteHeader(http.StatusOK)
		})
		h := o.NewHook("Parada", "generic")
		o.Automate("Demorada", "http", "--url", receiver.URL)
		const contacts = 20 // more than run at once of one automation
		for i := range contacts {
			o.Accept(h, intaketest.Lead(fmt.Sprint("parada ", i)))
		}
		lookuptest.Eventually(t, "calls have begun", 10*time.Second, func() bool { return len(receiver.Calls()) >= 4 })
		// A post whose body is on its way when the program is told to stop.
		halfway, finish := make(chan struct{}), make(chan struct{})
		late := make(chan answer, 1)
		go func() {
			body := intaketest.Lead("no meio")
			a, err := o.Send(context.Background(), request{
				Path: h.Path, Header: map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body))},
				Stream: func(w io.Writer) {
					_, _ = io.WriteString(w, body[:10])
					close(halfway)
					<-finish
					_, _ = io.WriteString(w, body[10:])
				},
			})
			if err != nil {
				t.Error(err)
			}
			late <- a
		}()
		<-halfway
		go func() {
			for range 500 { // until the program is stopping; not for ever, or a failure would be a hang
				if strings.Contains(s.Logs(), "stopping") {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			close(finish)
			close(release)
		}()
		s.Stop()
		expect(t, "the post in flight", (<-late).String(), "200")
		begun := len(receiver.Calls())
		s.Restart()
		for _, r := range o.Settled(contacts+1, 20*time.Second) {
			expect(t, "run", line(r.State, r.Attempts), "done 1")
		}
		expect(t, "calls", len(receiver.Calls()), contacts+1)
		whole(t, o, h, "Parada")
		t.Logf("%d calls had begun before the end", begun)
	})
}

// TestWebhookHostileBodies: whatever is posted, the answer is clear and comes soon, and the memory is bounded.
func TestWebhookHostileBodies(t *testing.T) {
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.Start(t, env)
		o := s.Org(t)
		h := o.NewHook("Hostil", "generic")
		formed := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
		chunked := func(contentType string) map[string]string {
			return map[string]string{"Content-Type": contentType, "Transfer-Encoding": "chunked"}
		}
		declared := func(contentType string, n int) map[string]string {
			return map[string]string{"Content-Type": contentType, "Content-Length": strconv.Itoa(n)}
		}
		whole := func(text string) func(io.Writer) {
			return func(w io.Writer) { _, _ = io.WriteString(w, text) }
		}
		var keys strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&keys, `,"%x":1`, i)
		}
		many := strings.Repeat("a=1&", 250_000)
		mega := strings.Repeat("x", 64<<10)
		part := "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
		file := "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n"
		multi := "multipart/form-data; boundary=B"
		const (
			invalid    = "400 requisicao_invalida"
			noEmail    = "400 email_invalido"
			tooLarge   = "413 corpo_grande_demais"
			incomplete = "408 requisicao_incompleta"
		)
		bodies := map[string]struct {
			r    request
			want string
		}{
			"never ends":                    {request{Header: chunked("application/json"), Stream: intaketest.Chunks(`{"a":"`, mega)}, tooLarge},
			"never ends, spaces":            {request{Header: chunked("application/json"), Stream: intaketest.Chunks("", strings.Repeat(" ", 64<<10))}, tooLarge},
			"never ends, form":              {request{Header: chunked("application/x-www-form-urlencoded"), Stream: intaketest.Chunks("a=", mega)}, tooLarge},
			"10 MB declared":                {request{Header: declared("application/json", 10<<20), Stream: whole(strings.Repeat("[", 10<<20))}, tooLarge},
			"more than there is in numbers": {request{Header: map[string]string{"Content-Type": "application/json", "Content-Length": "9223372036854775807"}, Stream: whole(mega)}, tooLarge},
			"10 000 levels":                 {request{Header: intaketest.JSON, Body: strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)}, invalid},
			"500 000 levels":                {request{Header: intaketest.JSON, Body: strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000)}, invalid},
			"levels that do not end":        {request{Header: intaketest.JSON, Body: strings.Repeat("[", 1_000_000)}, invalid},
			"100 000 keys":                  {request{Header: intaketest.JSON, Body: "{" + keys.String()[1:] + "}"}, invalid},
			"JSON in JSON in JSON":          {request{Header: intaketest.JSON, Body: `{"a":"` + strings.Repeat(`{\"a\":`, 140_000) + `"}`}, noEmail},
			"a long text":                   {request{Header: intaketest.JSON, Body: `{"a":"` + strings.Repeat("ação ", 140_000) + `"}`}, noEmail},
			"a long number":                 {request{Header: intaketest.JSON, Body: `{"valor":` + strings.Repeat("9", 1_000_000) + `}`}, noEmail},
			"a long exponent":               {request{Header: intaketest.JSON, Body: `{"valor":1e` + strings.Repeat("9", 100) + `}`}, noEmail},
			"a long e-mail":                 {request{Header: intaketest.JSON, Body: `{"email":"` + strings.Repeat("a@", 500_000) + `"}`}, noEmail},
			"a long key":                    {request{Header: intaketest.JSON, Body: `{"` + strings.Repeat("k", 1_000_000) + `":1}`}, noEmail},
			"250 000 fields":                {request{Header: formed, Body: many}, invalid},
			"brackets":                      {request{Header: formed, Body: "a" + strings.Repeat("[b]", 300_000) + "=1"}, invalid},
			"brackets without names":        {request{Header: formed, Body: strings.Repeat("a[][]=1&", 120_000)}, invalid},
			"percent signs":                 {request{Header: formed, Body: strings.Repeat("%25", 330_000) + "=1"}, noEmail},
			"a huge index":                  {request{Header: formed, Body: "a[999999999]=1&a[999999998][0]=2"}, noEmail},
			"compressed":                    {request{Header: map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"}, Body: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"}, invalid},
			"a part without end":            {request{Header: chunked(multi), Stream: intaketest.Chunks(part, mega)}, tooLarge},
			"a header of a part":            {request{Header: chunked(multi), Stream: intaketest.Chunks("--B\r\nX: ", mega)}, "4"},
			"no part, only a preamble":      {request{Header: chunked(multi), Stream: intaketest.Chunks("", mega)}, "4"},
			"a multipart without its end":   {request{Header: map[string]string{"Content-Type": multi}, Body: part + "x"}, "4"},
			"a file without its end":        {request{Header: map[string]string{"Content-Type": multi}, Body: file + strings.Repeat("x", 1<<20)}, "4"},
			"100 000 parts":                 {request{Header: chunked(multi), Stream: intaketest.Chunks("", strings.Repeat(part+"x\r\n", 1000))}, "4"},
			"100 000 files":                 {request{Header: chunked(multi), Stream: intaketest.Chunks("", strings.Repeat(file+"x\r\n", 1000))}, "4"},
			"less than was declared":        {request{Header: declared("application/json", 100), Stream: func(w io.Writer) { _, _ = io.WriteString(w, `{"a":`); closeWrite(w) }}, incomplete},
			"chunks that are none":          {request{Header: chunked("application/json"), Stream: whole("zz\r\n{}\r\n")}, "4"},
		}
		before := resident(t, s.Pid(), "VmRSS")
		var names []string
		for name := range bodies {
			names = append(names, name)
		}
		slices.Sort(names)
		var at atomic.Int64
		var work sync.WaitGroup
		for range 32 {
			work.Go(func() {
				for {
					i := int(at.Add(1)) - 1
					if i >= 4*len(names) {
						return
					}
					b := bodies[names[i%len(names)]]
					b.r.Path, b.r.Wait = h.Path, 20*time.Second
					a, err := o.Send(t.Context(), b.r)
					if err != nil {
						t.Errorf("%s: %v", names[i%len(names)], err)
						continue
					}
					if !strings.HasPrefix(a.String(), b.want) {
						t.Errorf("%s: got %s, want %s", names[i%len(names)], a, b.want)
					}
					if a.Took > 10*time.Second {
						t.Errorf("%s: answered after %s", names[i%len(names)], a.Took)
					}
					if len(a.Body) > 16<<10 {
						t.Errorf("%s: an answer of %d bytes", names[i%len(names)], len(a.Body))
					}
				}
			})
		}
		work.Wait()
		peak, after := resident(t, s.Pid(), "VmHWM"), resident(t, s.Pid(), "VmRSS")
		t.Logf("resident: %d MB before, %d MB at most, %d MB after", before, peak, after)
		if peak-before > 120 {
			t.Errorf("the program grew by %d MB", peak-before)
		}
		o.Nothing(t, h)
		expect(t, "deliveries", len(o.Deliveries(h)), 4*len(names))
		o.Accept(h, intaketest.Lead("depois"))
		if strings.Contains(s.Logs(), "panic") {
			t.Error("the program panicked")
		}
	})
}

// closeWrite says that nothing more will come.
func closeWrite(w io.Writer) {
	if c, ok := w.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

func resident(t *testing.T, pid int, what string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), what+":")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}

// bodyThatStopsArriving: after thirty seconds the sender is told, and what came is in the log.
func bodyThatStopsArriving(t *testing.T) {
	s := intaketest.Start(t, testkit.SQLite(t))
	o := s.Org(t)
	on, off := o.NewHook("Parado", "generic"), o.NewHook("Parado e desligado", "generic")
	o.Command("webhook", "disable", off.ID)
	body := intaketest.Lead("parada")
	stall := func(w io.Writer) { _, _ = io.WriteString(w, body[:20]) }
	multi := map[string]string{"Content-Type": "multipart/form-data; boundary=B", "Content-Length": "1000"}
	for i, a := range intaketest.Together(t, 4, func(i int) (answer, error) {
		r := []request{
			{Path: on.Path, Header: map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body))}, Stream: stall},
			{Path: on.Path, Header: map[string]string{"Content-Type": "application/json", "Transfer-Encoding": "chunked"}, Stream: func(w io.Writer) { _, _ = fmt.Fprintf(w, "%x\r\n%s", len(body), body[:20]) }},
			{Path: on.Path, Header: multi, Stream: func(w io.Writer) {
				_, _ = io.WriteString(w, "--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\na@")
			}},
			{Path: off.Path, Header: map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body))}, Stream: stall},
		}[i]
		r.Wait = 45 * time.Second
		return o.Send(t.Context(), r)
	}) {
		expect(t, fmt.Sprint("answer ", i), a.String(), []string{"408 requisicao_incompleta", "408 requisicao_incompleta", "408 requisicao_incompleta", "423 webhook_desabilitado"}[i])
		if a.Took > 32*time.Second {
			t.Errorf("it came after %s", a.Took)
		}
	}
	o.Nothing(t, on)
	log := o.Deliveries(on)
	expect(t, "deliveries", len(log)+len(o.Deliveries(off)), 4)
	for _, d := range log {
		expect(t, "outcome", line(d.Outcome, d.Code, d.Truncated, d.Bytes > 0), "refused requisicao_incompleta true true")
	}
}

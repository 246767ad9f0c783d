package faults

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit/intaketest"
)

// load is clients that post one after another, and know the outcome of each post.
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

// sent is one post: its person has a name that no other post has.
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

// newLoad starts clients; every other one sends an Idempotency-Key. A client that gets no answer stops.
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

// end stops the clients and returns their posts.
func (l *load) end() []sent {
	select {
	case <-l.stop:
	default:
		close(l.stop)
	}
	l.work.Wait()
	return l.posts
}

// settle retries unanswered posts that have an Idempotency-Key, as their sender would, and checks every answered post:
// its contact exists, and is the only one of its person.
func settle(t *testing.T, o *org, h hook, posts []sent) {
	t.Helper()
	for i, s := range posts {
		if !s.keyed || s.a.Status == http.StatusOK && i%10 != 0 {
			continue // check one in ten of the acknowledged ones
		}
		a := o.Do(s.request(h))
		for tries := 0; a.Status == http.StatusServiceUnavailable && tries < 5; tries++ { // a busy disk: retry, as told
			time.Sleep(time.Second)
			a = o.Do(s.request(h))
		}
		if a.Status != http.StatusOK || s.a.Status == http.StatusOK && a.LeadID() != s.a.LeadID() {
			t.Errorf("a post that was answered with %q is answered with %s when it is sent again, another contact: %v", s.a, a,
				a.LeadID() != s.a.LeadID())
		}
		posts[i].a, posts[i].err = a, nil
	}
	byPerson := map[string][]string{}
	for id, email := range o.Census(t).Emails {
		byPerson[email] = append(byPerson[email], id)
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

// noted is what an automation adds to a contact's note: a change of our own data happens once, whatever fails.
const noted = "anotado por uma automação"

func notedOnce(t *testing.T, o *org) {
	t.Helper()
	census := o.Census(t)
	for id := range census.Emails {
		entries := 0
		for _, entry := range census.Histories[id] {
			if strings.HasPrefix(entry, "nota ") {
				entries++
			}
		}
		expect(t, "notes in a history", entries, 1)
	}
	for _, c := range o.Contacts() {
		expect(t, "notes of a contact", strings.Count(c.Nota, noted), 1)
	}
}

// whole checks that every contact, acknowledged or not, has all that belongs to it: its webhook, from which the entry
// of its history and what the team is told follow, one accepted delivery, one in the counter. It returns the number of
// contacts.
func whole(t *testing.T, o *org, h hook) int {
	t.Helper()
	census := o.Census(t)
	for id := range census.Emails {
		if got, want := line(census.Webhooks[id], census.Accepted[id]), line(h.ID, 1); got != want {
			t.Errorf("a contact has (webhook, deliveries) %s, want %s", got, want)
		}
	}
	all := len(census.Emails)
	expect(t, "contacts with an accepted delivery", len(census.Accepted), all)
	shown := o.Show(h)
	expect(t, "received", shown.Received, all)
	told := map[string]int{}
	for _, note := range o.Notifications() {
		if note.Titulo == "Novo contato" {
			told[note.Contato]++
		}
	}
	looked := 0
	for id := range told {
		if _, is := census.Emails[id]; !is || looked == 5 { // each is a command of its own
			continue
		}
		looked++
		first := o.Contact(id).Historico[0]
		expect(t, "told of, and where it came from", line(told[id], first.Autor), line(1, shown.Name))
	}
	expect(t, "contacts that were looked at", looked, min(5, all))
	o.Command("doctor") // exits with an error if it finds anything
	return all
}

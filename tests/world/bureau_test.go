package world_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"fichario/ports"
	"fichario/ports/portstest"
)

// bureau is the bureau of a world, with a ledger of its own.
type bureau struct {
	world *world
	mu    sync.Mutex
	calls map[string]int // by document
	mute  map[string]int // calls without an answer, by document
	// ledger has every call that reached it.
	ledger []bought
	polls  map[string]int // by what it calls a question that it answers later
	// posting is how many answers it is about to post; replies are those that were taken.
	posting int
	replies []reply
}

// bought is one call that reached the bureau.
type bought struct {
	document string
	at       time.Time
	by       string // bureau
	from     string // instance
}

// chance is a number below n that depends on the seed and on what happens, and not on the order of other things.
func (w *world) chance(n int, about ...any) int {
	return int(w.sched.hash(about...) % uint64(n))
}

// seenBy is one of the bureaus as an instance reaches it. They have one ledger.
type seenBy struct {
	*bureau
	from *instance
	name string
}

// Ask takes two steps: the request arrives, and the answer does.
func (s seenBy) Ask(ctx context.Context, q ports.Question) (ports.Answer, error) {
	p, d := q.Product, q.Document
	b, w := s.bureau, s.world
	switch {
	case q.Reply != nil:
		return s.posted(q)
	case q.Ticket != "":
		return s.fetch(ctx, q)
	}
	fails := func(o ports.BureauOutcome, why string) (ports.Answer, error) {
		if o == ports.NoAnswer && s.name != "d" { // whose answers nobody waits for
			b.mu.Lock()
			defer b.mu.Unlock()
			b.mute[d.Value()]++
		}
		return ports.Answer{}, &ports.BureauError{Outcome: o, Reason: why}
	}
	v := w.sched.await(s.from.name, "bureau", "asked")
	if v == refused || ctx.Err() != nil {
		return fails(ports.NotSent, "no connection")
	}
	b.mu.Lock()
	b.calls[d.Value()]++
	mood := w.chance(100, s.name, d.Value(), p.ID, b.calls[d.Value()])
	moods := w.plan.moods
	if mood < moods.refuses {
		b.mu.Unlock()
		return fails(ports.NotSent, "refused")
	}
	if mood < moods.refuses+moods.free {
		b.mu.Unlock()
		return fails(ports.NotCharged, "status 429")
	}
	number := len(b.ledger)
	b.ledger = append(b.ledger, bought{d.Value(), time.Now(), s.name, s.from.name})
	b.mu.Unlock()
	if mood >= 100-moods.hangs {
		<-ctx.Done()
		return fails(ports.NoAnswer, "time is over")
	}
	if w.chance(100, "slow", d.Value(), number) < moods.slow {
		select { // almost too late
		case <-time.After(time.Duration(500+w.chance(3400, "how slow", number)) * time.Millisecond):
		case <-ctx.Done():
		}
	}
	v2 := w.sched.await(s.from.name, "bureau", "answers")
	if v == unheard || v2 != proceed || ctx.Err() != nil {
		return fails(ports.NoAnswer, "connection lost")
	}
	if w.chance(100, "taken", d.Value(), number) < moods.taken {
		b.mu.Lock()
		b.mute[d.Value()]++ // it may take longer than who asked waits
		b.mu.Unlock()
		s.posts(q.Callback, number)
		return ports.Answer{Later: s.later(number)}, nil
	}
	if mood >= 100-moods.hangs-moods.fails {
		return fails(ports.Failed, "status 500")
	}
	if mood >= 100-moods.hangs-moods.fails-moods.unknown {
		return portstest.Found(p, nil), nil
	}
	return portstest.Found(p, map[string]any{"nome": fmt.Sprintf("Resposta %d", number)}), nil
}

// later is that the answer to a question is not there yet.
func (s seenBy) later(number int) *ports.Later {
	seconds := func(n int) time.Duration { return time.Duration(n) * time.Second }
	return &ports.Later{
		Ticket: fmt.Sprint(number), Every: seconds(1 + s.world.chance(3, "every", number)),
		For: seconds(2 + s.world.chance(20, "for", number)),
	}
}

// fetch is a poll, which costs nothing. What goes wrong with it says nothing about the question.
func (s seenBy) fetch(ctx context.Context, q ports.Question) (ports.Answer, error) {
	b, w := s.bureau, s.world
	var number int
	if _, err := fmt.Sscan(q.Ticket, &number); err != nil {
		panic(err)
	}
	not := ports.Answer{Later: s.later(number)}
	if v := w.sched.await(s.from.name, "bureau", "fetched"); v == refused || ctx.Err() != nil {
		return not, nil
	}
	b.mu.Lock()
	if b.ledger[number].document != q.Document.Value() {
		w.fail("fetched", "the question %d was about somebody else", number)
	}
	b.polls[q.Ticket]++
	polls := b.polls[q.Ticket]
	b.mu.Unlock()
	lost := w.sched.await(s.from.name, "bureau", "answers") != proceed
	if lost || ctx.Err() != nil || w.chance(100, "ready", number, polls) < 50 {
		return not, nil
	}
	return s.ends(q)
}

// ends is the answer to a question that was taken.
func (s seenBy) ends(q ports.Question) (ports.Answer, error) {
	switch s.world.chance(8, "ends", q.Ticket) {
	case 0:
		return ports.Answer{}, &ports.BureauError{Outcome: ports.Failed, Reason: "status 404"}
	case 1:
		return portstest.Found(q.Product, nil), nil
	}
	return portstest.Found(q.Product, map[string]any{"nome": "Resposta " + q.Ticket}), nil
}

// moods are how many of a hundred calls the bureau treats in a way of its own; taken are those that it answers later.
type moods struct{ refuses, free, fails, hangs, unknown, slow, taken int }

// receiver is the other system that automations call.
type receiver struct {
	world *world
	mu    sync.Mutex
	heard []ports.Call
	times []time.Time
	tries map[string]int
	told  []toldCall
}

type hearing struct {
	*receiver
	from *instance
}

// Post takes the event, and answers as the world's plan says.
func (h hearing) Post(_ context.Context, c ports.Call) (int, error) {
	w := h.world
	v := w.sched.await(h.from.name, "post", string(c.Event.Name))
	if v == refused {
		return 0, &ports.SendError{Reason: "sem conexão"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tries == nil {
		h.tries = map[string]int{}
	}
	h.tries[c.ID]++
	if w.chance(100, "receiver", len(h.heard), h.tries[c.ID]) < w.plan.deaf {
		return 0, &ports.SendError{Reason: "status 500"}
	}
	h.heard, h.times = append(h.heard, c), append(h.times, time.Now())
	if v == unheard {
		return 0, &ports.SendError{Reason: "sem resposta"}
	}
	return 204, nil
}

// Send takes what a platform is told, and answers as Post does.
func (h hearing) Send(_ context.Context, c ports.Call) (string, error) {
	w := h.world
	v := w.sched.await(h.from.name, "post", "told")
	if v == refused {
		return "", &ports.SendError{Reason: "sem conexão"}
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = append(h.told, toldCall{c, time.Now()})
	if v == unheard || w.chance(100, "platform", len(h.told)) < w.plan.deaf {
		return "", &ports.SendError{Reason: "sem resposta"}
	}
	return "status 200", nil
}

package world_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing/synctest"
	"time"
)

// verdict is what becomes of a step.
type verdict int

const (
	proceed verdict = iota
	// refused: the connection was lost before the step was taken.
	refused
	// unheard: the step is taken, and the connection lost before the answer arrives.
	unheard
	// given up: whoever wanted it no longer waits.
	givenUp
)

// errLost is what an instance hears of a step that was refused or unheard.
var errLost = errors.New("the connection was lost")

// step is something that an instance, or a client, is about to do to the world outside it. It waits until the scheduler
// takes it.
type step struct {
	// who is the instance or the client, kind what kind of step it is ("sql", "commit", "bureau", "client" …), what says
	// what it does, without values.
	who, kind, what string
	ready           func() bool // nil for always
	alone           bool        // nobody else can write before it is taken
	after           time.Time   // it is held until then
	number          int         // in order of arrival
	verdict         chan verdict
}

// sort is what kind of step it is, whoever takes it.
func (s *step) sort() string {
	if s.kind == "client" {
		verb, _, _ := strings.Cut(s.what, " ")
		return s.kind + " " + verb
	}
	return s.kind + " " + s.what
}

func (s *step) String() string { return s.who + ": " + s.kind + " " + s.what }

// scheduler decides which of the waiting steps goes next, by a seed. It runs in a bubble of fake time: while it thinks,
// everybody waits, and time passes only when it says so.
type scheduler struct {
	random *rand.Rand
	// outside is what happens outside the bubble; nil for a database within it.
	outside interface {
		// settled delivers what no longer waits for a lock, and reports whether there was anything.
		settled() bool
		// stir has settled look anew.
		stir()
	}
	// seed and strategy say how the next step is chosen.
	seed     uint64
	strategy strategy
	faults   faults
	holds    holds
	pins     pins
	pinned   pinned
	seen     map[string]int // by name
	frozen   map[string]time.Time

	mu      sync.Mutex
	waiting []*step
	arrived int
	ended   int  // operations
	free    bool // every step is taken at once
	dead    map[string]bool

	taken   []string    // what was done, in order
	erased  []time.Time // when a step of an erasure was taken
	pairs   map[[2]string]int
	kinds   map[string]int
	last    *step
	quantum time.Duration
	// epoch is for how many steps ranks stay.
	epoch int
}

// strategy is how the next step is chosen.
type strategy int

const (
	_ strategy = iota // any order, as drawn
	// byRank gives every kind of step of each instance a rank, and takes the first; ranks change now and then. It finds
	// orders in which one party stands still for long.
	byRank
	// inTurn goes on with whoever went last, mostly.
	inTurn
	strategies
)

// faults are how often, in a thousand steps, something goes wrong.
type faults struct{ lost, unheard, frozen int }

// holds say which steps are held, as where a process is slow: some of a thousand, and every second one of a few kinds,
// which are one in aims of those that begin or end a transaction or reach the bureau, and fewer others, for up to
// aimed.
type holds struct {
	some, aims int
	aimed      time.Duration
}

// pins say which steps are kept until a whole operation of a client that waits for that has begun and ended, or for
// most: one at a time, of a few kinds, which are one in aims. All that was read before the step is old then, and what
// the
// operation promised is to hold. Where whole is set, everything of the step's instance stands still. The first after
// operations have nothing pinned.
type pins struct {
	aims  int
	after int
	most  time.Duration
	whole bool
}

// pinned is the step that is kept, if any, and until when.
type pinned struct {
	step  *step
	until time.Time
}

func newScheduler(seed uint64) *scheduler {
	r := rand.New(rand.NewPCG(seed, 1))
	return &scheduler{
		random: r, seed: seed, strategy: strategy(r.IntN(int(strategies))), frozen: map[string]time.Time{},
		dead: map[string]bool{}, seen: map[string]int{},
		pairs: map[[2]string]int{}, kinds: map[string]int{}, quantum: time.Millisecond,
		epoch: []int{60, 400, 3000}[r.IntN(3)],
	}
}

// await waits until the scheduler takes the step.
func (s *scheduler) await(who, kind, what string) verdict {
	return s.awaitWithin(context.Background(), &step{who: who, kind: kind, what: what})
}

// awaitWithin is await that gives up when ctx ends.
func (s *scheduler) awaitWithin(ctx context.Context, one *step) verdict {
	s.mu.Lock()
	if s.dead[one.who] {
		s.mu.Unlock()
		return refused
	}
	if s.free || one.who == judge {
		s.mu.Unlock()
		return proceed
	}
	s.arrived++
	one.number, one.verdict = s.arrived, make(chan verdict, 1)
	one.after = s.held(one)
	s.waiting = append(s.waiting, one)
	s.mu.Unlock()
	select {
	case v := <-one.verdict:
		return v
	case <-ctx.Done():
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting = slices.DeleteFunc(s.waiting, func(other *step) bool { return other == one })
	return givenUp
}

// held is until when a step is held: most not at all. Whether it is depends on what was done before only by how often
// such a step came, so that a world that is shrunk holds the same ones.
func (s *scheduler) held(one *step) time.Time {
	if s.holds == (holds{}) && s.pins == (pins{}) || one.kind == "client" {
		return time.Time{}
	}
	name := one.String()
	s.seen[name]++
	n := s.hash(name, s.seen[name])
	aimed := func(aims int) bool {
		if one.kind == "sql" && !strings.HasPrefix(one.what, "begin") {
			aims *= 4
		}
		if strings.HasSuffix(one.what, choring) {
			aims *= 12
		}
		return aims > 0 && n%2 == 0 && s.hash(one.kind, one.what)%uint64(aims) == 0
	}
	if aimed(s.holds.aims) {
		return time.Now().Add(s.holds.aimed/10 + time.Duration(n/1000%uint64(s.holds.aimed)))
	}
	if s.pinned.step == nil && !one.alone && s.ended >= s.pins.after && aimed(s.pins.aims) {
		s.pinned = pinned{one, time.Now().Add(s.pins.most)}
	}
	if int(n%1000) >= s.holds.some {
		return time.Time{}
	}
	most := uint64(300) // milliseconds, and now and then almost as long as the program waits
	if n/1_000_000%5 == 0 {
		most = 4000
	}
	return time.Now().Add(time.Duration(20+n/1000%most) * time.Millisecond)
}

// over notes that an operation has ended, and lets the step that is pinned be taken if it waited for that.
func (s *scheduler) over(o op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended++; o.meets {
		s.pinned = pinned{}
	}
}

// keeps reports whether a step is pinned.
func (s *scheduler) keeps(one *step) bool {
	pin := s.pinned.step
	return pin == one || pin != nil && s.pins.whole && pin.who == one.who
}

// hash is a number that depends on the seed and on some things.
func (s *scheduler) hash(about ...any) uint64 {
	h := fnv.New64a()
	_, _ = fmt.Fprintln(h, append([]any{s.seed}, about...)...)
	n := h.Sum64() // whose low bits change little where only the end differs
	n ^= n >> 32
	n *= 0x9e3779b97f4a7c15
	return n ^ n>>29
}

// stir lets go wrong from now on what the plan says.
func (s *scheduler) stir(p plan) {
	s.faults, s.holds, s.pins, s.strategy = p.faults, p.holds, p.pins, p.strategy
}

// calm lets nothing go wrong from now on, and nobody stand still for long.
func (s *scheduler) calm() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults, s.holds, s.pins, s.pinned, s.strategy = faults{}, holds{}, pins{}, pinned{}, 0
	clear(s.frozen)
}

// kill lets no further step of an instance happen.
func (s *scheduler) kill(who string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dead[who] = true
	s.waiting = slices.DeleteFunc(s.waiting, func(one *step) bool {
		if one.who == who {
			one.verdict <- refused
		}
		return one.who == who
	})
}

func (s *scheduler) isDead(who string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.dead[who]
}

// freely takes every step at once from now on, or no longer.
func (s *scheduler) freely(free bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.free = free
	if !free {
		return
	}
	for _, one := range s.waiting {
		one.verdict <- proceed
	}
	s.waiting = nil
}

// until schedules until over reports true while nothing waits, or for at most the given time of the world.
func (s *scheduler) until(over func() bool, most time.Duration) bool {
	for end := time.Now().Add(most); ; {
		synctest.Wait()
		if s.outside != nil && s.outside.settled() {
			continue
		}
		one := s.choose()
		if one == nil {
			if over() {
				return true
			}
			if time.Now().After(end) {
				return false
			}
			s.pass()
			continue
		}
		s.quantum = time.Millisecond
		s.take(one)
		if s.random.IntN(8) == 0 { // nothing is done in no time
			synctest.Wait()
			time.Sleep(time.Duration(1+s.random.IntN(3000)) * time.Microsecond)
		}
	}
}

// pass lets a little time pass, more each time that nobody comes.
func (s *scheduler) pass() {
	time.Sleep(s.quantum)
	s.quantum = min(2*s.quantum, 250*time.Millisecond)
	if s.outside != nil {
		s.outside.stir()
	}
}

// choose picks the next step; nil when none can be taken, or time is to pass first.
func (s *scheduler) choose() *step {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	ready := make([]*step, 0, len(s.waiting))
	if now.After(s.pinned.until) {
		s.pinned = pinned{}
	}
	for _, one := range s.waiting {
		if !s.keeps(one) && now.After(s.frozen[one.who]) && !now.Before(one.after) && (one.ready == nil || one.ready()) {
			ready = append(ready, one)
		}
	}
	if len(ready) == 0 || s.faults != (faults{}) && s.random.IntN(200) == 0 {
		return nil
	}
	// What arrived at the same moment may have come in any order.
	slices.SortStableFunc(ready, func(a, b *step) int {
		return cmp.Or(strings.Compare(a.who, b.who), strings.Compare(a.kind, b.kind), strings.Compare(a.what, b.what),
			a.number-b.number)
	})
	one := ready[s.pick(ready)]
	s.waiting = slices.DeleteFunc(s.waiting, func(other *step) bool { return other == one })
	return one
}

func (s *scheduler) pick(ready []*step) int {
	switch s.strategy {
	case byRank:
		if s.random.IntN(40) == 0 {
			return s.random.IntN(len(ready))
		}
		best, rank := 0, uint64(0)
		for i, one := range ready {
			if r := s.hash(len(s.taken)/s.epoch, one.who, one.what); i == 0 || r > rank {
				best, rank = i, r
			}
		}
		return best
	case inTurn:
		if s.last != nil && s.random.IntN(6) > 0 {
			if i := slices.IndexFunc(ready, func(one *step) bool { return one.who == s.last.who }); i >= 0 {
				return i
			}
		}
	}
	return s.random.IntN(len(ready))
}

func (s *scheduler) take(one *step) {
	v := proceed
	if one.kind != "client" {
		switch chance := s.random.IntN(1000); {
		case chance < s.faults.lost:
			v = refused
		case chance < s.faults.lost+s.faults.unheard:
			v = unheard
		case chance < s.faults.lost+s.faults.unheard+s.faults.frozen:
			// For milliseconds: briefly, about as long as the program waits, or longer than leases last.
			most := []int{3000, 7000, 70_000}[s.random.IntN(3)]
			s.frozen[one.who] = time.Now().Add(time.Duration(most/4+s.random.IntN(most*3/4)) * time.Millisecond)
		}
	}
	line := one.String()
	if v != proceed {
		line += [...]string{"", " (connection lost before)", " (connection lost after)"}[v]
	}
	s.note(line)
	s.kinds[one.sort()]++
	if strings.Contains(one.what, "privacy.erasing.step") {
		s.erased = append(s.erased, time.Now())
	}
	if s.last != nil && s.last.who != one.who {
		s.pairs[[2]string{s.last.sort(), one.sort()}]++
	}
	s.last = one
	one.verdict <- v
}

// stamp is how times are written.
const stamp = "15:04:05.000"

// note adds a line to what was done.
func (s *scheduler) note(line string) {
	s.taken = append(s.taken, fmt.Sprintf("%s %s", time.Now().Format(stamp), line))
}

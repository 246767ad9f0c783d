package world_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"fichario/domain/access"
	"fichario/domain/catalog"
)

// plan is everything that a seed decides, but for the order of steps.
type plan struct {
	seed      uint64
	instances int
	// working are the instances that do jobs and batches, as bits: the others only answer.
	working  uint
	strategy strategy
	pace     time.Duration // of the instances' periodic work
	midnight bool          // it begins seconds before one
	moods    moods
	deaf     int // of a hundred calls of automations that fail
	faults   faults
	holds    int // of a thousand steps that are held for a while
	caps     access.Limits
	budget   catalog.Money // of the second member
	rules    []bool        // which of the automations are there
	clients  [][]op
	// without are the kinds of periodic work that are left out, as bits.
	without uint
}

// op is something that a client does. What its numbers mean depends on its verb.
type op struct {
	verb    string
	at      int // the instance
	a, b, c int
}

func (o op) String() string { return fmt.Sprintf("%s %d %d %d at %d", o.verb, o.a, o.b, o.c, o.at) }

// subjects are what a world is mostly about. Each brings verbs, with how likely they are.
var subjects = map[string][]weighed{
	"lookups": {{"lookup", 8}, {"fresh", 4}, {"once", 5}, {"later", 2}, {"page", 2}, {"caps", 2}, {"revoke", 1}, {"restrict", 1}},
	"batches": {
		{"batch", 4}, {"pause", 2}, {"resume", 4}, {"ceiling", 4}, {"cancel", 1}, {"lookup", 2}, {"budget", 2}, {"caps", 1},
		{"role", 1},
	},
	"persons": {
		{"erase", 3}, {"lookup", 4}, {"fresh", 2}, {"once", 1}, {"later", 2}, {"batch", 2}, {"post", 4}, {"create", 1}, {"unblock", 1},
		{"export", 1}, {"merge", 1}, {"replay", 1},
	},
	"leads": {
		{"post", 8}, {"again", 4}, {"move", 4}, {"note", 1}, {"edit", 2}, {"merge", 1}, {"delete", 1}, {"undelete", 1}, {"assign", 1},
		{"bulk", 2}, {"undo", 1},
	},
	"moves": {{"post", 2}, {"move", 10}, {"bulk", 2}, {"undo", 2}, {"toggle", 1}, {"edit", 2}},
	"money": {
		{"fresh", 8}, {"budget", 2}, {"caps", 4}, {"page", 3}, {"toggle", 1}, {"rule", 2}, {"post", 2}, {"role", 1}, {"purpose", 1},
	},
}

// firsts are what a world of a subject begins with, so that there is something to happen to.
var firsts = map[string]string{"batches": "batch", "leads": "post", "moves": "post", "persons": "post"}

type weighed struct {
	verb   string
	weight int
}

const (
	people   = 4 // persons of a world
	batchMax = 8 // documents of a batch
)

// draw makes the plan of a seed.
func draw(seed uint64) plan {
	r := rand.New(rand.NewPCG(seed, 2))
	p := plan{
		seed: seed, instances: 1 + r.IntN(3), strategy: strategy(r.IntN(int(strategies))),
		pace: []time.Duration{1000, 4000, 9000}[r.IntN(3)] * time.Millisecond, midnight: r.IntN(6) == 0,
		caps:   access.Limits{PerMinute: 100_000, PerDay: 3 + r.IntN(20), PerMonth: 3 + r.IntN(30)},
		budget: catalog.Money(r.IntN(8)) * price,
	}
	p.working = 1<<r.IntN(p.instances) | uint(r.IntN(8))
	if r.IntN(2) == 0 {
		p.working = 1 << r.IntN(p.instances)
	}
	for range rules {
		p.rules = append(p.rules, r.IntN(2) == 0)
	}
	if r.IntN(2) == 0 {
		p.moods = moods{refuses: r.IntN(15), free: r.IntN(10), fails: r.IntN(15), hangs: r.IntN(10), unknown: r.IntN(10)}
	}
	if r.IntN(3) == 0 {
		p.deaf = r.IntN(50)
	}
	switch r.IntN(4) {
	case 0:
		p.faults = faults{lost: r.IntN(10), unheard: r.IntN(10)}
	case 1:
		p.faults = faults{frozen: 1 + r.IntN(8)}
	}
	p.holds = []int{0, 5, 20, 60}[r.IntN(4)]
	names := []string{"batches", "leads", "lookups", "money", "moves", "persons"}
	about := names[r.IntN(len(names))]
	verbs := slices.Clone(subjects[about])
	if r.IntN(3) == 0 {
		verbs = append(verbs, subjects[names[r.IntN(len(names))]]...)
	}
	if r.IntN(3) == 0 {
		verbs = append(verbs, weighed{"kill", 2}, weighed{"clock", 1})
	}
	verbs = append(verbs, weighed{"wait", 2})
	sum := 0
	for _, v := range verbs {
		sum += v.weight
	}
	for c := range 2 + r.IntN(4) {
		var script []op
		if first := firsts[about]; c < 2 && first != "" {
			script = append(script, op{first, r.IntN(p.instances), r.IntN(people), r.IntN(8), r.IntN(1000)})
		}
		for range 2 + r.IntN(7) {
			n := r.IntN(sum)
			for _, v := range verbs {
				if n -= v.weight; n < 0 {
					script = append(script, op{v.verb, r.IntN(p.instances), r.IntN(people), r.IntN(8), r.IntN(1000)})
					break
				}
			}
		}
		p.clients = append(p.clients, script)
	}
	return p
}

// String is the plan as people read it.
func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d instances, work every %s, bureau %+v, deaf %d, faults %+v, holds %d, caps %d a day and %d a month, "+
		"budget %d, rules %v, strategy %d, midnight %t\n", p.seed, p.instances, p.pace, p.moods, p.deaf, p.faults, p.holds, p.caps.PerDay,
		p.caps.PerMonth, p.budget, p.rules, p.strategy, p.midnight)
	for c, script := range p.clients {
		fmt.Fprintf(&b, "client %d: ", c)
		for i, o := range script {
			if i > 0 {
				b.WriteString("; ")
			}
			b.WriteString(o.String())
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// cpf is the valid CPF with a number of nine digits.
func cpf(n int) string {
	digits := []byte(fmt.Sprintf("%09d", 529_000_000+n*1_237))
	for range 2 {
		sum := 0
		for i, d := range digits {
			sum += int(d-'0') * (len(digits) + 1 - i)
		}
		check := sum * 10 % 11 % 10
		digits = append(digits, byte('0'+check))
	}
	return string(digits)
}

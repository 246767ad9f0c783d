package world_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
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
	// bureaus is how many a question may be put to; more is whether a missing record is worth asking the next one.
	bureaus int
	more    bool
	// compares is how many answers another bureau is asked to be compared with, before their limit is reached; zero for
	// none. It is one that is in the chain, or not.
	compares int
	with     string
	deaf     int // of a hundred calls of automations that fail
	faults   faults
	holds    holds
	pins     pins
	caps     access.Limits
	budget   catalog.Money // of the second member
	rules    []bool        // which of the automations are there
	clients  [][]op
	people   int  // how many persons there are
	most     int  // documents of a batch
	minute   int  // of the day at which it begins
	runs     bool // batches are worked on
	fires    bool // jobs are
	night    bool // between the halves of what clients do, the instances are stopped for hours
	// without are the kinds of periodic work that are left out, as bits.
	without uint
}

// op is something that a client does. What its numbers mean depends on its verb.
type op struct {
	verb    string
	at      int // the instance
	a, b, c int
	meets   bool // it begins when a step is pinned
}

func (o op) String() string {
	return fmt.Sprintf("%s %d %d %d at %d", o.verb, o.a, o.b, o.c, o.at) + map[bool]string{true: " meets"}[o.meets]
}

// theme is what a world is about: verbs, with how likely they are, and what happens first.
type theme struct {
	verbs string // each with its weight
	first string // what its first clients begin with; empty for anything
	rules bool   // it may have automations
	rule  int    // the one that it has in any case, counted from one; zero for none
}

// themes are small, so that what happens in a world happens to the same few things.
var themes = []theme{
	{verbs: "once 8 fresh 1 caps 1 wait 1"},
	{verbs: "lookup 8 later 1 page 1 fresh 1 wait 2"},
	{verbs: "fresh 6 caps 3 restrict 1 later 1"},
	{verbs: "fresh 4 revoke 1 later 1 once 1", first: "fresh"},
	{verbs: "page 4 budget 2 fresh 1"},
	{verbs: "page 4 role 2", first: "page"},
	{verbs: "fresh 6 retire 3 purpose 1 page 2", first: "purpose"},
	{verbs: "batch 1 ceiling 6 wait 1", first: "batch"},
	{verbs: "batch 2 ceiling 4 resume 2 pause 1 cancel 1 role 1 wait 1", first: "batch"},
	{verbs: "quote 3 confirm 3 resume 3 pause 1 budget 1 role 1 revoke 1 caps 1 wait 1", first: "batch"},
	{verbs: "batch 2 retry 4 wait 3 pause 1 resume 1", first: "batch"},
	{verbs: "erase 5 wait 2 resume 1 ceiling 1 unblock 1", first: "batch"},
	{verbs: "erase 4 lookup 4 fresh 1 once 1 later 1 unblock 1 wait 2", first: "lookup"},
	{verbs: "erase 3 import 3 quote 3 lookup 3 fresh 1 later 1 wait 1"},
	{verbs: "erase 5 create 2 wait 2 unblock 1", first: "create", rules: true, rule: 5},
	{verbs: "erase 4 post 2 create 1 merge 1 replay 1 import 3 edit 1 export 1 wait 1", first: "post", rules: true},
	{verbs: "post 6 again 4 replay 1 merge 1 delete 1 undelete 1 edit 1 import 2 turns 1", first: "post"},
	{verbs: "move 8 post 1 edit 1 bulk 1 assign 1", first: "post", rules: true, rule: 1},
	{verbs: "move 6 wait 3", first: "post", rules: true, rule: 3},
	{verbs: "bulk 4 undo 4 move 4", first: "post"},
	{verbs: "post 3 rule 3 create 3 toggle 1 wait 1", first: "post", rules: true, rule: 5},
	{verbs: "create 4 toggle 1 wait 1", first: "create", rule: 5},
	{verbs: "caps 2 budget 2 role 1 purpose 2 toggle 1 assign 1 create 1 verify 2 delete 1 merge 1 check 1", rules: true},
	{verbs: "fresh 4 post 3 delete 1 move 1 wait 2 batch 1", first: "post", rules: true},
}

// mixed is everything.
var mixed = theme{verbs: "lookup 4 fresh 4 once 2 later 1 page 2 batch 3 resume 3 ceiling 2 pause 1 retry 1 caps 2 budget 1 role 1 " +
	"revoke 1 restrict 1 purpose 1 erase 2 unblock 1 export 1 post 5 again 2 replay 1 create 1 move 4 note 1 edit 1 assign 1 " +
	"delete 1 undelete 1 merge 1 bulk 1 undo 1 toggle 1 rule 1 import 1 turns 1 verify 1 check 1 wait 2", rules: true}

// changes are what makes something that was read before wrong.
const changes = "erase 10 caps 1 budget 1 role 1 revoke 1 retire 1 ceiling 2 cancel 1 resume 1 toggle 1 rule 1 move 1 delete 1 merge 1 turns 1"

type weighed struct {
	verb   string
	weight int
}

// weights are the verbs of a theme, and their sum.
func (t theme) weights() (all []weighed, sum int) {
	words := strings.Fields(t.verbs)
	for i := 0; i < len(words); i += 2 {
		n, err := strconv.Atoi(words[i+1])
		if err != nil {
			panic(err)
		}
		all, sum = append(all, weighed{words[i], n}), sum+n
	}
	return all, sum
}

// specialOf is what the worlds of some seeds are about, whatever is drawn, and what makes wrong there what was read
// before.
func specialOf(seed uint64) (about theme, met string, is bool) {
	switch {
	case aboutAds(seed):
		return ads, adChanges, true
	case aboutConsents(seed):
		return telling, consentChanges, true
	case aboutSeveral(seed):
		return several, severalChanges, true
	case aboutAgents(seed):
		return byAgents, agentChanges, true
	case rare(seed) != nil:
		return rare(seed).theme, rare(seed).met, true
	case aboutStages(seed):
		return reshaping, reshapingChanges, true
	}
	return theme{}, "", false
}

// draw makes the plan of a seed.
func draw(seed uint64) plan {
	r := rand.New(rand.NewPCG(seed, 2))
	about := mixed
	if r.IntN(16) > 0 {
		about = themes[r.IntN(len(themes))]
	}
	if special, _, is := specialOf(seed); is {
		about = special
	}
	p := plan{
		seed: seed, instances: []int{1, 2, 2, 3}[r.IntN(4)], strategy: strategy(r.IntN(int(strategies))),
		pace: []time.Duration{1000, 4000, 9000}[r.IntN(3)] * time.Millisecond, midnight: r.IntN(16) == 0,
		caps:   access.Limits{PerMinute: 100_000, PerDay: 3 + r.IntN(20), PerMonth: 3 + r.IntN(30)},
		budget: catalog.Money(r.IntN(8)) * price, people: []int{1, 1, 2, 3}[r.IntN(4)], most: 1 + r.IntN(5),
		minute: r.IntN(20 * 60), bureaus: 1,
	}
	p.working = 1<<r.IntN(p.instances) | uint(r.IntN(8))
	p.faulty(r)
	for n := range rules {
		p.rules = append(p.rules, n+1 == about.rule || r.IntN(2) == 0 && about.rules)
	}
	if about.rules && r.IntN(3) == 0 {
		p.deaf = r.IntN(50)
	}
	if aboutConsents(seed) {
		p.deaf = int(seed/17%3) * 25
	}
	p.night = r.IntN(12) == 0
	if of := rare(seed); of != nil {
		of.make(&p)
	}
	p.write(r, about)
	if !p.has("erase") {
		p.without |= 1<<chorePersons | 1<<choreErase
	}
	if !p.night { // no figures of the past
		p.without |= 1 << choreFold
	}
	if !p.has("bulk", "undo", "import", "sweep", "give", "into") {
		p.without |= 1 << choreBulks
	}
	p.runs = p.has("batch", "quote")
	// Jobs that nobody does are a finding of the doctor.
	p.fires = slices.Contains(p.rules, true) || p.night || p.has("check") || aboutConsents(seed)
	return p
}

// faulty draws what goes wrong.
func (p *plan) faulty(r *rand.Rand) {
	if r.IntN(2) == 0 {
		p.moods = moods{
			refuses: r.IntN(15), free: r.IntN(10), fails: r.IntN(30), hangs: r.IntN(10), unknown: r.IntN(10), slow: r.IntN(60),
		}
		if r.IntN(2) == 0 { // what sends a question down a chain is frequent then
			p.bureaus, p.more = 2+r.IntN(2), r.IntN(3) == 0
			p.moods.refuses, p.moods.free, p.moods.unknown = r.IntN(30), r.IntN(30), r.IntN(40)
			if p.seed%3 == 0 { // by the seed, so that the worlds of before stay what they were
				p.compares, p.with = 1+int(p.seed/3%5), []string{"b", "d", "d"}[p.seed/15%3]
			}
		}
	}
	if p.seed%6 == 3 || p.seed%6 == 5 { // by the seed, too
		p.moods.taken = 10 + int(p.seed/6%80)
	}
	switch r.IntN(12) {
	case 0, 1:
		p.faults = faults{frozen: 1 + r.IntN(12)}
	case 2:
		p.faults = faults{lost: r.IntN(15), unheard: r.IntN(15)}
	}
	switch r.IntN(8) {
	case 0:
		p.holds.some = []int{5, 20, 60}[r.IntN(3)]
	case 1, 2: // the fewer are held, the more happens meanwhile
		p.holds.aims = []int{3, 10, 10, 25, 25}[r.IntN(5)]
		p.holds.aimed = []time.Duration{100, 600, 3000, 3000}[r.IntN(4)] * time.Millisecond
	case 3, 4, 5, 6:
		p.pins = pins{
			aims: []int{2, 4, 8}[r.IntN(3)], after: r.IntN(5),
			most:  []time.Duration{3000, 4700, 6000}[r.IntN(3)] * time.Millisecond,
			whole: r.IntN(4) == 0,
		}
	}
}

// write draws what clients do.
func (p *plan) write(r *rand.Rand, about theme) {
	verbs, sum := about.weights()
	if r.IntN(10) == 0 {
		verbs, sum = append(verbs, weighed{"kill", 1 + sum/8}, weighed{"clock", 1}), sum+2+sum/8
	}
	some := func(verb string) op {
		return op{verb, r.IntN(p.instances), r.IntN(p.people), r.IntN(8), r.IntN(1000), false}
	}
	any := func(verbs []weighed, sum int) op {
		n := r.IntN(sum)
		for _, v := range verbs {
			if n -= v.weight; n < 0 {
				return some(v.verb)
			}
		}
		panic("the sum is wrong")
	}
	for c := range 2 + r.IntN(3) {
		var script []op
		if c < 2 && about.first != "" {
			script = append(script, some(about.first))
		}
		for range 1 + r.IntN(5) {
			script = append(script, any(verbs, sum))
		}
		p.clients = append(p.clients, script)
	}
	if p.pins.aims == 0 {
		return
	}
	var script []op
	if r.IntN(3) > 0 {
		met := changes
		if _, special, is := specialOf(p.seed); is {
			met = special
		}
		verbs, sum = theme{verbs: met}.weights()
	}
	for range 1 + r.IntN(4) {
		o := any(verbs, sum)
		o.meets = true
		script = append(script, o)
	}
	p.clients = append(p.clients, script)
}

// has reports whether a client does one of some things.
func (p plan) has(verbs ...string) bool {
	return slices.ContainsFunc(p.clients, func(script []op) bool {
		return slices.ContainsFunc(script, func(o op) bool { return slices.Contains(verbs, o.verb) })
	})
}

// String is the plan as people read it.
func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b,
		"seed %d: %d instances, work every %s, %d bureaus (more %t, %d compared with %q) %+v, deaf %d, faults %+v, holds %+v, pins %+v, "+
			"caps %d a day and %d a month, budget %d, rules %v, strategy %d, midnight %t, night %t\n", p.seed,
		p.instances, p.pace, p.bureaus, p.more, p.compares, p.with, p.moods,
		p.deaf, p.faults,
		p.holds, p.pins, p.caps.PerDay,
		p.caps.PerMonth, p.budget, p.rules, p.strategy, p.midnight, p.night)
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

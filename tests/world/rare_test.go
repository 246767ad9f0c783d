package world_test

import "time"

// rarity is what a world is about in which two things meet that seldom do, and what makes that likely.
type rarity struct {
	theme
	met  string
	make func(*plan)
}

// rarities are drawn by the seed, as aboutAds.
var rarities = []rarity{
	// An instance stands still in a chain of bureaus for so long that others settle the question, and erase its person.
	{theme{verbs: "fresh 6 lookup 2 later 1 erase 4", first: "fresh"}, "erase 4 fresh 1", func(p *plan) {
		p.people, p.instances, p.working = 1, 2, 7
		p.bureaus, p.more, p.faults = 3, false, faults{frozen: 12}
		p.moods = moods{refuses: 30, free: 30, slow: 40}
	}},
	// An item of a batch goes on when its lease is over.
	{theme{verbs: "batch 3 resume 2 wait 3", first: "batch"}, "resume 3 batch 1", func(p *plan) {
		p.instances, p.working = 2, 7
		p.faults, p.moods = faults{frozen: 20}, moods{slow: 60}
	}},
	// A person is erased while a file with her is read.
	{theme{verbs: "import 6 erase 3", first: "import"}, "erase 1", func(p *plan) {
		p.people, p.pins = 1, pins{aims: 2, most: 3 * time.Second}
	}},
	// A connection is lost after a commit, and what was committed is tried again.
	{theme{verbs: "batch 4 once 2 fresh 2 retry 1 wait 1", first: "batch"}, "batch 2 once 2", func(p *plan) {
		p.faults, p.holds, p.pins = faults{unheard: 60}, holds{aims: 3, aimed: 3 * time.Second}, pins{}
		p.moods = moods{slow: 60}
	}},
	// A quote is forgotten, and its person erased afterwards.
	{theme{verbs: "quote 6 erase 4 wait 1", first: "quote"}, "erase 1", func(p *plan) {
		p.people, p.night, p.minute = 1, true, p.minute&^1
	}},
}

// rare is what the world of a seed has of these; nil for nothing.
func rare(seed uint64) *rarity {
	if seed%29 != 0 || aboutAds(seed) || aboutConsents(seed) || aboutSeveral(seed) || aboutAgents(seed) {
		return nil
	}
	return &rarities[seed/29%uint64(len(rarities))]
}

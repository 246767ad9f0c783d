package automations

import (
	"cmp"
	"slices"

	"fichario/adapters/web"
	"fichario/app/automations"
	"fichario/domain/automation"
	"fichario/domain/catalog"
)

// chain draws which automations trigger which: at most linksDrawn of all, and a table of those on the page.
type chain struct {
	Roots []chainRoot
	Rows  []chainRow
	// Cut says that there are more links.
	Cut bool
}

// linksDrawn is how many automations are drawn, namesSaid how many are named before and after one: the page has a
// bounded weight however many there are.
const linksDrawn, namesSaid = 25, 5

// chainRoot is an event with what it starts.
type chainRoot struct {
	Event automation.EventName
	Links []chainLink
}

// chainLink is an automation with those that it may trigger.
type chainLink struct {
	*chainRow
	Then  []chainLink
	Again bool
}

// chainRow is an automation with what it was charged in this month, and the names of those before and after it.
type chainRow struct {
	automations.View
	Spent      catalog.Money
	From, Then names
	// shown is the level, from 1, from which on what it may trigger is drawn already, since an event later on starts it
	// too: 1 where all is drawn. Zero where nothing is.
	shown int
}

// names are the first of some names, and how many others there are.
type names struct {
	Said []string
	More int
}

func (n *names) add(name string) {
	if len(n.Said) < namesSaid {
		n.Said = append(n.Said, name)
	} else {
		n.More++
	}
}

// Share is how much of the ceiling is spent, in per cent; at most 100.
func (r chainRow) Share() int {
	return int(min(100, r.Spent*100/max(1, r.Action.Ceiling)))
}

// chainOf draws automations; nil where none triggers another.
func (s pages) chainOf(c *web.Call, all []automations.View, page web.Paged[line]) (*chain, error) {
	every := make([]chainRow, len(all))
	var ids []string
	plain := make([]automation.Automation, len(all))
	for i, a := range all {
		if plain[i], every[i].View = a.Automation, a; a.Action.Kind == automation.Lookup {
			ids = append(ids, a.ID)
		}
	}
	some, rows := false, map[string]*chainRow{}
	for i, a := range all {
		rows[a.ID] = &every[i]
		for j, b := range all {
			if a.MayTrigger(b.Automation) {
				some = true
				every[i].Then.add(b.Name)
				every[j].From.add(a.Name)
			}
		}
	}
	if !some {
		return nil, nil
	}
	if len(ids) > 0 {
		spent, err := s.Statement.SpentByAccounts(c.Ctx(), c.By, ids)
		if err != nil {
			return nil, err
		}
		for id, one := range spent {
			rows[id].Spent = one.Amount
		}
	}
	out, left := &chain{Rows: every[page.From-1 : page.To]}, linksDrawn
	for _, event := range web.EventChoices {
		links := automation.Chain(plain, event.Name)
		if !leads(links) {
			continue
		}
		if drawn := linksOf(links, rows, &left, 1); len(drawn) > 0 {
			out.Roots = append(out.Roots, chainRoot{event.Name, drawn})
		}
	}
	out.Cut = left < 0
	return out, nil
}

// leads reports whether one of these automations triggers another.
func leads(links []automation.Link) bool {
	for _, l := range links {
		if len(l.Then) > 0 {
			return true
		}
	}
	return false
}

// linksOf draws the links of a level while some are left, those first that trigger another where not all can be drawn;
// left is below zero where there were more.
func linksOf(links []automation.Link, rows map[string]*chainRow, left *int, level int) (out []chainLink) {
	if len(links) > *left {
		slices.SortStableFunc(links, func(a, b automation.Link) int {
			return cmp.Compare(min(len(b.Then), 1), min(len(a.Then), 1))
		})
	}
	for _, l := range links {
		if *left <= 0 {
			*left = -1
			break
		}
		*left--
		row := rows[l.ID]
		again := l.Again || row.shown > 0 && row.shown <= level
		link := chainLink{chainRow: row, Again: again && len(row.Then.Said) > 0}
		if !again && len(l.Then) > 0 {
			if row.shown = level; !l.Cut {
				row.shown = 1
			}
			link.Then = linksOf(l.Then, rows, left, level+1)
		}
		out = append(out, link)
	}
	return out
}

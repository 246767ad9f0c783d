package automations

import (
	"fichario/adapters/web"
	"fichario/app/automations"
	"fichario/domain/automation"
	"fichario/domain/catalog"
)

// chain draws which automations trigger which.
type chain struct {
	Roots []chainRoot
	Rows  []chainRow
}

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
	From, Then []string
}

// Share is how much of the ceiling is spent, in per cent; at most 100.
func (r chainRow) Share() int {
	return int(min(100, r.Spent*100/max(1, r.Action.Ceiling)))
}

// chainOf draws automations; nil where none triggers another.
func (s pages) chainOf(c *web.Call, all []automations.View) (*chain, error) {
	out := &chain{Rows: make([]chainRow, len(all))}
	var ids []string
	plain := make([]automation.Automation, len(all))
	for i, a := range all {
		if plain[i], out.Rows[i].View = a.Automation, a; a.Action.Kind == automation.Lookup {
			ids = append(ids, a.ID)
		}
	}
	some, rows := false, map[string]*chainRow{}
	for i, a := range all {
		rows[a.ID] = &out.Rows[i]
		for j, b := range all {
			if a.MayTrigger(b.Automation) {
				some = true
				out.Rows[i].Then = append(out.Rows[i].Then, b.Name)
				out.Rows[j].From = append(out.Rows[j].From, a.Name)
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
	for _, event := range web.EventChoices {
		links := automation.Chain(plain, event.Name)
		if drawn := linksOf(links, rows); len(drawn) > 0 && leads(links) {
			out.Roots = append(out.Roots, chainRoot{event.Name, drawn})
		}
	}
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

func linksOf(links []automation.Link, rows map[string]*chainRow) (out []chainLink) {
	for _, l := range links {
		out = append(out, chainLink{rows[l.ID], linksOf(l.Then, rows), l.Again && len(rows[l.ID].Then) > 0})
	}
	return out
}

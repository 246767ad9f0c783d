package web

import "strings"

// View is a filter with its order, under a name. What was searched for is never part of it.
type View struct {
	Name string
	// Query is the filter as in the address.
	Query string
	// Current is whether the list shows it, Saved whether the member made it.
	Current, Saved bool
}

// Address is where the list shows it.
func (v View) Address() string {
	if v.Query == "" {
		return "/contatos"
	}
	return "/contatos?" + v.Query
}

// ViewsIn reads crm.ContactViews: a line for each view, its name before a tab. Names have none.
func ViewsIn(kept string) (out []View) {
	for line := range strings.Lines(kept) {
		name, query, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if ok {
			out = append(out, View{Name: name, Query: query, Saved: true})
		}
	}
	return out
}

// sideViews is how many views the menu shows.
const sideViews = 4

// sideOf are a member's first views, of which one may be what the page shows.
func sideOf(c *Call) []View {
	views := ViewsIn(c.Member.Views)
	views = views[:min(sideViews, len(views))]
	for i, v := range views {
		views[i].Current = c.URL.Path == "/contatos" && c.URL.Query().Encode() == v.Query
	}
	return views
}

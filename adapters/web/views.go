package web

import (
	"net/url"
	"strings"
)

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

// BuiltIn are the views of the list that everybody has.
func BuiltIn(memberID string) []View {
	return []View{
		{Name: "Sem retorno", Query: url.Values{"retorno": {"sem"}, "ordem": {"antigos"}}.Encode()},
		{Name: "Meus", Query: url.Values{"resp": {memberID}}.Encode()},
	}
}

// sideViews is how many of a member's own views the menu shows away from the list, where they would push the rest out
// of sight.
const sideViews = 4

// sideOf are the views that everybody has and a member's own, of which one may be what the page shows.
func sideOf(c *Call) []View {
	own, onList, shown := ViewsIn(c.Member.Views), c.URL.Path == "/contatos", c.URL.Query()
	if !onList {
		own = own[:min(sideViews, len(own))]
	}
	for _, name := range []string{"antes", "depois", "n", "exibir"} { // another page of the same list
		shown.Del(name)
	}
	views := append(BuiltIn(c.By.MemberID()), own...)
	for i, v := range views {
		views[i].Current = onList && shown.Encode() == v.Query
	}
	return views
}

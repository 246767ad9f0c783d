package contacts

import (
	"fmt"
	"net/url"
	"slices"
	"strings"

	"fichario/adapters/web"
	"fichario/domain/crm"
)

const (
	viewsMax    = 12
	viewNameMax = 40
)

// viewsKept is the inverse of web.ViewsIn.
func viewsKept(views []web.View) string {
	var out strings.Builder
	for _, v := range views {
		out.WriteString(v.Name + "\t" + v.Query + "\n")
	}
	return out.String()
}

// viewsOf are the views of the list: all, those that everybody has, and the member's own.
func viewsOf(kept, memberID string, shown url.Values) []web.View {
	views := slices.Concat([]web.View{{Name: "Todos"}}, web.BuiltIn(memberID), web.ViewsIn(kept))
	for i := range views {
		views[i].Current = views[i].Query == shown.Encode()
	}
	return views
}

// viewSave keeps the filter of the list under a name, instead of one of the same name.
func (s pages) viewSave(c *web.Call, f struct {
	contactFilter
	Name string `form:"nome"`
}) error {
	f.Text = ""
	name, _ := crm.CleanName(f.Name)
	v := web.View{
		Name:  strings.Join(strings.Fields(web.Shorten(viewNameMax, name)), " "), // no tab and no line break
		Query: web.QueryOf(f.contactFilter).Encode(),
	}
	back := c.CameFrom("/contatos")
	switch {
	case v.Name == "":
		return c.NotDone(back, "Dê um nome à vista.")
	case v.Query == "":
		return c.NotDone(back, "Escolha um filtro ou uma ordem antes de guardar a vista. A busca não fica nela.")
	}
	return s.changeViews(c, back, fmt.Sprintf("Vista “%s” guardada.", v.Name), func(views []web.View) []web.View {
		if at := slices.IndexFunc(views, func(o web.View) bool { return o.Name == v.Name }); at >= 0 {
			views[at] = v
			return views
		}
		return append(views, v)
	})
}

func (s pages) viewRemove(c *web.Call, f struct {
	Name string `form:"nome"`
}) error {
	return s.changeViews(c, c.CameFrom("/contatos"), "Vista tirada.", func(views []web.View) []web.View {
		return slices.DeleteFunc(views, func(v web.View) bool { return v.Name == f.Name })
	})
}

func (s pages) changeViews(c *web.Call, back, notice string, change func([]web.View) []web.View) error {
	mine, err := s.Preferences.Mine(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	views := change(web.ViewsIn(mine[crm.ContactViews]))
	kept := viewsKept(views)
	if len(views) > viewsMax || len(kept) > crm.PreferenceMax {
		return c.NotDone(back, fmt.Sprintf("Cabem até %d vistas. Tire uma antes.", viewsMax))
	}
	if err := s.Preferences.Set(c.Ctx(), c.By, crm.ContactViews, kept); err != nil {
		return err
	}
	return c.Done(back, notice)
}

// columnsSave keeps which columns the member sees, in which order, and how close the lines are.
func (s pages) columnsSave(c *web.Call, f struct {
	Columns []string `form:"coluna"`
	Density string   `form:"densidade"`
	// Up and Down are the column that is moved, if any.
	Up   string `form:"subir"`
	Down string `form:"descer"`
}) error {
	var keys []string
	for _, col := range allColumns {
		keys = append(keys, col.Key)
	}
	chosen := slices.DeleteFunc(f.Columns, func(key string) bool { return !slices.Contains(keys, key) })
	if at := slices.Index(chosen, f.Up); at > 0 {
		chosen[at-1], chosen[at] = chosen[at], chosen[at-1]
	}
	if at := slices.Index(chosen, f.Down); at >= 0 && at+1 < len(chosen) {
		chosen[at+1], chosen[at] = chosen[at], chosen[at+1]
	}
	density := ""
	if f.Density == roomy {
		density = roomy
	}
	for name, value := range map[crm.Preference]string{
		crm.ContactColumns: strings.Join(chosen, " "), crm.ContactDensity: density,
	} {
		if err := s.Preferences.Set(c.Ctx(), c.By, name, value); err != nil {
			return err
		}
	}
	back := c.CameFrom("/contatos")
	to, err := url.Parse(back)
	if err != nil {
		return c.Redirect("/contatos")
	}
	query, notice := to.Query(), "Colunas guardadas."
	query.Del("exibir")
	if moved := f.Up + f.Down; moved != "" { // there may be more to move
		query.Set("exibir", moved)
		notice = "Coluna movida."
	}
	to.RawQuery = query.Encode()
	return c.Done(to.String(), notice)
}

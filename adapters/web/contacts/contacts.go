package contacts

import (
	"cmp"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// contactsAtOnce is how many contacts a page of the list shows.
const contactsAtOnce = 50

// contactLine is a contact in a list or on a card.
type contactLine struct {
	crm.ContactView
	// PhoneText is the phone in its usual notation, Below the line under the name on a card.
	PhoneText, Below string
	AssigneeShort    string
	// Unanswered says that it is in an open stage and awaits its first answer.
	Unanswered bool
}

func contactLineOf(v crm.ContactView) contactLine {
	return contactLine{
		ContactView: v, PhoneText: web.PhoneText(v.PhoneE164, v.Phone), Below: cmp.Or(v.Company, v.Email),
		AssigneeShort: shortName(v.Assignee.Name), Unanswered: v.Waiting && v.StageOutcome == crm.Open,
	}
}

// shortName is a name's first word with the last one's initial: Marina T.
func shortName(name string) string {
	words := strings.Fields(name)
	if len(words) < 2 {
		return name
	}
	return words[0] + " " + string([]rune(words[len(words)-1])[:1]) + "."
}

// orders are the sort orders of the list, by the word in the address.
var orders = map[string]struct {
	by        crm.ContactOrder
	ascending bool
}{
	"":                {crm.ByArrival, false},
	"antigos":         {crm.ByArrival, true},
	"nome":            {crm.ByName, true},
	"nome-z":          {crm.ByName, false},
	"valor":           {crm.ByAmount, false},
	"valor-crescente": {crm.ByAmount, true},
}

// periods are how many days back a list goes, by the word in the address; today is 1.
var periods = map[string]int{"hoje": 1, "7": 7, "30": 30, "90": 90}

// contactFilter filters and sorts the list of contacts.
type contactFilter struct {
	Text     string `form:"q"`
	Stage    string `form:"etapa"`
	Origin   string `form:"origem"`
	Assignee string `form:"resp"`
	Webhook  string `form:"webhook"`
	Period   string `form:"quando"`
	// Waiting is "sem" for contacts that nobody has answered.
	Waiting string `form:"retorno"`
	// MinAmount is the least amount, in whole reais.
	MinAmount string `form:"valor"`
	Order     string `form:"ordem"`
}

// Amounts are the choices of MinAmount.
func (contactFilter) Amounts() []contacts.Choice {
	return []contacts.Choice{
		{ID: "1000", Name: "R$ 1 mil ou mais"}, {ID: "5000", Name: "R$ 5 mil ou mais"},
		{ID: "10000", Name: "R$ 10 mil ou mais"}, {ID: "50000", Name: "R$ 50 mil ou mais"},
		{ID: "100000", Name: "R$ 100 mil ou mais"},
	}
}

// InUse is the number of filters in use beside the search.
func (f contactFilter) InUse() int {
	f.Text, f.Order = "", ""
	return len(web.QueryOf(f))
}

// contactPlace is where a page of the list begins or ends, and how many contacts precede it.
type contactPlace struct {
	contactFilter
	After  string `form:"depois"`
	Before string `form:"antes"`
	Offset int    `form:"n"`
	// Moved is the column that was just moved: the form of columns is open, with the focus on it.
	Moved string `form:"exibir"`
}

func (s pages) contactSearch(f contactFilter) contacts.ContactSearch {
	order := orders[f.Order]
	search := contacts.ContactSearch{
		Text: f.Text, StageID: f.Stage, OriginID: f.Origin, AssigneeID: f.Assignee, WebhookID: f.Webhook,
		Waiting: f.Waiting == "sem",
		Order:   order.by, Ascending: order.ascending,
	}
	offered := f.Amounts()
	if reais, err := strconv.Atoi(f.MinAmount); err == nil && slices.ContainsFunc(offered, func(c contacts.Choice) bool {
		return c.ID == f.MinAmount
	}) {
		search.MinAmount = catalog.Money(reais) * catalog.Real
	}
	if days := periods[f.Period]; days > 0 {
		search.Since = s.Calendar.DaysBefore(s.Clock(), days-1)
	}
	return search
}

// goneFilter says what a filter names and is no more, because a saved view or a bookmark is older; empty for another
// error.
func goneFilter(err error) string {
	f := app.FaultOf(err)
	if f == nil || f.Code != fault.NotFound {
		return ""
	}
	return map[string]string{
		"stage": "A etapa deste filtro não existe mais", "origin": "A origem deste filtro não existe mais",
		"member": "O responsável deste filtro não existe mais", "webhook": "O webhook deste filtro não existe mais",
	}[f.Field]
}

// contactsPage is the list.
type contactsPage struct {
	contacts.Choices
	Filter contactFilter
	Lines  []template.HTML // see rowOf
	// ByName is the heading of the first column, Columns those that the member chose beside it, Orders those that sort.
	ByName  listColumn
	Columns []listColumn
	Orders  []listColumn
	// Roomy is whether the member wants more room between the lines, Usual whether they chose no columns.
	Roomy, Usual bool
	// AllColumns are those that can be chosen, Moved the one that was just moved.
	AllColumns []listColumn
	Moved      string
	Views      []web.View
	// Gone says what the filter names and is no more; empty where all is there.
	Gone string
	// Narrow says that a filter is in use, Total how many contacts there are.
	Narrow bool
	Total  int
	// Many says that there are more than Counted.
	Many     bool
	Counted  int
	From, To int
	// Chosen is the filter as in the address.
	Chosen url.Values
	// Previous and Next are addresses; empty at the ends. CSV and Excel are those of the downloads.
	Previous, Next, CSV, Excel string
}

// Kept are the member's own views.
func (p contactsPage) Kept() []web.View {
	return slices.DeleteFunc(slices.Clone(p.Views), func(v web.View) bool { return !v.Saved })
}

func (s pages) contactList(c *web.Call, at contactPlace) error {
	choices, err := s.Contacts.Choices(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	search, status := s.contactSearch(at.contactFilter), http.StatusOK
	found, err := s.Contacts.Search(c.Ctx(), c.By, search, at.After, at.Before, contactsAtOnce)
	if err == nil && len(found.Contacts) == 0 && !found.First { // those of this page are elsewhere by now
		found, err = s.Contacts.Search(c.Ctx(), c.By, search, "", "", contactsAtOnce)
	}
	gone := goneFilter(err)
	if gone != "" {
		found, status, err = contacts.Page{First: true}, http.StatusNotFound, nil
	}
	if err != nil {
		return err
	}
	total := len(found.Contacts)
	if !found.First || found.More { // else this page has them all
		if total, err = s.Contacts.Count(c.Ctx(), c.By, search); err != nil {
			return err
		}
	}
	mine, err := s.Preferences.Mine(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	chosen := web.QueryOf(at.contactFilter)
	data := contactsPage{
		Choices: choices, Filter: at.contactFilter, Roomy: mine[crm.ContactDensity] == roomy,
		Usual: mine[crm.ContactColumns] == "", AllColumns: columnsInOrder(mine[crm.ContactColumns]), Moved: at.Moved,
		Views:  viewsOf(mine[crm.ContactViews], c.By.MemberID(), chosen),
		Chosen: chosen, Gone: gone, Narrow: search.Narrow(), Total: total, Many: total > app.CountMax, Counted: app.CountMax,
		CSV:   "/contatos.csv" + web.WithQuery(chosen),
		Excel: "/contatos.csv" + web.WithQuery(chosen, "formato", string(download.Excel)),
	}
	data.ByName, data.Columns, data.Orders = columnsOf(chosen, at.Order, mine[crm.ContactColumns])
	ids := make([]string, len(found.Contacts))
	for i, v := range found.Contacts {
		ids[i] = v.ID
	}
	doubles, err := s.Contacts.Doubles(c.Ctx(), c.By, ids)
	if err != nil {
		return err
	}
	for i, v := range found.Contacts {
		data.Lines = append(data.Lines, s.rowOf(i, v, doubles[v.ID] != "", data.Columns))
	}
	// The offset comes from the previous page; contacts that arrived since do not change it.
	offset := 0
	if !found.First {
		offset = min(max(at.Offset, 0), 10_000_000)
	}
	data.From, data.To = offset+1, offset+len(data.Lines)
	if n := len(data.Lines); n > 0 {
		if !found.First {
			data.Previous = "/contatos" + web.WithQuery(chosen, "antes", ids[0], "n",
				strconv.Itoa(max(0, offset-contactsAtOnce)))
		}
		if found.More {
			data.Next = "/contatos" + web.WithQuery(chosen, "depois", ids[n-1], "n", strconv.Itoa(data.To))
		}
	}
	return c.RenderStatus(status, "contatos", web.Page{Title: "Contatos", Nav: "contatos", Data: data, Wide: true})
}

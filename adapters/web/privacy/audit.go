package privacy

import (
	"iter"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/privacy"
	"fichario/domain/audit"
	"fichario/domain/fault"
)

// auditFilter is a filter of the audit, as in the address. It holds no personal data.
type auditFilter struct {
	Who    string `form:"quem"`
	Action string `form:"acao"`
	From   string `form:"de" validate:"omitempty,day"`
	Until  string `form:"ate" validate:"omitempty,day"`
	After  string `form:"depois"`
}

// auditPage is a page of the audit, the newest lines first.
type auditPage struct {
	Filter  auditFilter
	Problem string
	Lines   []auditLine
	// People and Actions are the options of the filter.
	People, Actions []option
	// Back is the address of the first page, Next that of the next one, CSV and Excel those of the files with all lines.
	Back, Next, CSV, Excel string
}

// option is an entry of a list to choose from.
type option struct{ ID, Name string }

// auditLine is a line as the page shows it.
type auditLine struct {
	privacy.AuditLine
	// Page is the address of the action's object; empty where that has no page.
	Page string
	// Said is its detail in words, and Condition an expression that these leave out: only who knows jq reads it.
	Said, Condition string
}

// auditShown is how many lines a page has.
const auditShown = 50

// auditPages are the addresses of pages, by the kind of an action's object.
var auditPages = map[string]string{
	"consulta": "/consultas/", "resposta": "/consultas/", "contato": "/contatos/", "contatos": "/contatos/",
	"entrega": "/entregas/", "lote": "/lotes/", "chave": "/chaves/", "webhook": "/webhooks/", "automacao": "/automacoes/",
	"importacao": "/importacoes/", "acao": "/acoes/",
}

func (s pages) auditLineOf(l privacy.AuditLine, words said) auditLine {
	thing, _, _ := strings.Cut(string(l.Action), ".")
	words.ofAutomation = thing == "automacao"
	out := auditLine{AuditLine: l, Said: auditLost(l.Line)}
	if out.Said == "" {
		out.Said, out.Condition = s.detailSaid(l.Detail, words), l.Detail[expression]
	}
	if page := auditPages[thing]; page != "" && l.Object != "" {
		out.Page = page + l.Object
	}
	return out
}

// auditLost says why a line has no detail to show; empty where it has, or never had one.
func auditLost(l audit.Line) string {
	switch {
	case l.ErasedBy != "":
		return "apagado com os dados do titular"
	case l.Unreadable:
		return "ilegível"
	}
	return ""
}

// auditSaid is the detail of a line as it is stored, for files.
func auditSaid(l audit.Line) string {
	if lost := auditLost(l); lost != "" {
		return lost
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(l.Detail)) {
		if value := l.Detail[name]; value != "" {
			parts = append(parts, name+": "+value)
		}
	}
	return strings.Join(parts, "; ")
}

// auditSearch reads the filter. Fault: InvalidRequest.
func (s pages) auditSearch(f auditFilter) (q privacy.AuditSearch, err error) {
	q = privacy.AuditSearch{Who: f.Who, Action: audit.Action(f.Action)}
	if f.From != "" {
		if q.Since, err = s.Calendar.StartOf(f.From); err != nil {
			return q, fault.New(fault.InvalidRequest, "O início do período deve ser uma data.")
		}
	}
	if f.Until != "" {
		last, err := s.Calendar.StartOf(f.Until)
		if err != nil {
			return q, fault.New(fault.InvalidRequest, "O fim do período deve ser uma data.")
		}
		q.Until = s.Calendar.NextDay(last)
	}
	q.After, _ = strconv.ParseInt(f.After, 10, 64) // anything else is the first page
	return q, nil
}

func (s pages) auditShow(c *web.Call) error {
	var data auditPage
	var q privacy.AuditSearch
	err := c.Decode(&data.Filter)
	if err == nil {
		q, err = s.auditSearch(data.Filter)
	}
	var found privacy.AuditPage
	if err == nil {
		found, err = s.Audit.Page(c.Ctx(), c.By, q, auditShown)
	}
	status := http.StatusOK
	if f := app.FaultOf(err); f != nil && f.Code == fault.InvalidRequest {
		data.Problem, status = f.Message, http.StatusUnprocessableEntity
		found, err = s.Audit.Page(c.Ctx(), c.By, privacy.AuditSearch{}, auditShown)
	}
	if err != nil {
		return err
	}
	words, err := s.auditWords(c, found)
	if err != nil {
		return err
	}
	for _, l := range found.Lines {
		data.Lines = append(data.Lines, s.auditLineOf(l, words))
	}
	for id, name := range found.People {
		data.People = append(data.People, option{id, web.Shorten(web.TitleMax, name)})
	}
	for _, who := range []audit.Actor{audit.Operator, audit.Nobody} {
		data.People = append(data.People, option{string(who), map[audit.Actor]string{
			audit.Operator: "operador", audit.Nobody: "alguém sem sessão",
		}[who]})
	}
	slices.SortFunc(data.People, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	for _, a := range audit.Actions() {
		data.Actions = append(data.Actions, option{string(a), a.Label()})
	}
	slices.SortFunc(data.Actions, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	first := data.Filter
	first.After = ""
	query := web.QueryOf(first)
	if found.More && data.Problem == "" {
		last := found.Lines[len(found.Lines)-1].Number
		data.Next = "/auditoria" + web.WithQuery(query, "depois", strconv.FormatInt(last, 10)) + "#linhas"
	}
	data.Back = "/auditoria" + web.WithQuery(query) + "#linhas"
	data.CSV = "/auditoria.csv" + web.WithQuery(query)
	data.Excel = "/auditoria.csv" + web.WithQuery(query, "formato", string(download.Excel))
	return c.RenderStatus(status, "auditoria", web.Page{Title: "Auditoria", Nav: "auditoria", Data: data, Wide: true})
}

// auditWords are the names that the lines of a page need.
func (s pages) auditWords(c *web.Call, page privacy.AuditPage) (said, error) {
	all, err := s.Purposes.List(c.Ctx(), c.By, c.By.OrgID())
	words := said{inDetail: page.InDetail, purposes: map[string]string{}, destinations: s.Automations.Destinations()}
	for _, p := range all {
		words.purposes[p.Code] = p.Name
	}
	return words, err
}

// Any reports whether the filter excludes anything.
func (f auditFilter) Any() bool { f.After = ""; return f != auditFilter{} }

// auditFile sends all lines that match the filter in the address.
func (s pages) auditFile(c *web.Call, f struct {
	auditFilter
	Form download.Form `form:"formato" validate:"omitempty,oneof=excel" says:"O formato deve ser excel, ou nenhum."`
}) error {
	q, err := s.auditSearch(f.auditFilter)
	if err != nil {
		return err
	}
	q.After = 0
	all, err := s.Audit.All(c.Ctx(), c.By, c.By.OrgID(), q)
	if err != nil {
		return err
	}
	return s.Download(c, auditTable(all, s.Calendar.Location), f.Form)
}

// auditTable is the audit as a file.
func auditTable(all iter.Seq2[privacy.AuditLine, error], zone *time.Location) download.Table {
	return download.Table{
		Name: "auditoria.csv", Zone: zone,
		Columns: []string{
			"numero", "em", "quem", "quemId", "porta", "endereco", "pedido", "acao", "objeto", "detalhe", "hash",
		},
		Rows: func(yield func([]any, error) bool) {
			for l, err := range all {
				row := []any{
					strconv.FormatInt(l.Number, 10), l.At, l.Who, l.Actor.ID(), string(l.Door), l.Address, l.RequestID,
					string(l.Action), l.Object, auditSaid(l.Line), l.Hash.String(),
				}
				if !yield(row, err) || err != nil {
					return
				}
			}
		},
	}
}

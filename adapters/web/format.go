package web

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/domain/audit"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake/fields"
)

// functions are available in templates.
func (s *Server) functions() template.FuncMap {
	return template.FuncMap{
		"asset": s.assets.Address,
		"icon":  Icon, "icons": smallIcon, "iconClass": draw,
		"productName": s.ProductName,
		"money":       catalog.Money.Reais, "exact": catalog.Money.Exact, "count": Count, "plural": Plural, "eventText": EventText,
		"inWords": s.inWords, "roughly": roughly, "breaks": breaks, "partly": partly,
		"days": func(n *int) string { return Plural(*n, "dia", "dias") },
		"date": s.Date, "datetime": s.Datetime, "clock": s.ClockTime, "iso": ISO,
		"dayMonth": func(t time.Time) string { return s.in(t, "02/01") },
		"waited":   waited, "mails": s.Links.Mails, "picture": func(address string) template.URL { return template.URL(address) }, //nolint:gosec // it is drawn here
		"provider": s.providerName, "providerLink": providerLink,
		"takesPasskeys": s.Factors.TakesPasskeys, "present": s.Changes.Present,
		"age": s.Age,
		"doc": Masked, "initials": initials, "role": RoleName, "door": func(d audit.Door) string { return auditDoors[d] }, "shorten": Shorten, "whatsapp": WhatsApp,
		"dict": dict, "join": strings.Join, "add": func(a, b int) int { return a + b },
		"lines": func(text string) []string { return strings.Split(text, "\n") },
	}
}

// ProductName is a product's name for people; its id where it is no longer offered.
func (s *Server) ProductName(id string) string {
	if p, offered := s.Catalog.Find(id); offered {
		return p.Name
	}
	return id
}

// Count writes a whole number with groups: 1.284.
func Count(n any) string {
	text := fmt.Sprint(n)
	if strings.HasPrefix(text, "-") {
		return "-" + catalog.Grouped(text[1:])
	}
	return catalog.Grouped(text)
}

// Plural writes a number with the matching word: plural 2 "contato" "contatos" is "2 contatos".
func Plural(n any, single, several string) string {
	if text := Count(n); text != "1" {
		return text + "\u00a0" + several
	}
	return "1\u00a0" + single
}

// Date writes a day, as 02/01/2006, in the time zone of the interface.
func (s *Server) Date(t time.Time) string { return s.in(t, "02/01/2006") }

// roughly abbreviates an amount to the width of a figure: R$ 1,28 mi, R$ 3,05 bi.
func roughly(m catalog.Money) string {
	const million = 1_000_000
	switch size := max(m, -m) / catalog.Real; {
	case size < million:
		return m.Reais()
	case size < 1000*million:
		return (m / million).Reais() + "\u00a0mi"
	}
	return (m / (1000 * million)).Reais() + "\u00a0bi"
}

// wholeWord is the length of the longest word that fits everywhere, in characters.
const wholeWord = 28

// breaks is the CSS class of a text: it allows breaks inside words only where one is too long.
func breaks(text string) string {
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(word) > wholeWord {
			return "break"
		}
	}
	return "whole"
}

// partly lets an e-mail address break after its @ before it breaks anywhere else.
func partly(text string) template.HTML {
	return template.HTML(strings.ReplaceAll(template.HTMLEscapeString(text), "@", "@<wbr>")) //nolint:gosec // escaped
}

// inWords is a day in words: Sexta-feira, 20 de novembro de 2026.
func (s *Server) inWords(t time.Time) string {
	t = t.In(s.Calendar.Location)
	days := []string{"Domingo", "Segunda-feira", "Terça-feira", "Quarta-feira", "Quinta-feira", "Sexta-feira", "Sábado"}
	return days[t.Weekday()] + t.Format(", 2 de ") + MonthName(t) + t.Format(" de 2006")
}

// Datetime writes a day with its time.
func (s *Server) Datetime(t time.Time) string { return s.in(t, "02/01/2006 15:04") }

// ClockTime writes the time of a day.
func (s *Server) ClockTime(t time.Time) string { return s.in(t, "15:04") }

func (s *Server) in(t time.Time, layout string) string {
	if t.IsZero() {
		return "nunca"
	}
	return t.In(s.Calendar.Location).Format(layout)
}

// ISO writes a time for programs, in UTC.
func ISO(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Age words how long ago a time was.
func (s *Server) Age(t time.Time) string { return age(s.Clock().Sub(t)) }

// age words how long ago something was.
func age(d time.Duration) string {
	switch {
	case d < time.Minute:
		return "agora"
	case d < time.Hour:
		return ago(int(d.Minutes()), "minuto", "minutos")
	case d < 24*time.Hour:
		return ago(int(d.Hours()), "hora", "horas")
	case d < 60*24*time.Hour:
		return ago(int(d.Hours()/24), "dia", "dias")
	}
	return ago(int(d.Hours()/24/30), "mês", "meses")
}

func ago(n int, single, several string) string {
	if n == 1 {
		several = single
	}
	return "há " + strconv.Itoa(n) + " " + several
}

// Masked writes a document with its usual punctuation: 529.982.247-25. The zero value stands for an unreadable one.
func Masked(d document.Document) string {
	if d.IsZero() {
		return "ilegível"
	}
	return d.Punctuated()
}

func initials(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "?"
	}
	first, _ := utf8.DecodeRuneInString(words[0])
	if len(words) == 1 {
		return strings.ToUpper(string(first))
	}
	last, _ := utf8.DecodeRuneInString(words[len(words)-1])
	return strings.ToUpper(string(first) + string(last))
}

// RoleName is a role in Portuguese.
func RoleName(r crm.Role) string {
	return map[crm.Role]string{crm.Owner: "Titular", crm.Admin: "Administração", crm.Common: "Membro"}[r]
}

// Shorten cuts a text to n characters.
func Shorten(n int, s string) string {
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// dict makes a map of alternating names and values, for a template that needs several.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict of %d values", len(pairs))
	}
	m := map[string]any{}
	for i := 0; i < len(pairs); i += 2 {
		m[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return m, nil
}

// EventText is the name of an event for people.
func EventText(name automation.EventName) string {
	for _, e := range EventChoices {
		if e.Name == name {
			return e.Text
		}
	}
	return string(name)
}

// WhatsApp is the number for a chat with a mobile; empty for other phones.
func WhatsApp(e164 string) string {
	if e164 == "" || !fields.Mobile(e164) {
		return ""
	}
	return strings.TrimPrefix(e164, "+")
}

var auditDoors = map[audit.Door]string{
	audit.API: "API", audit.Interface: "interface", audit.Command: "comando", audit.Own: "serviço",
}

// providerName is the label of the button; empty where there is no provider.
func (s *Server) providerName() string {
	if s.OIDC == nil {
		return ""
	}
	return s.OIDC.Name
}

// providerLink is the address of the button.
func providerLink(after string) string {
	if after == "" {
		return "/entrar/oidc"
	}
	return "/entrar/oidc?" + url.Values{"depois": {after}}.Encode()
}

// RoundMoney writes an amount without decimals where it has none.
func RoundMoney(m catalog.Money) string { return strings.TrimSuffix(m.Reais(), ",00") }

// monthNames are the months, in lower case for use in a sentence.
var monthNames = strings.Fields("janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro")

// MonthName is the month of a time, in Portuguese and lower case.
func MonthName(t time.Time) string { return monthNames[t.Month()-1] }

// waited formats a duration: 40 min, 3 h 05 min, 2 dias.
func waited(d time.Duration) string {
	switch d = d.Round(time.Minute); {
	case d < time.Hour:
		return fmt.Sprintf("%d\u00a0min", int(d.Minutes()))
	case d < 48*time.Hour:
		return fmt.Sprintf("%d\u00a0h %02d\u00a0min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d\u00a0dias", int(d.Hours())/24)
}

// EventChoice is an event with its name for people.
type EventChoice struct {
	Name automation.EventName
	Text string
}

// EventChoices are the events in the order in which the form shows them.
var EventChoices = []EventChoice{
	{automation.ContactCreated, "Chega um contato"}, {automation.ContactUpdated, "Um contato é alterado"},
	{automation.ContactMoved, "Um contato muda de etapa"}, {automation.LookupCompleted, "Uma consulta é respondida"},
	{automation.BatchCompleted, "Um lote termina"}, {automation.CapReached, "Uma chave chega a 80 ou 100% do limite"},
	{automation.DeliveryRefused, "Um envio a um webhook é recusado"},
}

// TitleMax bounds a name in a heading or a list, in characters.
const TitleMax = 120

// PhoneText writes a Brazilian number in its usual notation, and others as they were sent.
func PhoneText(e164, sent string) string {
	national, ok := strings.CutPrefix(e164, "+55")
	if !ok || len(national) < 10 || len(national) > 11 {
		return sent
	}
	return "(" + national[:2] + ") " + national[2:len(national)-4] + "-" + national[len(national)-4:]
}

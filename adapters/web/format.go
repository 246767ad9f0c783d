package web

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/domain/audit"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

// functions are available in templates.
func (s *server) functions() template.FuncMap {
	return template.FuncMap{
		"asset": s.assets.Address,
		"icon":  icon, "icons": smallIcon, "iconClass": draw,
		"productName": s.productName,
		"money":       catalog.Money.Reais, "exact": catalog.Money.Exact, "count": count, "plural": plural, "eventText": eventText,
		"inWords": s.inWords, "roughly": roughly, "breaks": breaks, "partly": partly,
		"days": func(n *int) string { return plural(*n, "dia", "dias") },
		"date": s.date, "datetime": s.datetime, "clock": s.clockTime, "iso": iso,
		"dayMonth": func(t time.Time) string { return s.in(t, "02/01") },
		"waited":   waited, "mails": s.Links.Mails, "picture": func(address string) template.URL { return template.URL(address) }, //nolint:gosec // it is drawn here
		"provider": s.providerName, "providerLink": providerLink,
		"takesPasskeys": s.Factors.TakesPasskeys, "mark": s.Changes.Mark,
		"age": func(t time.Time) string { return age(s.Clock().Sub(t)) },
		"doc": masked, "initials": initials, "role": roleName, "door": func(d audit.Door) string { return auditDoors[d] }, "shorten": shorten, "whatsapp": whatsApp,
		"dict": dict, "join": strings.Join, "add": func(a, b int) int { return a + b },
		"lines": func(text string) []string { return strings.Split(text, "\n") },
	}
}

// productName is a product's name for people; its id where it is no longer offered.
func (s *server) productName(id string) string {
	if p, offered := s.Batches.Catalog.Find(id); offered {
		return p.Name
	}
	return id
}

func grouped(digits string) string {
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "." + digits[i:]
	}
	return digits
}

// count writes a whole number with groups: 1.284.
func count(n any) string {
	text := fmt.Sprint(n)
	if strings.HasPrefix(text, "-") {
		return "-" + grouped(text[1:])
	}
	return grouped(text)
}

// plural writes a number with the matching word: plural 2 "contato" "contatos" is "2 contatos".
func plural(n any, single, several string) string {
	if text := count(n); text != "1" {
		return text + "\u00a0" + several
	}
	return "1\u00a0" + single
}

func (s *server) date(t time.Time) string { return s.in(t, "02/01/2006") }

// roughly abbreviates an amount to the width of a figure: R$ 1,28 mi.
func roughly(m catalog.Money) string {
	const million = 1_000_000 * catalog.Real
	if m < million {
		return m.Reais()
	}
	return (m / 1_000_000).Reais() + "\u00a0mi"
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
func (s *server) inWords(t time.Time) string {
	t = t.In(s.Calendar.Location)
	days := []string{"Domingo", "Segunda-feira", "Terça-feira", "Quarta-feira", "Quinta-feira", "Sexta-feira", "Sábado"}
	return days[t.Weekday()] + t.Format(", 2 de ") + monthName(t) + t.Format(" de 2006")
}

func (s *server) datetime(t time.Time) string  { return s.in(t, "02/01/2006 15:04") }
func (s *server) clockTime(t time.Time) string { return s.in(t, "15:04") }

func (s *server) in(t time.Time, layout string) string {
	if t.IsZero() {
		return "nunca"
	}
	return t.In(s.Calendar.Location).Format(layout)
}

func iso(t time.Time) string { return t.UTC().Format(time.RFC3339) }

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

// masked writes a document with its usual punctuation: 529.982.247-25. The zero value stands for an unreadable one.
func masked(d document.Document) string {
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

func roleName(r crm.Role) string {
	return map[crm.Role]string{crm.Owner: "Titular", crm.Admin: "Administração", crm.Common: "Membro"}[r]
}

// shorten cuts a text to n characters.
func shorten(n int, s string) string {
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

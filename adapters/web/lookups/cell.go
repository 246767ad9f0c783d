package lookups

import (
	"encoding/json"
	"strings"
	"time"

	"fichario/adapters/web"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// cell is a value as people read it. Kinds are none, text, doc, date, mail, score and list.
type cell struct {
	Kind string
	// Label and Right are the column's.
	Label string
	Right bool
	Text  string
	// Note is shown beside the text: the code of an activity, how many years ago a day is, a score's band.
	Note string
	ISO  string
	List []cell
	// Steps are a score's four bands, true for those reached; Percent is its position on the scale.
	Steps   []bool
	Percent int
	// Cut says that the text was shortened.
	Cut bool
}

// cell makes a value readable, by its format or else its type.
func (s *sheet) cell(f catalog.Field, v any) cell {
	switch x := v.(type) {
	case nil:
		return cell{Kind: "none"}
	case bool:
		return cell{Kind: "text", Text: map[bool]string{true: "Sim", false: "Não"}[x]}
	case json.Number:
		if f.Format == catalog.Score {
			return s.score(x)
		}
		return s.text(number(f.Format, x.String()))
	case string:
		return s.string(f, x)
	case []any:
		return s.list(f, x)
	case map[string]any:
		if f.Format == catalog.Activity {
			return s.activity(x)
		}
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return cell{Kind: "none"}
	}
	return s.text(string(plain))
}

func (s *sheet) list(f catalog.Field, values []any) cell {
	if len(values) == 0 {
		return cell{Kind: "none"}
	}
	out := cell{Kind: "list"}
	element := f
	element.Kind = f.Items
	for i, v := range values {
		if i == listRows {
			more := "e mais " + web.Count(len(values)-listRows) + " na resposta original"
			out.List = append(out.List, cell{Kind: "text", Text: more})
			break
		}
		out.List = append(out.List, s.cell(element, v))
	}
	return out
}

func (s *sheet) activity(v map[string]any) cell {
	name, code := plainText(v["descricao"]), plainText(v["codigo"])
	if name == "" {
		return s.text(code)
	}
	out := s.text(name)
	if d := onlyDigits(code); len(d) == 7 && len(code) <= 9 {
		code = d[:4] + "-" + d[4:5] + "/" + d[5:] // the official notation of activity codes
	}
	out.Note = web.Shorten(40, code)
	return out
}

// bands name the parts of the scale of scores, with the score where each begins.
var bands = []struct {
	from float64
	name string
}{{0, "baixo"}, {301, "regular"}, {501, "bom"}, {701, "muito bom"}}

const scoreMax = 1000

// score places a number on the scale of scores; one off the scale is shown as a plain number.
func (s *sheet) score(x json.Number) cell {
	out := s.text(number(catalog.Score, x.String()))
	n, err := x.Float64()
	if err != nil || n < 0 || n > scoreMax {
		return out
	}
	out.Kind, out.Percent = "score", int(n*100/scoreMax)
	for _, band := range bands {
		if out.Steps = append(out.Steps, n >= band.from); n >= band.from {
			out.Note = band.name
		}
	}
	return out
}

func (s *sheet) string(f catalog.Field, x string) cell {
	if f.Kind == catalog.Date {
		if t, err := time.Parse(time.DateOnly, x); err == nil {
			out := cell{Kind: "date", Text: t.Format("02/01/2006"), ISO: x}
			if f.Name == "nascimento" || f.Name == "abertura" {
				out.Note = years(t, s.today)
			}
			return out
		}
	}
	switch f.Format {
	case catalog.Email:
		if _, err := document.Normalize(document.Email, x); err == nil {
			return cell{Kind: "mail", Text: x}
		}
	case catalog.Identity:
		return s.identity(x)
	case catalog.Code:
		return s.code(x)
	}
	return s.text(x)
}

// identity writes a document inside another person's record: a CPF masked, as the rules for pages demand; what the
// bureau has masked stays as it is.
func (s *sheet) identity(x string) cell {
	if d, err := document.Normalize(document.CPF, x); err == nil {
		return cell{Kind: "doc", Text: d.Masked()}
	}
	if d, err := document.Normalize(document.CNPJ, x); err == nil {
		return cell{Kind: "doc", Text: web.Masked(d)}
	}
	return s.code(punctuated(x))
}

// punctuated adds the usual punctuation to a document that the bureau has masked: ***.982.247-**.
func punctuated(x string) string {
	if strings.Trim(x, "0123456789*Xx") != "" || !strings.ContainsAny(x, "*Xx") {
		return x
	}
	switch len(x) {
	case 11:
		return x[:3] + "." + x[3:6] + "." + x[6:9] + "-" + x[9:]
	case 14:
		return x[:2] + "." + x[2:5] + "." + x[5:8] + "/" + x[8:12] + "-" + x[12:]
	}
	return x
}

// years is how many whole years ago a day is; empty for a future day, or where today is unknown.
func years(t, today time.Time) string {
	n := today.Year() - t.Year()
	if t.AddDate(n, 0, 0).After(today) {
		n--
	}
	switch {
	case today.IsZero() || n < 0 || n > 150:
		return ""
	case n == 0:
		return "menos de 1\u00a0ano"
	}
	return web.Plural(n, "ano", "anos")
}

func (s *sheet) code(x string) cell {
	c := s.text(x)
	if c.Kind == "text" {
		c.Kind = "doc"
	}
	return c
}

// text takes a text out of what the page may still show.
func (s *sheet) text(x string) cell {
	if strings.TrimSpace(x) == "" {
		return cell{Kind: "none"}
	}
	limit := min(cellText, max(s.left, 1))
	shown := web.Shorten(limit, x)
	s.left -= len([]rune(shown))
	return cell{Kind: "text", Text: shown, Cut: shown != x}
}

// number writes a JSON number as people in Brazil do.
func number(format catalog.Format, text string) string {
	switch format {
	case catalog.Reais:
		return "R$\u00a0" + decimal(text, 2)
	case catalog.Percent:
		return decimal(text, 0) + "%"
	case catalog.Year:
		return text
	}
	return decimal(text, 0)
}

// decimal writes a JSON number with points and a comma; one with an exponent stays as it is.
func decimal(text string, least int) string {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	if strings.ContainsAny(rest, "eE") {
		return text
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if len(fraction) > least {
		fraction = strings.TrimRight(fraction, "0")
	}
	for len(fraction) < least {
		fraction += "0"
	}
	if fraction != "" {
		fraction = "," + fraction
	}
	return sign + web.Grouped(whole) + fraction
}

func plainText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	}
	return ""
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

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
	// Note is shown beside the text: the code of an activity, or how many years ago a day is.
	Note string
	ISO  string
	List []cell
	// Percent is a score's position on the scale.
	Percent int
	// Cut says that the text was shortened.
	Cut bool
}

// cell makes a value readable, by its format or else its type.
func (s *drawing) cell(f catalog.Field, v any) cell {
	switch x := v.(type) {
	case nil:
		return cell{Kind: "none"}
	case bool:
		return cell{Kind: "text", Text: map[bool]string{true: "Sim", false: "Não"}[x]}
	case json.Number:
		if f.Format == catalog.Score {
			return s.score(x)
		}
		return s.text(f.Format.Number(x.String()))
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

func (s *drawing) list(f catalog.Field, values []any) cell {
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

func (s *drawing) activity(v map[string]any) cell {
	name, code := catalog.Plain(v["descricao"]), catalog.Plain(v["codigo"])
	if name == "" {
		return s.text(code)
	}
	out := s.text(name)
	out.Note = web.Shorten(40, catalog.ActivityCode(code))
	return out
}

// score places a number on the scale of scores; one off the scale is shown as a plain number.
func (s *drawing) score(x json.Number) cell {
	out := s.text(catalog.Score.Number(x.String()))
	n, err := x.Float64()
	if percent, on := catalog.ScorePercent(n); err == nil && on {
		out.Kind, out.Percent = "score", percent
	}
	return out
}

func (s *drawing) string(f catalog.Field, x string) cell {
	if f.Kind == catalog.Date {
		if t, err := time.Parse(time.DateOnly, x); err == nil {
			return cell{Kind: "date", Text: t.Format("02/01/2006"), ISO: x, Note: s.age(f, t)}
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
func (s *drawing) identity(x string) cell {
	if d, err := document.Normalize(document.CPF, x); err == nil {
		return cell{Kind: "doc", Text: d.Masked()}
	}
	if d, err := document.Normalize(document.CNPJ, x); err == nil {
		return cell{Kind: "doc", Text: web.Masked(d)}
	}
	return s.code(catalog.MaskedIdentity(x))
}

// age is how many years ago a person or a company was born; empty for another day, or where today is unknown.
func (s *drawing) age(f catalog.Field, day time.Time) string {
	switch n, ok := f.AgeIn(day, s.today); {
	case !ok || s.today.IsZero():
		return ""
	case n == 0:
		return "menos de 1\u00a0ano"
	default:
		return web.Plural(n, "ano", "anos")
	}
}

func (s *drawing) code(x string) cell {
	c := s.text(x)
	if c.Kind == "text" {
		c.Kind = "doc"
	}
	return c
}

// text takes a text out of what the page may still show.
func (s *drawing) text(x string) cell {
	if strings.TrimSpace(x) == "" {
		return cell{Kind: "none"}
	}
	limit := min(cellText, max(s.left, 1))
	shown := web.Shorten(limit, x)
	s.left -= len([]rune(shown))
	return cell{Kind: "text", Text: shown, Cut: shown != x}
}

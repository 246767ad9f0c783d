package app

import (
	"encoding/base64"
	"strconv"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/lookup"
)

// chosenLines is what a statement's query asks for, read and checked.
type chosenLines struct {
	filter lookup.Filter
	after  string // the id that the page comes after
	limit  int
}

// parse reads a query. Fault: InvalidRequest with the parameter at fault.
func (s *Statement) parse(q StatementQuery) (c chosenLines, err error) {
	if c.limit, err = pageLimit(q.Limit); err != nil {
		return c, err
	}
	if c.after, err = pageCursor(q.Cursor); err != nil {
		return c, err
	}
	if err := s.period(q, &c.filter); err != nil {
		return c, err
	}
	switch q.Cache {
	case "":
	case "true", "false":
		cached := q.Cache == "true"
		c.filter.Cache = &cached
	default:
		return c, invalid("cache", "O parâmetro cache é true ou false.")
	}
	if c.filter.Product = q.Product; q.Product != "" && !catalog.ValidID(q.Product) {
		return c, invalid("produto", "O parâmetro produto é o id de um produto, como cpf; GET /api/v1/produtos os lista.")
	}
	return c, nil
}

func pageLimit(sent string) (int, error) {
	if sent == "" {
		return pageDefault, nil
	}
	n, err := strconv.Atoi(sent)
	if err != nil || n < 1 || n > pageMax {
		return 0, invalid("limite", "O parâmetro limite vai de 1 a 200.")
	}
	return n, nil
}

func pageCursor(sent string) (after string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(sent)
	if after = string(raw); err != nil || sent != "" && !validID(after) {
		return "", invalid("cursor", "O cursor não é um que esta API tenha dado: use o valor de proxima da página anterior.")
	}
	return after, nil
}

// period reads the days that a query names, the last one inclusive.
func (s *Statement) period(q StatementQuery, f *lookup.Filter) (err error) {
	if q.From != "" {
		if f.From, err = s.calendar.StartOf(q.From); err != nil {
			return invalid("de", "O parâmetro de é uma data, como 2026-11-01.")
		}
	}
	if q.Until != "" {
		last, err := time.Parse(time.DateOnly, q.Until)
		if err != nil {
			return invalid("ate", "O parâmetro ate é uma data, como 2026-11-30.")
		}
		if f.Until, err = s.calendar.StartOf(last.AddDate(0, 0, 1).Format(time.DateOnly)); err != nil {
			return invalid("ate", "O parâmetro ate está fora do calendário.")
		}
	}
	if q.From != "" && q.Until != "" && !f.From.Before(f.Until) {
		return invalid("ate", "O parâmetro ate é anterior a de.")
	}
	return nil
}

package lookups

import (
	"cmp"
	"encoding/base64"
	"fmt"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// chosenLines is a statement's query, read and checked.
type chosenLines struct {
	filter lookup.Filter
	after  string // the id that the page comes after
	limit  int
}

// parse reads a query. Fault: InvalidRequest with the parameter at fault.
func (s *Statement) parse(q StatementQuery) (c chosenLines, err error) {
	c.limit = min(cmp.Or(q.Limit, pageDefault), pageMax)
	c.filter = lookup.Filter{Product: q.Product, Purpose: q.Purpose, Cache: q.Cache}
	switch {
	case q.Limit < 0:
		return c, app.Invalid("limite", fmt.Sprintf("O limite vai de 1 a %d.", pageMax))
	case q.Product != "" && !catalog.ValidID(q.Product):
		return c, app.Invalid("produto", "O parâmetro produto deve ser o código de um produto, como cpf.")
	case q.Purpose != "" && !crm.ValidPurposeCode(q.Purpose):
		return c, app.Invalid("finalidade", "O parâmetro finalidade deve ser o código de uma finalidade, como credito.")
	}
	if c.after, err = PageCursor(q.Cursor); err != nil {
		return c, err
	}
	err = s.period(q, &c.filter)
	return c, err
}

// PageCursor checks where a page of the statement continues. Fault: InvalidRequest.
func PageCursor(sent string) (after string, err error) {
	raw, err := base64.RawURLEncoding.DecodeString(sent)
	if after = string(raw); err != nil || sent != "" && !app.ValidID(after) {
		return "", app.WrongCursor()
	}
	return after, nil
}

// period reads the days that a query names, the last one inclusive.
func (s *Statement) period(q StatementQuery, f *lookup.Filter) (err error) {
	if q.From != "" {
		if f.From, err = s.calendar.StartOf(q.From); err != nil {
			return app.Invalid("de", "O parâmetro de deve ser uma data entre 2000 e 9998, como 2026-11-01.")
		}
	}
	if q.Until != "" {
		last, err := s.calendar.StartOf(q.Until)
		if err != nil {
			return app.Invalid("ate", "O parâmetro ate deve ser uma data entre 2000 e 9998, como 2026-11-30.")
		}
		f.Until = s.calendar.NextDay(last)
	}
	if q.From != "" && q.Until != "" && !f.From.Before(f.Until) {
		return app.Invalid("ate", "O parâmetro ate é anterior a de.")
	}
	return nil
}

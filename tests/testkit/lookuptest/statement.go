package lookuptest

import (
	"encoding/json"
	"net/http"
	"time"

	"fichario/tests/testkit"
)

// Entry is an entry of a statement.
type Entry struct {
	ID, Produto, Documento, Situacao string
	Finalidade                       string
	Cache, Cobrada                   bool
	Valor                            json.Number
	Em                               time.Time
}

// Amounts are the amounts charged.
type Amounts struct{ Hoje, Mes, Total json.Number }

// Counts count charges.
type Counts struct{ Hoje, Mes, Total int }

// Limits are the limits of a key.
type Limits struct{ Minuto, Dia, Mes int }

// Statement is a key's statement, with up to 200 entries.
type Statement struct {
	Gasto    Amounts
	Cobradas Counts
	Limites  Limits
	Chave    struct {
		ID, Nome, Prefixo string
		Escopos           []string
	}
	Consultas []Entry
	Proxima   *string
}

// Statement reads a key's statement.
func (s *Service) Statement(key string) Statement {
	s.tb.Helper()
	return s.StatementAt("/api/v1/consultas?limite=200", key)
}

// StatementAt reads a key's statement at a path with a query.
func (s *Service) StatementAt(path, key string) Statement {
	s.tb.Helper()
	a := s.Get(path, key)
	if a.Status != http.StatusOK {
		s.tb.Fatalf("statement: %d %s", a.Status, a.Body)
	}
	return testkit.JSON[Statement](s.tb, string(a.Body))
}

// Charged counts the charged entries by their outcome, and all others as "livre".
func (s Statement) Charged() map[string]int {
	n := map[string]int{}
	for _, e := range s.Consultas {
		if e.Cobrada {
			n[e.Situacao]++
		} else {
			n["livre"]++
		}
	}
	return n
}

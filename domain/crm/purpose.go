package crm

import (
	"regexp"
	"slices"
	"time"
)

// Purpose is what an organisation looks people up for, with the legal basis that allows it (LGPD, art. 6, I, and
// art. 7; design, section 14).
type Purpose struct {
	// ID is a UUIDv7.
	ID, OrgID string
	// Code is what requests state and lookups record; it never changes.
	Code string
	Name string
	// Basis is the legal basis.
	Basis Basis
	// Roles are those whose members may use the purpose; empty for all.
	Roles     []Role
	CreatedAt time.Time
	// RetiredAt is when it was retired: lookups can no longer state it. Zero while it is in force.
	RetiredAt time.Time
}

// InForce reports whether lookups may state the purpose.
func (p Purpose) InForce() bool { return p.RetiredAt.IsZero() }

// For reports whether members of a role may use the purpose.
func (p Purpose) For(r Role) bool { return len(p.Roles) == 0 || slices.Contains(p.Roles, r) }

// Basis is a legal basis of LGPD, art. 7.
type Basis string

// ConsentBasis is the consent of the person (art. 7, I).
const ConsentBasis Basis = "consentimento"

// bases are those of art. 7, in its order.
var bases = []struct {
	basis Basis
	name  string
}{
	{ConsentBasis, "Consentimento do titular (art. 7º, I)"},
	{"obrigacao_legal", "Obrigação legal ou regulatória (art. 7º, II)"},
	{"politicas_publicas", "Execução de políticas públicas (art. 7º, III)"},
	{"estudos", "Estudos por órgão de pesquisa (art. 7º, IV)"},
	{"execucao_de_contrato", "Execução de contrato (art. 7º, V)"},
	{"exercicio_de_direitos", "Exercício regular de direitos em processo (art. 7º, VI)"},
	{"protecao_da_vida", "Proteção da vida (art. 7º, VII)"},
	{"tutela_da_saude", "Tutela da saúde (art. 7º, VIII)"},
	{"legitimo_interesse", "Legítimo interesse (art. 7º, IX)"},
	{"protecao_do_credito", "Proteção do crédito (art. 7º, X)"},
}

// Bases returns all legal bases, in the order of the law.
func Bases() []Basis {
	out := make([]Basis, len(bases))
	for i, b := range bases {
		out[i] = b.basis
	}
	return out
}

// Valid reports whether b is one of Bases.
func (b Basis) Valid() bool { return slices.Contains(Bases(), b) }

// Name is the basis in Portuguese, with its place in the law.
func (b Basis) Name() string {
	for _, one := range bases {
		if one.basis == b {
			return one.name
		}
	}
	return string(b)
}

var purposeCode = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`)

// ValidPurposeCode reports whether a text can be the code of a purpose: at most 40 lower-case letters without accents,
// digits, _ and -.
func ValidPurposeCode(s string) bool { return purposeCode.MatchString(s) }

package intake

import (
	"strings"

	"fichario/domain/intake/names"
)

// naming is the vocabulary's result for a title or a key.
type naming struct {
	entry entry
	again bool // it is the second of its kind ("email_2")
	known bool // it was looked up
}

// againPenalty ranks "email_2" after every "email".
const againPenalty = 20

func (n naming) penalty() int8 {
	penalty := 10 - n.entry.preference
	if n.again {
		penalty += againPenalty
	}
	return penalty
}

// namedByTitle and namedByKey look the names of the answer up, once.
func (q *candidate) namedByTitle() naming {
	if q.title != "" && !q.found.byTitle.known {
		q.found.byTitle = q.named(q.title)
		q.found.byTitle.known = true
	}
	return q.found.byTitle
}

func (q *candidate) namedByKey() naming {
	if q.key != "" && q.key != q.title && !q.found.byKey.known {
		q.found.byKey = q.named(q.key)
		q.found.byKey.known = true
	}
	return q.found.byKey
}

// named looks up a name of the answer together with the unknown objects around it: "name" inside "company" is "company
// name".
func (q *candidate) named(name string) naming {
	if q.prefix == "" || name == q.title {
		return q.alias(name)
	}
	if n, ok := q.namedByAround(name); ok {
		return n
	}
	if n := namingOf(q.prefix + " " + name); n.entry.field != noField {
		return n
	}
	n := q.alias(name)
	if q.plainEnough(n.entry) || q.ownOrigin(name) {
		return n
	}
	if n.entry.field != noField && namingOf(q.prefix).entry.field == n.entry.field {
		return n // {"valor": {"amount": …}}
	}
	return naming{}
}

// namedByAround looks up a key that means nothing without the objects around it.
func (q *candidate) namedByAround(key string) (naming, bool) {
	var n naming
	switch names.Of(key) {
	case "value", "text", "answer", "raw", "":
		n = namingOf(q.prefix)
		return n, n.entry.field != noField
	case "name", "nome":
		// An object that stands for an origin is named like the origin.
		thing := q.prefix[strings.LastIndexByte(q.prefix, ' ')+1:]
		n = namingOf(thing)
		return n, n.entry.field == fieldOrigin && (!n.entry.weak || names.Of(thing) == "origin")
	case "number", "numero", "address", "endereco":
		n = namingOf(q.prefix)
		return n, n.entry.field == fieldPhone || n.entry.field == fieldEmail
	}
	return n, false
}

// plainEnough reports whether a key counts inside objects that no table knows. Names of e-mails and phones do anywhere;
// the names of other fields do in a deal.
func (q *candidate) plainEnough(e entry) bool {
	switch e.field {
	case fieldEmail, fieldPhone, fieldFirst, fieldLast, fieldArea, fieldCountry:
		return true
	case fieldCompany:
		return q.deal && !e.weak
	case fieldAmount, fieldMessage, fieldOrigin:
		return q.deal
	}
	return false
}

// ownOrigin reports whether a key is exactly the contract's own name of the origin, and the objects around it are
// nothing that has an origin itself. The other own names are read there by the words of titles, where this one would
// also match "País de origem".
func (q *candidate) ownOrigin(name string) bool {
	if name != fieldNames[fieldOrigin] || q.another || q.saysNotTheirs() ||
		names.HasAny(names.Words(q.prefix), withOrigins) {
		return false
	}
	for i := range q.answers {
		if a := &q.answers[i]; a.group == q.group && bookedRoute[names.Of(a.key)] {
			return false
		}
	}
	return true
}

// withOrigins are things that have an origin of their own, and what a program keeps beside a record. bookedRoute is
// what stands beside the origin of a journey.
var (
	withOrigins = names.Set(`
		produto produtos product products item items itens material mercadoria cafe viagem trip travel voo flight frete
		shipping envio entrega delivery rota route trajeto percurso passagem transporte mudanca carga transfer corrida
		endereco address cidade city pais country pet cachorro gato animal mae pai filho filha familia imovel veiculo carro
		recurso recursos capital pagamento payment nota estoque metadata`)
	bookedRoute = names.Set(`destino destination`)
)

// alias is namingOf for a name whose entry was looked up when it arrived.
func (q *candidate) alias(name string) naming {
	if q.entry.field != noField && (name == q.title || q.title == "") {
		return naming{entry: q.entry}
	}
	if name == q.key && q.title == "" && plainKey(name) {
		return naming{entry: inOnePiece(name)} // a plain key has no other form
	}
	return namingOf(name)
}

// namingOf looks up a name on its own; the zero value says that it names no field.
func namingOf(name string) naming {
	e, again, ok := aliasOf(name)
	if !ok {
		return naming{}
	}
	return naming{entry: e, again: again}
}

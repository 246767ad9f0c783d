package intake

import (
	"slices"
	"strings"

	"fichario/domain/document"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// maxDocuments bounds the documents of a contact; further ones stay in the note.
const maxDocuments = 10

// documentWords name a CPF or a CNPJ, in a title, a key or the type of a form's field.
var documentWords = names.Set(`
	cpf cpfs cnpj cnpjs cpfcnpj cnpjcpf cpfoucnpj cpfecnpj documento documentos doc document documentnumber
	documment documents documentonumero numerodocumento numdocumento taxid taxnumber taxidnumber taxidentifier
	vatnumber fiscalnumber
	identification identificacao identificationnumber federaltaxnumber inscricaofederal registrofederal docnumber
	brcpf brcnpj taxids taxvat registrycode nin nationalid`)

// documentPairs are words that together name a document: "tax_id". "numero do documento" has a word of its own.
var documentPairs = names.Set(`tax id vat fiscal federal identification identificacao`)

// otherPeople are words for people whose document is not the contact's, unless the contact's address stands beside it.
var otherPeople = names.Set(relationWords + strangerWords + `
	vendedora corretor corretora agente consultor afiliado affiliate producer produtor responsavel parceiro host
	socios transporte transportadora carrier emitente prestador prestadora fornecedor cedente`)

// findDocuments sets the answers apart that hold documents by their names, before the rules take one for a phone.
func (r *reader) findDocuments() {
	for i := range r.answers {
		a := &r.answers[i]
		a.isDocument = maybeDocument(a) && a.namesDocument() && len(a.documents()) > 0
		a.taken = a.taken || a.isDocument
	}
}

// takeDocuments gives the contact the documents that are the contact's own; the other answers stay as they are.
func (c *chooser) takeDocuments(d *Draft) {
	var from []Source
	for i := range c.answers {
		a := &c.answers[i]
		if !a.isDocument {
			continue
		}
		found := a.documents()
		fresh := slices.DeleteFunc(slices.Clone(found), func(doc document.Document) bool {
			return slices.Contains(d.Documents, doc)
		})
		if len(d.Documents)+len(fresh) > maxDocuments || !c.ownDocument(d, a, found) {
			a.taken = false
			continue
		}
		if len(fresh) > 0 {
			from = append(from, Source{fieldDocuments, text.Cut(text.OneLine(text.Clean(a.name())), tree.MaxKeyText)})
		}
		d.Documents = append(d.Documents, fresh...)
	}
	if len(from) > 0 {
		d.Fields = append(from, d.Fields...)
	}
}

// ownDocument reports whether a document is the contact's and not that of another party of the post: of whoever has
// another address, or of a person with another name. Who pays may be somebody else.
func (c *chooser) ownDocument(d *Draft, a *answer, found []document.Document) bool {
	switch {
	case c.ofContact(a):
		return true
	case a.namesOtherPeople(c.aroundOnly(a)), c.besideForeignAddress(a), c.ofOtherParty(a):
		return false
	case names.HasAny(names.Words(a.holder()), houseWords) && !ofOwnCompany(a) && c.outsideLead(a):
		return false // of the shop, beside its customer
	case found[0].Type() == document.CNPJ && ownerIn(a.name()) == "" && c.outsideLead(a) && c.hasPlace(a.group):
		return false // likewise, as "cnpj" beside "nome_concessionaria" and "nome_cliente"
	case found[0].Type() != document.CPF || names.HasAny(names.Words(a.prefix), payingWords):
		return true
	}
	return !c.besideForeignName(d, a)
}

// namesOtherPeople reports whether the title, the key or the keys around an answer have a word for other people.
func (a *answer) namesOtherPeople(around string) bool {
	return names.HasAny(names.Words(join(a.title, a.key, around)), otherPeople)
}

// aroundOnly returns the keys around an answer but for the outermost that stand around the contact's address, too: they
// are those of the form.
func (c *chooser) aroundOnly(a *answer) string {
	email := c.best[fieldEmail].answer
	if email == nil || a.group == email.group {
		return a.prefix
	}
	theirs, mine := strings.Fields(a.prefix), strings.Fields(email.prefix)
	common := 0
	for common < min(len(theirs), len(mine)) && theirs[common] == mine[common] {
		common++
	}
	if common == len(theirs) {
		return a.prefix // the record of the address is inside this one, or beside it in a list
	}
	return strings.Join(theirs[common:], " ")
}

// fieldDocuments is the contract's word.
const fieldDocuments = "documentos"

// maybeDocument is a cheap test of whether an answer may hold one.
func maybeDocument(a *answer) bool {
	v := a.values[0]
	return !a.logical && !a.taken && len(v) >= 8 && len(v) <= 400 &&
		names.CountDigits(v) >= 2 && strings.IndexByte(v, '@') < 0
}

// namesDocument reports whether the title, the key, the keys around it or the type of the form's field says that the
// answer is a document.
func (a *answer) namesDocument() bool {
	around := names.Words(a.prefix)
	name := names.Words(join(a.title, a.key))
	if a.closed && !names.HasAny(around, payingWords) {
		return false
	}
	if a.typ == documentType || names.HasAny(name, documentWords) || namesTogether(a.key) || namesTogether(a.title) ||
		inOnePieceDocument(a.key) {
		return true
	}
	switch names.Of(a.key) {
	case "number", "numero", "value", "valor", "text", "":
		return names.HasAny(around, documentWords)
	}
	return a.title == "" && writtenAsDocument(a.text())
}

// writtenAsDocument reports whether a value has the marks of a CPF or a CNPJ, which nothing else is written with.
func writtenAsDocument(s string) bool {
	switch len(s) {
	case len("529.982.247-25"):
		return s[3] == '.' && s[7] == '.' && s[11] == '-'
	case len("11.222.333/0001-81"):
		return s[2] == '.' && s[6] == '.' && s[10] == '/' && s[15] == '-'
	}
	return false
}

// payingWords name the buyer, whose documents stand in objects that say nothing else about the contact.
var payingWords = names.Set(`payer pagador payment payments pagamento billing cobranca charge cardholder holder titular`)

// namesTogether: "tax_id", "taxId", "cpf/cnpj".
func namesTogether(name string) bool {
	if name == "" || len(name) > 60 {
		return false
	}
	if documentWords[names.Of(name)] {
		return true
	}
	parts := names.Words(name)
	for i := 1; i < len(parts); i++ {
		if documentPairs[parts[i-1]] && documentWords[parts[i-1]+parts[i]] {
			return true
		}
	}
	return false
}

// inOnePieceDocument reports whether a key is the name of a document joined to a word that says nothing of whose it is:
// "txtcpf", "cnpjpj".
func inOnePieceDocument(key string) bool {
	if len(key) > 30 {
		return false
	}
	name := names.Of(key)
	for _, doc := range [...]string{"cpfcnpj", "cnpjcpf", "cpf", "cnpj"} {
		if before, after, ok := strings.Cut(name, doc); ok && (before == "" || after == "") {
			rest := before + after
			return lookup(rest).leading || rest == "pj" || rest == "pf" || rest == "num"
		}
	}
	return false
}

// documents returns those of an answer, or none when a part of it is something else.
func (a *answer) documents() []document.Document {
	var out []document.Document
	for _, value := range a.values {
		for part := range strings.FieldsFuncSeq(value, func(r rune) bool { return strings.ContainsRune(",;|\n", r) }) {
			if part = strings.TrimSpace(part); part == "" {
				continue
			}
			d, ok := documentIn(part, a.number != "")
			if !ok {
				return nil
			}
			if !slices.Contains(out, d) {
				out = append(out, d)
			}
		}
	}
	return out
}

// documentIn reads a CPF or CNPJ with valid check digits. A number has lost its leading zeros, and may have been
// written as an amount.
func documentIn(s string, number bool) (document.Document, bool) {
	if number {
		whole, ok := wholeNumber(strings.TrimPrefix(s, "'"))
		if !ok {
			return document.Document{}, false
		}
		s = whole
	}
	typed := document.Recognise(s)
	if t := typed.Type; (t == document.CPF || t == document.CNPJ) && !typed.Document.IsZero() {
		return typed.Document, true
	}
	if !number || names.CountDigits(s) != len(s) {
		return document.Document{}, false
	}
	for _, t := range []document.Type{document.CPF, document.CNPJ} {
		want := 11
		if t == document.CNPJ {
			want = 14
		}
		if lost := want - len(s); lost > 0 && lost <= 3 {
			if d, err := document.Parse(t, strings.Repeat("0", lost)+s); err == nil {
				return d, true
			}
		}
	}
	return document.Document{}, false
}

// saidByDocument reports whether an answer without a question's title repeats a document that the contact has.
func saidByDocument(d *Draft, a *answer) bool {
	if len(d.Documents) == 0 || a.labelled || !maybeDocument(a) || !maybeMirror(a, a.text()) {
		return false
	}
	found := a.documents()
	for _, doc := range found {
		if !slices.Contains(d.Documents, doc) {
			return false
		}
	}
	return len(found) > 0
}

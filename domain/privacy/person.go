package privacy

import (
	"maps"
	"slices"
	"strings"
	"time"

	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/intake"
	"fichario/domain/text"
	"fichario/domain/webhook"
)

// Person is the subject of an export or erasure in one organisation: their identities, and the contacts about them.
type Person struct {
	OrgID string
	// Identities belong to this person alone: those asked for, and the e-mail addresses and CPF of their contacts.
	Identities []Identity
	// Phones and Names come from their contacts. A household may share a phone, so it counts only with one of the names.
	Phones []Identity
	Names  []string
	// Marks are bytes that occur only in what was erased: names and addresses in clear, and the beginnings of encrypted
	// values. While the files of the database still hold one, the erasure is not done.
	Marks [][]byte
	// Contacts are about the person. Parts are about others and only hold one of the person's documents.
	Contacts, Parts []string
	// Emptied are the numbers of the lines of the audit that lost their details, in ascending order. They are kept here
	// because this is sealed: what the lines say of themselves can be written by whoever has the database.
	Emptied []int64
	// Told says whom what is erased was passed on to.
	Told []PassedOn
	// RunsUntil is until when attempts of runs that were erased may still be made.
	RunsUntil time.Time
}

// Add adds an identity, and reports whether it is new.
func (p *Person) Add(i Identity) bool {
	if slices.Contains(p.Identities, i) {
		return false
	}
	p.Identities = append(p.Identities, i)
	return true
}

// Knows reports whether an identity belongs to the person.
func (p *Person) Knows(i Identity) bool { return slices.Contains(p.Identities, i) }

// Mentions reports whether a text names the person, in whatever encoding (see readings): by an identity, or by a phone
// and a name together.
func (p *Person) Mentions(s string) bool {
	for reading := range readings(s) {
		if p.named(reading) {
			return true
		}
	}
	return false
}

// named is Mentions for one reading.
func (p *Person) named(s string) bool {
	folded := fold(s)
	has := func(i Identity) bool { return i.mentions(folded) }
	if slices.ContainsFunc(p.Identities, has) {
		return true
	}
	if !slices.ContainsFunc(p.Phones, has) {
		return false
	}
	said := foldName(strings.ReplaceAll(folded, "+", " ")) // a form's space
	// A short one is part of many words.
	return slices.ContainsFunc(p.Names, func(name string) bool { return len(name) > 3 && strings.Contains(said, name) })
}

// Posted reports whether a post names the person: its headers, its body, or what its body is read as, such as a name or
// a number that comes in parts.
func (p *Person) Posted(d webhook.Delivery) bool {
	headers := make([]string, 0, 2*len(d.Headers))
	for _, h := range d.Headers {
		headers = append(headers, h.Key, h.Value)
	}
	if p.Mentions(string(d.Body)) || p.Mentions(strings.Join(headers, "\n")) {
		return true
	}
	if d.ContactID != "" || d.Truncated { // its contact has the rest; what is not whole is not read
		return false
	}
	drafts, err := intake.ReadAll(intake.Options{}, d.Header("content-type"), d.Body)
	return err == nil && slices.ContainsFunc(drafts, func(draft intake.Draft) bool { return p.named(textOf(draft)) })
}

// textOf is what a draft says of its person; the other fields stand in the body as they are.
func textOf(d intake.Draft) string {
	said := []string{d.Email, d.Name, d.Phone, d.PhoneE164}
	for _, one := range d.Documents {
		said = append(said, one.Value())
	}
	return strings.Join(said, "\n")
}

// own returns the documents that say whom a contact is about: its CPFs or, if it has none, its CNPJs.
func own(c crm.Contact) (out []Identity) {
	for _, t := range []Type{CPF, CNPJ} {
		for _, d := range c.Documents {
			if i, ok := OfDocument(d); ok && i.Type == t {
				out = append(out, i)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// Is reports whether a contact found by an identity is about the person. It is not if the identity is a document among
// others', such as a partner's; nor if the contact has a CPF, the person's CPF is known, and they differ.
func (p *Person) Is(c crm.Contact, by Identity) bool {
	if by.IsDocument() && by.Type != Email {
		mine := own(c)
		return len(mine) == 1 && mine[0] == by
	}
	return !p.IsOther(c)
}

// Take adds a contact about the person and the identities that it gives; it returns those that are new.
func (p *Person) Take(c crm.Contact) (found []Identity) {
	if slices.Contains(p.Contacts, c.ID) {
		return nil
	}
	p.Contacts = append(p.Contacts, c.ID)
	p.Parts = slices.DeleteFunc(p.Parts, func(id string) bool { return id == c.ID })
	// An address that merely has an @ may be part of anybody's.
	if i, err := ByEmail(c.Email); err == nil && wholeAddress(i) && p.Add(i) {
		found = append(found, i)
	}
	if mine := own(c); len(mine) == 1 && mine[0].Type == CPF && p.Add(mine[0]) {
		found = append(found, mine[0])
	}
	if phone := (Identity{Phone, c.PhoneE164}); c.PhoneE164 != "" && !p.Knows(phone) && !slices.Contains(p.Phones, phone) {
		p.Phones = append(p.Phones, phone)
	}
	if name := text.Fold(c.Name); name != "" && !slices.Contains(p.Names, name) {
		p.Names = append(p.Names, name)
	}
	return found
}

func wholeAddress(i Identity) bool {
	_, err := document.Normalize(document.Email, i.Value)
	return err == nil
}

// TakePart adds a contact about somebody else that has a document of the person.
func (p *Person) TakePart(id string) {
	if !slices.Contains(p.Contacts, id) && !slices.Contains(p.Parts, id) {
		p.Parts = append(p.Parts, id)
	}
}

// Named reports whether a contact has one of the person's names.
func (p *Person) Named(c crm.Contact) bool { return p.Called(c.Name) }

// Called reports whether a name is one of the person's.
func (p *Person) Called(name string) bool { return slices.Contains(p.Names, text.Fold(name)) }

// Happened reports whether an entry in another contact's history names the person. The two contacts of a merge are
// named in both histories, by name alone, and that they were parted leaves nothing else to tell who is meant.
func (p *Person) Happened(e crm.Event) bool { return p.Mentions(e.Subject) || p.mergedWith(e) }

func (p *Person) mergedWith(e crm.Event) bool {
	return (e.Kind == crm.Merged || e.Kind == crm.Parted) && e.Subject != crm.NoName && p.Called(e.Subject)
}

// RedactEvent is the subject of another contact's entry without the person; empty where it was their name.
func (p *Person) RedactEvent(e crm.Event) string {
	if p.mergedWith(e) {
		return ""
	}
	return p.Redact(e.Subject)
}

// redacted stands where something was taken out of a text.
const redacted = "[apagado]"

// Redact removes the person's documents, addresses and numbers from a text about others: each by itself or, where it is
// encoded, with its line.
func (p *Person) Redact(s string) string {
	out := p.redact(s, p.Knows)
	if p.Mentions(out) {
		out = p.redact(out, func(i Identity) bool { return slices.Contains(p.Phones, i) })
	}
	if !p.Mentions(out) {
		return out
	}
	lines := strings.Split(out, "\n")
	for n, line := range lines {
		if p.Mentions(line) {
			lines[n] = redacted
		}
	}
	if out = strings.Join(lines, "\n"); p.Mentions(out) {
		return redacted
	}
	return out
}

func (p *Person) redact(s string, his func(Identity) bool) string {
	s = addresses.ReplaceAllStringFunc(s, func(found string) string {
		if i, err := ByEmail(strings.Trim(found, ".")); err == nil && his(i) {
			return redacted
		}
		return found
	})
	return p.cut(s, his)
}

// mayBe reports whether one of the person's identities may be found in a number: almost none of a text's can be theirs,
// and a transaction waits.
func (p *Person) mayBe(number string) bool {
	may := func(i Identity) bool { return i.mayBe(number) }
	return slices.ContainsFunc(p.Identities, may) || slices.ContainsFunc(p.Phones, may)
}

// cut replaces the person's numbers alone, also within a row of others'.
func (p *Person) cut(s string, his func(Identity) bool) string {
	var out strings.Builder
	upper, done := upperASCII(s), 0
	for _, at := range runs.FindAllStringIndex(upper, -1) {
		for start, number := range numbersIn(upper[at[0]:at[1]]) {
			if start += at[0]; start < done || !p.mayBe(number) {
				continue
			}
			of, found := strings.TrimLeft(number, " ./-)"), false
			start += len(number) - len(of)
			findNumber(of, func(i Identity, ok bool) { found = found || ok && his(i) })
			if !found {
				continue
			}
			out.WriteString(s[done:start] + redacted)
			if done = start + len(of); done < len(s) && extends(upper, done) {
				out.WriteByte(' ')
			}
		}
	}
	return out.String() + s[done:]
}

// upperASCII keeps every byte in its place.
func upperASCII(s string) string {
	upper := []byte(s)
	for i, c := range upper {
		if c >= 'a' && c <= 'z' {
			upper[i] = c - 'a' + 'A'
		}
	}
	return string(upper)
}

// Share parts short values, such as the inputs of a question: his are those that name the person, rest is all of them
// with those of the person taken out. his is nil for none.
func (p *Person) Share(values map[string]string) (his, rest map[string]string) {
	rest = maps.Clone(values)
	for name, value := range values {
		// FindIn too: an index of whom a value names is made with it.
		if !slices.ContainsFunc(FindIn(value), p.Knows) && !p.Mentions(value) {
			continue
		}
		if his == nil {
			his = map[string]string{}
		}
		his[name], rest[name] = value, redacted
	}
	return his, rest
}

// Passages returns the lines of a text that name the person, or the text itself where no single line does.
func (p *Person) Passages(s string) (out []string) {
	if !p.Mentions(s) {
		return nil
	}
	for line := range strings.SplitSeq(s, "\n") {
		if p.Mentions(line) {
			out = append(out, line)
		}
	}
	if out == nil {
		out = []string{s}
	}
	return out
}

package crm

import (
	"slices"
	"strings"

	"fichario/domain/catalog"
)

// NoName is what a contact without a name is called (specification, 2.5).
const NoName = "Lead sem nome"

// DocumentsMax is how many documents a contact has at most.
const DocumentsMax = 10

// Merge returns a contact combined with another one. Empty fields are filled from the other; where the two differ, the
// contact keeps its value, and the other's is added to its note, with the other's note. originOf names an origin by its
// id.
func Merge(into, from Contact, originOf func(string) string) Contact {
	var m merge
	if into.Name == NoName {
		into.Name = from.Name
	} else if from.Name != NoName {
		m.fill("Nome", &into.Name, from.Name)
	}
	m.fill("E-mail", &into.Email, from.Email)
	if into.PhoneE164 == "" || into.PhoneE164 != from.PhoneE164 {
		lacks := into.Phone == ""
		if m.fill("Telefone", &into.Phone, from.Phone); lacks {
			into.PhoneE164 = from.PhoneE164
		}
	}
	m.fill("Empresa", &into.Company, from.Company)
	if into.Amount == 0 {
		into.Amount = from.Amount
	} else if from.Amount != 0 && from.Amount != into.Amount {
		m.say("Valor", from.Amount.Exact())
	}
	if into.OriginID == "" {
		into.OriginID = from.OriginID
	} else if from.OriginID != "" && from.OriginID != into.OriginID {
		m.say("Origem", originOf(from.OriginID))
	}
	m.lists(&into, from)
	into.Note = strings.Join(nonEmpty(into.Note, mergedNote(from, m.said)), "\n\n")
	return into
}

// merge collects the differing values of the other contact.
type merge struct{ said []string }

func (m *merge) say(label, value string) { m.said = append(m.said, label+": "+value) }

// fill fills an empty field, and records a differing value.
func (m *merge) fill(label string, have *string, other string) {
	if strings.TrimSpace(*have) == "" {
		*have = other
	} else if strings.TrimSpace(other) != "" && !strings.EqualFold(*have, other) {
		m.say(label, other)
	}
}

// lists merges documents and attribution.
func (m *merge) lists(into *Contact, from Contact) {
	into.Documents = slices.Clone(into.Documents)
	for _, d := range from.Documents {
		switch {
		case slices.Contains(into.Documents, d):
		case len(into.Documents) < DocumentsMax:
			into.Documents = append(into.Documents, d)
		default:
			m.say(d.Type().Label(), d.Punctuated())
		}
	}
	into.Consents = slices.Concat(into.Consents, from.Consents) // the newest of a field counts
	into.Attribution = slices.Clone(into.Attribution)
	for _, a := range from.Attribution {
		at := slices.IndexFunc(into.Attribution, func(b Attribute) bool { return b.Key == a.Key })
		if at < 0 {
			into.Attribution = append(into.Attribution, a)
		} else if into.Attribution[at].Value != a.Value {
			m.say(a.Key, a.Value)
		}
	}
}

// mergedNote is the text that the note gains from the contact that was merged into it.
func mergedNote(from Contact, said []string) string {
	if len(said) == 0 && strings.TrimSpace(from.Note) == "" {
		return ""
	}
	return strings.Join(nonEmpty(heading(from), strings.Join(said, "\n"), from.Note), "\n")
}

// headed begins the heading of what a note gained by a merge.
const headed = "Do contato unido "

func heading(from Contact) string { return headed + from.Name + ":" }

// partedNote returns a note without what the merge added to it, and what it took out if a member has changed that
// since: nobody knows whose words these are, but they stand below the name of the one who leaves.
func (r Removal) partedNote(now string) (stays, changed string) {
	whole := func(rest string) bool { return rest == "" || rest[0] == '\n' } // else its last line was written on
	if since, ok := strings.CutPrefix(now, r.After.Note); ok && whole(since) {
		return strings.TrimLeft(r.Before.Note+since, "\n"), ""
	}
	added, ok := strings.CutPrefix(r.After.Note, r.Before.Note)
	if added = strings.TrimLeft(added, "\n"); !ok || added == "" {
		return now, ""
	}
	cut := func(from, to int) string {
		return strings.Join(nonEmpty(strings.TrimRight(now[:from], "\n"), strings.TrimLeft(now[to:], "\n")), "\n\n")
	}
	if at := strings.Index(now, added); at >= 0 && whole(now[at+len(added):]) {
		return cut(at, at+len(added)), ""
	}
	at := -1
	for range 1 + strings.Count(r.Before.Note, heading(r.Contact)) { // a namesake may have been merged before
		next := strings.Index(now[at+1:], heading(r.Contact))
		if next < 0 {
			break
		}
		at += 1 + next
	}
	if at < 0 {
		return withoutLines(now, added, r.Before.Note), ""
	}
	end := at + len(headed)
	for range strings.Count(added, headed) { // those of contacts that were merged into it leave with it
		next := strings.Index(now[end:], headed)
		if next < 0 {
			end = len(now)
			break
		}
		end += next + len(headed)
	}
	if end < len(now) {
		end -= len(headed)
	}
	return cut(at, end), strings.TrimRight(now[at:end], "\n")
}

// withoutLines returns a text without the lines that another one has, unless a third has them too.
func withoutLines(s, gone, kept string) string {
	lines, stay := strings.Split(gone, "\n"), strings.Split(kept, "\n")
	left := slices.DeleteFunc(strings.Split(s, "\n"), func(line string) bool {
		return strings.TrimSpace(line) != "" && slices.Contains(lines, line) && !slices.Contains(stay, line)
	})
	return strings.Trim(strings.Join(left, "\n"), "\n")
}

func nonEmpty(all ...string) []string {
	return slices.DeleteFunc(all, func(s string) bool { return strings.TrimSpace(s) == "" })
}

// Parted returns the surviving contact without the one that was merged into it: what the merge changed is as before,
// unless somebody has changed it since. Lists and the note lose what the merge brought, whatever else has become of
// them: no document, consent or note of one person stays with another. What others brought too, which are still merged
// into it, stays.
func (r Removal) Parted(now Contact, still ...Removal) Contact {
	now.Name = back(now.Name, r.Before.Name, r.After.Name)
	now.Email = back(now.Email, r.Before.Email, r.After.Email)
	rewritten := now.PhoneE164 != "" && now.PhoneE164 == r.After.PhoneE164 && now.PhoneE164 != r.Before.PhoneE164
	if now.Phone == r.After.Phone || rewritten {
		now.Phone, now.PhoneE164 = r.Before.Phone, r.Before.PhoneE164
	}
	now.Company = back(now.Company, r.Before.Company, r.After.Company)
	now.Amount = back[catalog.Money](now.Amount, r.Before.Amount, r.After.Amount)
	now.OriginID = back(now.OriginID, r.Before.OriginID, r.After.OriginID)
	now.Waiting = back(now.Waiting, r.Before.Waiting, r.After.Waiting)
	own := r.Before
	for _, other := range still {
		own.Documents = slices.Concat(own.Documents, other.Contact.Documents)
		own.Consents = slices.Concat(own.Consents, other.Contact.Consents)
		own.Attribution = slices.Concat(own.Attribution, other.Contact.Attribution)
	}
	now.Documents = parted(now.Documents, own.Documents, r.After.Documents, same)
	now.Consents = parted(now.Consents, own.Consents, r.After.Consents, Consent.equal)
	now.Attribution = parted(now.Attribution, own.Attribution, r.After.Attribution, same)
	now.Note, _ = r.partedNote(now.Note)
	return now
}

// Through returns a merge as it parts a contact into which the other one of it was merged later: what that one had of
// its own before, it keeps.
func (r Removal) Through(own Contact) Removal {
	keeps := func(before *string, after, own string) {
		if own != "" && own == after {
			*before = own
		}
	}
	keeps(&r.Before.Name, r.After.Name, own.Name)
	keeps(&r.Before.Email, r.After.Email, own.Email)
	keeps(&r.Before.Phone, r.After.Phone, own.Phone)
	keeps(&r.Before.PhoneE164, r.After.PhoneE164, own.PhoneE164)
	keeps(&r.Before.Company, r.After.Company, own.Company)
	keeps(&r.Before.OriginID, r.After.OriginID, own.OriginID)
	if own.Amount != 0 && own.Amount == r.After.Amount {
		r.Before.Amount = own.Amount
	}
	return r
}

// Back returns the merged contact as it comes back: as it was, with what was withdrawn since, and with what its part of
// the note has become. Nobody knows which of the
// two a member meant, and neither may consent to what its person has withdrawn.
func (r Removal) Back(now Contact) Contact {
	back := r.Contact
	back.Waiting = back.Waiting && (now.Waiting || !r.MadeWait()) // else it was answered as part of the other
	if _, changed := r.partedNote(now.Note); changed != "" {
		back.Note = strings.Join(nonEmpty(back.Note, changed), "\n\n")
	}
	back.Consents = slices.Clone(back.Consents)
	for _, c := range parted(now.Consents, nil, r.After.Consents, Consent.equal) {
		if !c.Given {
			back.Consents = append(back.Consents, c)
		}
	}
	return back
}

// parted returns a list without what came to it by the merge.
func parted[T any](now, before, after []T, equal func(T, T) bool) []T {
	in := func(all []T, one T) bool { return slices.ContainsFunc(all, func(o T) bool { return equal(o, one) }) }
	return slices.DeleteFunc(slices.Clone(now), func(one T) bool { return in(after, one) && !in(before, one) })
}

func same[T comparable](a, b T) bool { return a == b }

func (c Consent) equal(o Consent) bool {
	return c.Key == o.Key && c.Title == o.Title && c.Given == o.Given && c.By == o.By && c.At.Equal(o.At)
}

func back[T comparable](now, before, after T) T {
	if now == after {
		return before
	}
	return now
}

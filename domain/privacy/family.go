package privacy

import (
	"slices"

	"fichario/domain/crm"
	"fichario/domain/document"
)

// Family is a contact with those that were merged into it, each with those that had been merged into that one before.
type Family struct {
	// Contact is as it is now or, of one that was merged, as it was then.
	Contact crm.Contact
	// Gone is how it was merged; zero for the one that stays.
	Gone crm.Removal
	// Merged are the last first.
	Merged []Family
}

// Someone is one of the people whose contacts a family joined.
type Someone struct {
	// Contact is the one into which their others were merged, without what other people's brought.
	Contact crm.Contact
	// Merged are the others, each without what other people's brought; of one whose content is no longer kept, the id is
	// all there is.
	Merged []crm.Contact
	// Of is with whom they were merged by mistake, as an index; it means nothing for the first.
	Of int
}

// People are those whose contacts a family joined; the first has the contact that stays. Whoever merged two contacts
// says that they are one person's; where both had CPFs, and none in common, it was a mistake, unless a member has since
// left no CPF but the other's. Where a merge is no longer kept, the first CPF of a contact says whose it is, because
// merging adds the others behind it.
func (f Family) People() []Someone {
	top := kinOf(f)
	people := []Someone{{Contact: top.contact}}
	var collect func(of *kin, at int)
	collect = func(of *kin, at int) {
		for _, k := range of.merged {
			at := at
			if k.mistaken {
				people = append(people, Someone{Contact: k.contact, Of: at})
				at = len(people) - 1
			} else {
				people[at].Merged = append(people[at].Merged, k.contact)
			}
			collect(k, at)
		}
	}
	collect(top, 0)
	return people
}

// kin is one contact of a family.
type kin struct {
	contact crm.Contact // without what other people's brought
	gone    crm.Removal
	// mistaken is whether it was merged by mistake.
	mistaken bool
	merged   []*kin
	// cut are the mistaken merges whose content came into the contact, the first first; kept are the others.
	cut, kept []crm.Removal
	// away are the CPFs of those who were merged by mistake.
	away []Identity
	// forgotten is whether a merge is no longer kept whose content came into the contact.
	forgotten bool
}

func kinOf(f Family) *kin {
	k := &kin{contact: f.Contact, gone: f.Gone}
	without := func(all []Identity, others ...[]Identity) []Identity {
		return slices.DeleteFunc(all, func(i Identity) bool { return slices.Contains(slices.Concat(others...), i) })
	}
	for _, one := range slices.Backward(f.Merged) {
		child := kinOf(one)
		k.merged = append(k.merged, child)
		theirs, now := cpfs(child.contact), cpfs(f.Contact)
		corrected := len(now) > 0 && len(without(now, k.away, theirs)) == 0
		child.mistaken = differ(without(cpfs(one.Gone.Before), k.away), theirs) && !corrected
		if child.mistaken {
			k.cut = append(k.cut, one.Gone)
			k.away = append(k.away, theirs...)
			continue
		}
		kept := one.Gone
		kept.Contact = child.contact
		own := one.Gone.Before
		for _, gone := range slices.Backward(k.cut) {
			own = gone.Parted(own, k.kept...)
		}
		for _, gone := range child.cut {
			k.cut = append(k.cut, gone.Through(own))
		}
		k.kept = append(append(k.kept, kept, crm.Removal{Contact: own}), child.kept...)
		k.away = append(k.away, child.away...)
		k.forgotten = k.forgotten || child.forgotten || one.Gone.Unreadable
	}
	for _, gone := range slices.Backward(k.cut) {
		k.contact = gone.Parted(k.contact, k.kept...)
	}
	if mine := cpfs(k.contact); k.forgotten && len(mine) > 1 {
		k.contact.Documents = slices.DeleteFunc(slices.Clone(k.contact.Documents), func(d document.Document) bool {
			i, ok := OfDocument(d)
			return ok && i.Type == CPF && i != mine[0]
		})
	}
	return k
}

// cpfs are the CPFs of a contact.
func cpfs(c crm.Contact) []Identity {
	mine := own(c)
	if len(mine) == 0 || mine[0].Type != CPF {
		return nil
	}
	return mine
}

// OfTwo reports whether a merge joined the contacts of two people.
func OfTwo(gone crm.Removal) bool { return differ(cpfs(gone.Contact), cpfs(gone.Before)) }

// differ reports whether two contacts have CPFs, and none in common.
func differ(one, other []Identity) bool {
	return len(one) > 0 && len(other) > 0 &&
		!slices.ContainsFunc(one, func(i Identity) bool { return slices.Contains(other, i) })
}

// Held reports whether one of their contacts has an identity in its fields.
func (o Someone) Held(i Identity) bool {
	return slices.ContainsFunc(o.All(), func(c crm.Contact) bool { return holds(c, i) })
}

// All are all of their contacts.
func (o Someone) All() []crm.Contact { return append([]crm.Contact{o.Contact}, o.Merged...) }

// IsIn reports whether somebody is the person, found by an identity: one of their contacts is the person's, and their
// CPF, if it is known, is the person's, too.
func (p *Person) IsIn(o Someone, by Identity) bool {
	return !p.IsOther(o.Contact) &&
		slices.ContainsFunc(o.All(), func(c crm.Contact) bool {
			return holds(c, by) && p.Is(c, by) && (p.Knows(by) || p.Named(c))
		})
}

// WasIn reports whether somebody is the person, whose contact was merged into theirs and is no longer kept.
func (p *Person) WasIn(o Someone, id string) bool {
	return !p.IsOther(o.Contact) &&
		slices.ContainsFunc(o.Merged, func(c crm.Contact) bool { return c.ID == id })
}

// IsOther reports whether a contact has a CPF, the person's CPF is known, and they differ.
func (p *Person) IsOther(c crm.Contact) bool {
	mine := cpfs(c)
	return len(mine) > 0 && !slices.ContainsFunc(mine, p.Knows) &&
		slices.ContainsFunc(p.Identities, func(i Identity) bool { return i.Type == CPF })
}

// Without returns a contact of somebody else without what identifies the person.
func (p *Person) Without(c crm.Contact) crm.Contact {
	other, named := p.IsOther(c), p.Named(c)
	if i, err := ByEmail(c.Email); err == nil && p.Knows(i) && !other { // two people may share one
		c.Email = ""
	}
	phone := Identity{Phone, c.PhoneE164}
	if p.Knows(phone) && !other || named && slices.Contains(p.Phones, phone) {
		c.Phone, c.PhoneE164 = "", ""
	}
	if named {
		c.Name = crm.NoName
	}
	c.Documents = slices.DeleteFunc(slices.Clone(c.Documents), func(d document.Document) bool {
		i, ok := OfDocument(d)
		return ok && p.Knows(i)
	})
	c.Note = p.Redact(c.Note)
	return c
}

// Has reports whether a contact is one of the person's.
func (p *Person) Has(contactID string) bool { return slices.Contains(p.Contacts, contactID) }

// holds reports whether a contact has an identity in one of its own fields.
func holds(c crm.Contact, i Identity) bool {
	switch i.Type {
	case Email:
		mine, err := ByEmail(c.Email)
		return err == nil && mine == i
	case Phone:
		return c.PhoneE164 == i.Value && i.Value != ""
	}
	return slices.ContainsFunc(c.Documents, func(d document.Document) bool {
		mine, ok := OfDocument(d)
		return ok && mine == i
	})
}

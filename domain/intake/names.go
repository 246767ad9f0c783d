package intake

import (
	"strings"

	"fichario/domain/text"
)

// name takes the full name, or puts it together from its parts. "Nome" beside "Sobrenome" is the first name only.
func (c *chooser) name(d *Draft) {
	full := c.winner(fieldName)
	first, last := c.partsOfName(full)
	switch {
	case full == nil && first == nil && last == nil:
		if a := c.winner(fieldEmail); c.caller != "" && text.Within(c.caller, maxLine) && strings.IndexByte(c.caller, '@') < 0 {
			d.Name = c.caller
			a.taken = true
			c.source(d, fieldName, a)
		}
		return
	case full == nil, first != nil && (c.best[fieldName].score >= byTitle*1000 && (last != nil || !strings.Contains(text.Fold(full.text()), text.Fold(first.text()))) || last != nil && !strings.Contains(text.Fold(full.text()), text.Fold(first.text()))):
		d.Name = join(text.OneLine(textOf(first)), text.OneLine(textOf(last)))
		if !text.Within(d.Name, maxLine) {
			d.Name = text.OneLine(textOf(first))
			last = nil
		}
		for _, p := range []*answer{first, last} {
			if p != nil {
				p.taken = true
				c.source(d, fieldName, p)
			}
		}
	default:
		d.Name = text.OneLine(full.text())
		full.taken = true
		c.source(d, fieldName, full)
		folded := text.Fold(d.Name)
		if first != nil && strings.Contains(folded, text.Fold(first.text())) {
			first.taken = true
		}
		if last == nil {
			return
		}
		rest := text.Fold(last.text())
		switch {
		case strings.Contains(folded, rest):
			last.taken = true
		case last.group == full.group && (first == nil || text.Fold(first.text()) == folded) && text.Within(join(d.Name, last.text()), maxLine):
			d.Name = join(d.Name, text.OneLine(last.text()))
			last.taken = true
			c.source(d, fieldName, last)
		}
	}
}

// partsOfName finds the first and the last name that belong together: those of the full name's record, or of the first record with any.
func (c *chooser) partsOfName(full *answer) (first, last *answer) {
	group := -1
	if full != nil {
		group = full.group
	}
	pick := func(f field) *answer {
		var best *answer
		for _, i := range c.firsts[f] {
			a := &c.r.answers[i]
			if best == nil || a.group == group && best.group != group || a.rank < best.rank && best.group != group {
				best = a
			}
		}
		return best
	}
	if first = pick(fieldFirst); first != nil && full == nil {
		group = first.group
	}
	if last = pick(fieldLast); last != nil && first != nil && last.group != first.group {
		last = nil
	}
	return first, last
}

// numberedName finds the parts of a name in Gravity Forms, whose keys are numbers: <n>.3 is the first name and <n>.6 the last, unless there
// is an <n>.1 or <n>.5, which makes an address of it.
func (c *chooser) numberedName(a *answer) field {
	n := len(a.key)
	if n < 3 || n > 12 || a.title != "" || a.key[n-1] != '3' && a.key[n-1] != '6' || a.key[n-2] != '.' && a.key[n-2] != '_' {
		return noField
	}
	stem := a.key[:n-1]
	if digits := strings.TrimPrefix(stem[:n-2], "input_"); digits == "" || countDigits(digits) != len(digits) {
		return noField
	}
	for i := range c.r.answers {
		if o := &c.r.answers[i]; o.group == a.group && (o.key == stem+"1" || o.key == stem+"5") {
			return noField
		}
	}
	if a.key[n-1] == '3' {
		return fieldFirst
	}
	return fieldLast
}

func textOf(a *answer) string {
	if a == nil {
		return ""
	}
	return a.text()
}

// DisplayName is the name that the contact gets: its own, else "Lead sem nome", or for a form product what stands before the @ of its
// e-mail (specification, 2.5).
func (d Draft) DisplayName(k Kind) string {
	if d.Name != "" {
		return d.Name
	}
	if k == FormService {
		if local, _, ok := strings.Cut(d.Email, "@"); ok && strings.TrimSpace(local) != "" {
			return text.Cut(strings.TrimSpace(local), maxLine)
		}
	}
	return "Lead sem nome"
}

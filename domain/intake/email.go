package intake

import (
	"slices"
	"strings"
	"unicode"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// takeEmail takes the best answer with an @, or records which field should have held one. empty is the e-mail field
// that came without a value.
func (c *chooser) takeEmail(d *Draft, empty string) {
	a := c.best[fieldEmail].answer
	if a == nil {
		if bad := c.badEmail.answer; bad != nil {
			d.take(fieldEmail, bad)
		} else if empty != "" {
			d.Fields = append(d.Fields, Source{fieldNames[fieldEmail], text.Cut(empty, maxKeyText)})
		}
		return
	}
	d.Email = findEmail(a.values)
	whole := text.OneLine(a.text())
	a.taken = strings.Trim(whole, "([.,;:!)] ") == d.Email || trimEmail(whole) == d.Email || trimEmail(withoutTags(whole)) == d.Email
	if name, rest, ok := strings.Cut(whole, "<"); ok && rest == d.Email+">" {
		c.besideEmail = strings.Trim(strings.TrimSpace(name), `"'`)
	}
	d.take(fieldEmail, a)
}

// dropAccountUser drops the address of a "user" when another person is named too: that user owns the account or the
// deal. A name that may be the form's counts as a person's where a phone stands outside the user too.
func (c *chooser) dropAccountUser() {
	if a := c.best[fieldEmail].answer; a == nil || !a.marks.has(inUser) {
		return
	}
	var users, others, forms []string
	phone := false
	for _, w := range c.waiting {
		switch a := w.answer; {
		case w.score.strength >= weakName:
		case a.field == fieldPhone:
			phone = phone || !a.marks.has(inUser)
		case a.marks.has(inUser):
			users = append(users, text.Fold(a.text()))
		case w.score.formName:
			forms = append(forms, text.Fold(a.text()))
		default:
			others = append(others, text.Fold(a.text()))
		}
	}
	for _, a := range c.partsOf(fieldFirst) {
		if name := text.Fold(a.text()); a.marks.has(inUser) {
			users = append(users, name)
		} else {
			others = append(others, name)
		}
	}
	if phone {
		others = append(others, forms...)
	}
	const most = 50 // nobody's account has more names
	users, others = users[:min(most, len(users))], others[:min(most, len(others))]
	somebodyElse := slices.ContainsFunc(others, func(name string) bool {
		return !slices.ContainsFunc(users, func(user string) bool {
			return strings.Contains(user, name) || strings.Contains(name, user)
		})
	})
	if len(users) > 0 && somebodyElse {
		c.best[fieldEmail] = claim{}
	}
}

// trimEmail removes what surrounds an address that stands alone.
func trimEmail(s string) string {
	s = withoutStrayQuotes(strings.TrimSpace(s))
	if len(s) > len(mailto) && hasMailto(s) {
		s = s[len(mailto):]
	}
	if len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' {
		if s = strings.TrimSpace(s[1 : len(s)-1]); strings.IndexByte(s, '|') > 0 {
			s, _, _ = strings.Cut(strings.TrimPrefix(s, mailto), "|") // Slack's link
		}
	}
	return s
}

// withoutQuotes removes pairs of quotes around a text.
func withoutQuotes(s string) string {
	for len(s) > 1 && (s[0] == '"' || s[0] == '\'') && s[len(s)-1] == s[0] {
		s = strings.TrimSpace(s[1 : len(s)-1])
	}
	return s
}

const mailto = "mailto:"

func hasMailto(s string) bool {
	return len(s) >= len(mailto) && strings.EqualFold(s[:len(mailto)], mailto)
}

// findEmail returns the address in an answer: the whole text, what stands between angle brackets, or the first of
// several. Whatever has an @ counts (specification, 2.5).
func findEmail(values []string) string {
	for _, v := range values {
		if strings.IndexByte(v, '@') < 0 || len(v) > 4000 {
			continue
		}
		s := trimEmail(withoutTags(text.OneLine(v)))
		if from := strings.LastIndexByte(s, '<'); from >= 0 {
			if inner, _, ok := strings.Cut(s[from+1:], ">"); ok && strings.IndexByte(inner, '@') >= 0 {
				s = trimEmail(inner)
			}
		}
		s = tidyAddress(firstAddress(s))
		if i := strings.IndexByte(s, '?'); i > 0 && hasMailto(strings.TrimSpace(v)) {
			s = s[:i]
		}
		if s = strings.TrimSpace(s); strings.IndexByte(s, '@') >= 0 && text.Within(s, maxEmail) {
			return s
		}
	}
	return ""
}

// withoutTags replaces each HTML tag of a text by a space. The brackets of "Ana <ana@x.com>" are not a tag.
func withoutTags(s string) string {
	if !strings.Contains(s, "</") && !strings.Contains(s, "/>") {
		return s
	}
	var b strings.Builder
	for s != "" {
		before, rest, opened := strings.Cut(s, "<")
		tag, after, closed := strings.Cut(rest, ">")
		b.WriteString(before)
		switch {
		case !opened || !closed:
			b.WriteString(rest)
			return strings.TrimSpace(b.String())
		case isTag(tag):
			b.WriteByte(' ')
		default:
			b.WriteString("<" + tag + ">")
		}
		s = after
	}
	return strings.TrimSpace(b.String())
}

// isTag tells an HTML tag from an address in brackets.
func isTag(s string) bool {
	switch {
	case s == "":
		return false
	case s[0] == '/', strings.IndexByte(s, '=') > 0:
		return true
	}
	return isLetter(s[0]|0x20) && strings.IndexByte(s, '@') < 0
}

// firstAddress picks the first of several addresses, or the address out of a sentence.
func firstAddress(s string) string {
	if !strings.ContainsAny(s, " ,;") {
		return s
	}
	for rest := s; rest != ""; {
		rest = strings.TrimLeft(rest, addressEnds)
		end := quotedLocal(rest)
		if next := strings.IndexAny(rest[end:], addressEnds); next >= 0 {
			end += next
		} else {
			end = len(rest)
		}
		token := trimEmail(rest[:end])
		rest = rest[end:]
		if at := strings.IndexByte(token, '@'); at > 0 && at < len(token)-1 {
			return token
		}
	}
	return s
}

// tidyAddress removes what surrounds an address in a sentence, and everything after the first of several.
func tidyAddress(s string) string {
	between := unicode.IsSpace
	if strings.Count(s, "@") > 1 {
		between = func(c rune) bool { return unicode.IsSpace(c) || c == '/' || c == '|' }
	}
	for token := range strings.FieldsFuncSeq(s, between) {
		if token = strings.TrimRight(strings.TrimLeft(token, "(<["), ".,;:!)>]"); wholeAddress(token) {
			return token
		}
	}
	return s
}

// addressEnds separate the words of a sentence and the addresses of a list.
const addressEnds = " ,;"

// quotedLocal returns the length of the quoted local part that a text begins with, or 0.
func quotedLocal(s string) int {
	if s == "" || s[0] != '"' {
		return 0
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case '\\':
			i++
		case '"':
			if strings.HasPrefix(s[i+1:], "@") {
				return i + 1
			}
			return 0
		}
	}
	return 0
}

// withoutStrayQuotes removes quotes at either end of an address, except those of its local part: "joão silva"@x.com.
func withoutStrayQuotes(s string) string {
	if s = withoutQuotes(s); quotedLocal(s) > 0 {
		return strings.TrimRight(s, `"'`)
	}
	return strings.Trim(s, `"'`)
}

// wholeAddress reports whether a value is one e-mail address and nothing else.
func wholeAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 || len(s) > maxEmail || strings.ContainsAny(s, " ,;<>()\n\t/\"") || strings.Count(s, "@") != 1 {
		return false
	}
	if strings.HasSuffix(s, "whatsapp.net") || strings.HasSuffix(s, "msging.net") {
		return false // the id of a chat
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > at+1 && dot < len(s)-1
}

// CheckEmail returns a fault.InvalidEmail when the draft has no usable e-mail. Its message names the keys that arrived,
// so that the person who set up the form sees what to change; it never holds what was answered.
func (d Draft) CheckEmail() error {
	if strings.IndexByte(d.Email, '@') >= 0 {
		return nil
	}
	message, remedy := "Nenhum campo foi reconhecido como o e-mail.", ` Envie o endereço em um campo chamado "email".`
	if slices.ContainsFunc(d.Keys, func(key string) bool { return strings.HasSuffix(key, "leadgen_id") }) {
		remedy = " O aviso da Meta só tem ids: o que a pessoa respondeu precisa ser buscado por uma integração (Zapier, " +
			"Make, n8n), que o envia para cá."
	}
	for _, f := range d.Fields {
		if f.Field == fieldNames[fieldEmail] {
			message, remedy = `O campo "`+f.Key+`" foi reconhecido como o e-mail, mas não tem um endereço com @, `+
				`de até 320 caracteres.`, ""
		}
	}
	if len(d.Keys) > 0 {
		message += " Campos recebidos: " + strings.Join(d.Keys, ", ") + "."
	} else {
		message += " O corpo não tem campos."
	}
	return fault.New(fault.InvalidEmail, message+remedy).At("email")
}

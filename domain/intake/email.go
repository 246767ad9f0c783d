package intake

import (
	"slices"
	"strings"

	"fichario/domain/fault"
	"fichario/domain/text"
)

// email takes the best answer with an @, or remembers which field should have had one.
func (c *chooser) email(d *Draft) {
	a := c.winner(fieldEmail)
	if a == nil {
		switch {
		case c.badMail.index >= 0:
			c.source(d, fieldEmail, &c.r.answers[c.badMail.index])
		case c.r.emptyEmail != "":
			d.Fields = append(d.Fields, Source{fieldNames[fieldEmail], text.Cut(c.r.emptyEmail, maxKeyText)})
		}
		return
	}
	d.Email = findEmail(a.values)
	raw := text.OneLine(a.text())
	a.taken = raw == d.Email || trimMail(raw) == d.Email
	if name, rest, ok := strings.Cut(raw, "<"); ok && rest == d.Email+">" {
		c.caller = strings.Trim(strings.TrimSpace(name), `"'`)
	}
	c.source(d, fieldEmail, a)
}

// trimMail takes away what surrounds an address that stands alone.
func trimMail(s string) string {
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), `"'`))
	if len(s) > 7 && strings.EqualFold(s[:7], "mailto:") {
		s = s[7:]
	}
	if len(s) > 2 && s[0] == '<' && s[len(s)-1] == '>' {
		if s = strings.TrimSpace(s[1 : len(s)-1]); strings.IndexByte(s, '|') > 0 {
			s, _, _ = strings.Cut(strings.TrimPrefix(s, "mailto:"), "|") // Slack's link
		}
	}
	return s
}

// findEmail returns the address in an answer: the whole text, what stands between angle brackets, or the first of several. Whatever has an
// @ counts (specification, 2.5).
func findEmail(values []string) string {
	for _, v := range values {
		if strings.IndexByte(v, '@') < 0 || len(v) > 4000 {
			continue
		}
		s := trimMail(text.OneLine(v))
		if from := strings.LastIndexByte(s, '<'); from >= 0 {
			if inner, _, ok := strings.Cut(s[from+1:], ">"); ok && strings.IndexByte(inner, '@') >= 0 {
				s = trimMail(inner)
			}
		}
		s = firstAddress(s)
		if i := strings.IndexByte(s, '?'); i > 0 && len(v) > 7 && strings.EqualFold(strings.TrimSpace(v)[:min(7, len(strings.TrimSpace(v)))], "mailto:") {
			s = s[:i]
		}
		if strings.IndexByte(s, '@') >= 0 && text.Within(s, maxEmail) {
			return s
		}
	}
	return ""
}

// firstAddress picks the first of several addresses, or the address out of a sentence.
func firstAddress(s string) string {
	if !strings.ContainsAny(s, " ,;") {
		return s
	}
	for token := range strings.FieldsFuncSeq(s, func(r rune) bool { return r == ' ' || r == ',' || r == ';' }) {
		token = trimMail(token)
		if at := strings.IndexByte(token, '@'); at > 0 && at < len(token)-1 {
			return token
		}
	}
	return s
}

// wholeAddress reports whether a value is one e-mail address and nothing else.
func wholeAddress(s string) bool {
	at := strings.IndexByte(s, '@')
	if at < 1 || len(s) > maxEmail || strings.ContainsAny(s, " ,;<>()\n\t/\"") || strings.Count(s, "@") != 1 {
		return false
	}
	if strings.HasSuffix(s, "whatsapp.net") || strings.HasSuffix(s, "msging.net") {
		return false // the identity of a chat
	}
	dot := strings.LastIndexByte(s, '.')
	return dot > at+1 && dot < len(s)-1
}

// notTheirs are the words of keys whose address or number is never the contact's.
var notTheirs = words(`owner user username receipt seller vendedor sender from remetente admin account cpf cnpj cep ip id rg documento document
	protocolo pedido order invoice transaction pis matricula placa cartao card boleto nsu codigo code site url page referrer landing timestamp
	date time data hora unix created updated submitted at assigned responsible agent corretor partner affiliate producer
	to cc bcc reply destinatario recipient recipients jid`)

// byLook finds the e-mail and the phone by their look where no key or title tells: forms whose keys are numbers or random.
func (c *chooser) byLook() {
	mail, phone := c.best[fieldEmail].index < 0, c.best[fieldPhone].index < 0
	if !mail && !phone {
		return
	}
	for i := range c.r.answers {
		a := &c.r.answers[i]
		if a.closed || a.attr != "" || a.field != noField || len(a.values) == 0 {
			continue
		}
		if len(a.values) > 1 {
			// The values of a whole form without its keys: better the address among them than no lead.
			if mail && slices.ContainsFunc(a.values, wholeAddress) && !speaksOf(wordsOf(join(a.prefix, a.key, a.title)), notTheirs) {
				mail = !c.enter(i, a, fieldEmail, byValue, 10)
			}
			continue
		}
		v := a.values[0]
		isMail := mail && wholeAddress(v)
		isPhone := phone && len(v) <= maxPhone && countDigits(v) >= 10 && countDigits(v) <= 13 && phoneLike(v)
		if !isMail && !isPhone {
			continue
		}
		label := join(a.prefix, a.key, a.title)
		if speaksOf(wordsOf(label), notTheirs) {
			continue
		}
		switch {
		case isMail:
			mail = !c.enter(i, a, fieldEmail, byValue, 0)
		case isPhone && (a.title == "" && opaque(a.key) || strings.ContainsAny(v, "(+")) && e164(v) != "":
			phone = !c.enter(i, a, fieldPhone, byValue, 0)
		}
	}
}

// phoneLike reports whether a text holds only what phones are written with.
func phoneLike(s string) bool {
	for i := range len(s) {
		if strings.IndexByte("0123456789 ()+-.", s[i]) < 0 {
			return false
		}
	}
	return true
}

// opaque reports whether a key says nothing: a number, input_3, a random id.
func opaque(key string) bool {
	w := wordsOf(key)
	switch {
	case len(w) == 0, countDigits(key) > 0 && countDigits(key)*2 >= len(key):
		return true
	case len(w) <= 3 && (w[0] == "input" || w[0] == "field" || w[0] == "question" || w[0] == "q" || w[0] == "campo" || w[0] == "pergunta"):
		return true
	}
	return len(key) >= 18 && strings.IndexByte(key, ' ') < 0 && countDigits(key) > 0
}

// CheckEmail returns a fault when the draft has no usable e-mail. Its message names the keys that arrived, so that whoever set the form up
// sees what to change; it never holds what was answered.
func (d Draft) CheckEmail() error {
	if strings.IndexByte(d.Email, '@') >= 0 {
		return nil
	}
	message := ""
	for _, f := range d.Fields {
		if f.Field == fieldNames[fieldEmail] {
			message = `O campo "` + f.Key + `" foi reconhecido como o e-mail, mas não tem um endereço com @, de até 320 caracteres.`
		}
	}
	if message == "" {
		message = "Nenhum campo foi reconhecido como o e-mail."
		if len(d.Keys) > 0 {
			message += " Campos recebidos: " + strings.Join(d.Keys, ", ") + "."
		}
		message += ` Envie o endereço em um campo chamado "email".`
	}
	return fault.New(fault.InvalidEmail, message).At("email")
}

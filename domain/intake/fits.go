package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/text"
)

// fits tells, for each field, whether an answer's value can be it. The weaker the rule that bids, the more the value
// must look like it.
var fits = [fieldCount]func(c *chooser, a *answer, s strength) bool{
	fieldEmail:   fitsEmail,
	fieldPhone:   fitsPhone,
	fieldName:    fitsName,
	fieldFirst:   fitsPartOfName,
	fieldLast:    fitsPartOfName,
	fieldCompany: fitsLine,
	fieldOrigin:  fitsLine,
	fieldAmount:  func(c *chooser, a *answer, _ strength) bool { _, ok := c.amountOf(a); return ok },
	fieldMessage: fitsMessage,
	fieldArea:    fitsArea,
	fieldCountry: fitsCountry,
}

func fitsEmail(_ *chooser, a *answer, _ strength) bool {
	return strings.IndexByte(a.text(), '@') >= 0 && fields.FindEmail(a.values) != ""
}

func fitsPhone(_ *chooser, a *answer, s strength) bool {
	v := text.OneLine(a.values[0])
	n := names.CountDigits(v)
	switch {
	case a.logical || n < 3 || !text.Within(v, fields.MaxPhone) || strings.IndexByte(v, '@') >= 0:
		return false
	case s >= titleWord && n < 8:
		return false
	}
	return s < weakName || n <= 13
}

// isLine reports whether an answer is one line that names a person or thing, and not the answer to a question that only
// seems to ask for a name: "Tem empresa?".
func isLine(a *answer) bool {
	t := a.text()
	if a.logical || t == "" || !text.Within(t, fields.MaxLine) || len(t) < 6 && yesNo[text.Fold(t)] {
		return false
	}
	return !strings.HasPrefix(t, "http://") && !strings.HasPrefix(t, "https://")
}

var yesNo = names.Set(`sim nao yes no si true false on off ok`)

// fitsName: whatever stands under a key for names is a name, unless it is a phone.
func fitsName(c *chooser, a *answer, s strength) bool {
	if s < titleWord && a.title == "" {
		return isLine(a) && fields.E164(a.text()) == ""
	}
	return fitsPartOfName(c, a, s)
}

func fitsPartOfName(_ *chooser, a *answer, s strength) bool {
	t := a.text()
	switch {
	case !isLine(a) || strings.IndexByte(t, '@') >= 0:
		return false
	case names.CountDigits(t) > 0 && (s >= weakName || !hasWord(t)):
		return false
	}
	return s < titleWord || !strings.Contains(t, "\n")
}

// fitsLine: a company or an origin.
func fitsLine(_ *chooser, a *answer, s strength) bool {
	if !isLine(a) {
		return false
	}
	t := a.text()
	if s >= weakName && a.field == noField && machineChannels[t] {
		return false
	}
	return s < weakName || hasWord(t) && !strings.Contains(t, "\n") && !looksURL(t) && strings.IndexByte(t, '@') < 0
}

// machineChannels are the words by which a program names its own kind.
var machineChannels = names.Set(`web api app mobile server desktop browser chat email`)

func fitsMessage(_ *chooser, a *answer, s strength) bool {
	return !a.logical && !isStamp(a.values[0]) && (s < weakName || hasWord(a.text()))
}

func fitsArea(_ *chooser, a *answer, _ strength) bool {
	n := names.CountDigits(a.values[0])
	return len(a.values) == 1 && (n == 2 || n == 3) && len(a.values[0]) <= 6
}

func fitsCountry(_ *chooser, a *answer, _ strength) bool {
	v := a.values[0]
	n := names.CountDigits(v)
	return len(a.values) == 1 && n >= 1 && n <= 3 && len(v) <= 5 && phoneLike(v) && strings.Trim(v, "+0 ") != ""
}

// hasWord reports whether a text has a letter.
func hasWord(s string) bool {
	for i := range len(s) {
		if c := s[i] | 0x20; c >= 'a' && c <= 'z' || s[i] >= 0x80 {
			return true
		}
	}
	return false
}

// saysNone reports whether a text is what a sender writes where it has nothing: its language's word for that, or a
// variable that its template did not fill.
func saysNone(s string) bool {
	if s == "" || len(s) > 60 || strings.IndexByte("nNuU-{[$*%#<", s[0]) < 0 {
		return false
	}
	switch strings.ToLower(s) {
	case "null", "undefined", "nan", "none", "n/a", "-", "--", "[object object]", "undefined undefined", "null null":
		return true
	}
	return slices.ContainsFunc(unfilled, func(mark unfilledMark) bool { return mark.around(s) })
}

// unfilledMark is how a template writes a variable. The marks of a bare one also occur in what people write, so they
// must enclose a single word of the letters that keys have.
type unfilledMark struct {
	opening, closing string
	bare             bool
}

// unfilled are the marks of Mustache and its kind, JavaScript, Contact Form 7, Elementor, Mailchimp, ActiveCampaign and
// Salesforce.
var unfilled = []unfilledMark{
	{opening: "{{", closing: "}}"}, {opening: "${", closing: "}"}, {opening: "[field ", closing: "]"},
	{opening: "*|", closing: "|*"}, {opening: "%%", closing: "%%"}, {opening: "<%", closing: "%>"},
	{opening: "[", closing: "]", bare: true}, {opening: "{", closing: "}", bare: true},
	{opening: "%", closing: "%", bare: true}, {opening: "##", closing: "##", bare: true},
	{opening: "#", closing: "#", bare: true},
}

func (m unfilledMark) around(s string) bool {
	rest, opened := strings.CutPrefix(s, m.opening)
	name, closed := strings.CutSuffix(rest, m.closing)
	if !opened || !closed || name == "" {
		return false
	}
	return !m.bare || hasWord(name) && !strings.ContainsAny(name, " []{}%#,;/")
}

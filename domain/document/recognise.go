package document

import (
	"slices"
	"strings"
	"unicode"

	"fichario/domain/text"
)

// Recognised says which document a typed or pasted text is, or what is wrong with it.
type Recognised struct {
	// Type is the type of the document, or the likeliest one; empty when the text resembles none.
	Type Type
	// Document is zero unless the text is one.
	Document Document
	// Reason says what is wrong; empty for a document.
	Reason Reason
	// Short is set while characters are missing, so that a person who is still typing is not told that something is wrong.
	Short bool
	// Length is how many characters there are, Want how many the type has; both zero
	// for an e-mail address.
	Length, Want int
	// Several lists the documents of a text with more than one, each once; nothing else is set but Reason.
	Several []Document
	// Wrong is how many other words of such a text look like a document and are none.
	Wrong int
}

// RecogniseIn is Recognise for a text that may have words around a document, or several documents. An e-mail address
// that follows another word is ignored: that word may be its beginning.
func RecogniseIn(text string) Recognised {
	r := Recognise(text)
	words := strings.FieldsFunc(text, func(c rune) bool { return unicode.IsSpace(c) || strings.ContainsRune(apart, c) })
	if !r.Document.IsZero() || len(words) < 2 {
		return r
	}
	var found, wrong []Recognised
	for _, word := range words {
		switch w := Recognise(word); {
		case w.Reason == BadDigit, w.Reason == Repeated:
			wrong = append(wrong, w)
		case w.Document.IsZero(), w.Type == Email && strings.Count(text, "@") == 1 && !alone(text, word):
		case !slices.ContainsFunc(found, func(f Recognised) bool { return f.Document == w.Document }):
			found = append(found, w)
		}
	}
	switch {
	case len(found) > 1:
		r = Recognised{Reason: BadForm, Wrong: len(wrong)}
		for _, f := range found {
			r.Several = append(r.Several, f.Document)
		}
	case len(found) == 1:
		return found[0]
	case len(wrong) == 1:
		return wrong[0]
	}
	return r
}

// apart holds the characters that separate a document from what is beside it.
const apart = ",;:|()<>\"'"

// alone reports whether a word begins its text or a line, or follows a separator.
func alone(text, word string) bool {
	before, _, _ := strings.Cut(text, word)
	before = strings.TrimRight(before, " \t")
	return before == "" || strings.ContainsAny(before[len(before)-1:], apart+"\n")
}

// Recognise reads a document of whatever type, as a person types or pastes it: with
// or without mask, with spaces, in lower case, with the marks that come along from
// other programs.
func Recognise(typed string) Recognised {
	typed = strings.TrimSpace(strings.Map(bare, typed))
	if typed == "" {
		return Recognised{Reason: Empty, Short: true}
	}
	if strings.Contains(typed, "@") {
		return recogniseEmail(strings.TrimPrefix(typed, "mailto:"))
	}
	slash := strings.Contains(typed, "/")
	typed = text.Upper(strings.NewReplacer(".", "", "-", "", "/", "", " ", "").Replace(typed))
	t := guess(typed, slash)
	if t == "" {
		return Recognised{Reason: BadForm}
	}
	r := Recognised{Type: t, Length: len(typed), Want: map[Type]int{CPF: 11, CNPJ: 14, Plate: 7}[t]}
	d, err := Parse(t, typed)
	if err == nil {
		r.Document = d
		return r
	}
	r.Reason = err.(*Invalid).Reason //nolint:errorlint,forcetypeassert // the error of Parse is always an *Invalid
	r.Short = r.Length < r.Want && (r.Reason == BadLength || r.Reason == Empty)
	return r
}

// bare drops invisible characters, and makes every space and dash a plain one.
func bare(r rune) rune {
	switch {
	case unicode.IsSpace(r):
		return ' '
	case unicode.Is(unicode.Pd, r), r == '\u2212':
		return '-'
	case unicode.Is(unicode.Cf, r), unicode.IsControl(r):
		return -1
	}
	return r
}

// guess says what a text without its mask is meant to be. Digits alone are a CPF as
// long as they are not too many for one.
func guess(s string, slash bool) Type {
	letters, digits := 0, 0
	for _, r := range s {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'A' && r <= 'Z':
			letters++
		default:
			return ""
		}
	}
	switch n := letters + digits; {
	case slash || letters == 0 && n > 11:
		return CNPJ
	case letters == 0:
		return CPF
	case plateStart(s):
		return Plate
	case digits > 0 && n > 7:
		return CNPJ
	}
	return ""
}

// plateStart reports whether a text is a plate or the beginning of one: three letters
// and then, if anything, a digit, and no more than seven characters.
func plateStart(s string) bool {
	if len(s) > 7 {
		return false
	}
	for i := range len(s) {
		if letter := s[i] >= 'A'; i < 3 && !letter || i == 3 && letter {
			return false
		}
	}
	return true
}

func recogniseEmail(text string) Recognised {
	d, err := Normalize(Email, text)
	if err == nil {
		return Recognised{Type: Email, Document: d}
	}
	_, domain, _ := strings.Cut(text, "@")
	_, last, dotted := strings.Cut(domain, ".")
	invalid := err.(*Invalid) //nolint:errorlint,forcetypeassert // the error is always an *Invalid
	return Recognised{Type: Email, Reason: invalid.Reason, Short: !dotted || last == ""}
}

// Package privacy serves the rights of data subjects (LGPD, art. 18): how this service identifies a person, what it
// holds about them, and its erasure.
package privacy

import (
	"html"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"fichario/domain/document"
	"fichario/domain/intake/fields"
	"fichario/domain/text"
)

// Type is the type of an identity: a document.Type, or Phone.
type Type string

// The types of identities. Those of documents have the words of document.Type.
const (
	CPF        = Type(document.CPF)
	CNPJ       = Type(document.CNPJ)
	Plate      = Type(document.Plate)
	Email      = Type(document.Email)
	Phone Type = "telefone"
)

// Identity is one thing that a person is found by, in one spelling: the bare characters of a document, an e-mail
// address in lower case, a phone number in E.164.
type Identity struct {
	Type  Type
	Value string
}

// String hides the value, so that no log line shows it.
func (i Identity) String() string { return string(i.Type) + " ***" }

// GoString hides it from %#v as well.
func (i Identity) GoString() string { return "privacy.Identity{" + i.String() + "}" }

// IsDocument reports whether an identity can be looked up as a document: all but phones.
func (i Identity) IsDocument() bool { return i.Type != Phone }

// OfDocument is the identity of a document; false for the zero value.
func OfDocument(d document.Document) (Identity, bool) {
	return Identity{Type(d.Type()), d.Value()}, !d.IsZero() && d.Value() != ""
}

// Document is the document of an identity; the zero value of a phone.
func (i Identity) Document() document.Document {
	if !i.IsDocument() {
		return document.Document{}
	}
	return document.Restore(document.Type(i.Type), i.Value)
}

// ByDocument reads a CPF, a CNPJ or a plate as people write it; the error is a sentence for them.
func ByDocument(typed string) (Identity, error) {
	r := document.Recognise(typed)
	if i, ok := OfDocument(r.Document); ok && i.Type != Email {
		return i, nil
	}
	reason, t := r.Reason, r.Type
	if reason == "" || t == document.Email || t == "" {
		reason, t = document.BadForm, document.CPF
	}
	return Identity{}, &document.Invalid{Type: t, Reason: reason}
}

// plateLetters are what the digits of an old plate's fifth place became in its new form.
const plateLetters = "ABCDEFGHIJ"

// Twin is the other plate of the same vehicle: ABC1323 became ABC1D23, and both are still asked about. It returns false
// where there is none.
func (i Identity) Twin() (Identity, bool) {
	const length, place = 7, 4
	if i.Type != Plate || len(i.Value) != length {
		return Identity{}, false
	}
	other := ""
	if n := i.Value[place]; n >= '0' && n <= '9' {
		other = plateLetters[n-'0' : n-'0'+1]
	} else if at := strings.IndexByte(plateLetters, n); at >= 0 {
		other = strconv.Itoa(at)
	}
	return Identity{Plate, i.Value[:place] + other + i.Value[place+1:]}, other != ""
}

// Spellings are the values that the identity may be stored as: a letter with an accent may be a capital, which is not
// compared without case, and the accent of an address may stand apart from its letter, as some systems write it. Where
// more than spelledLetters have one, the others are small.
func (i Identity) Spellings() []string {
	all, letters := []string{i.Value}, 0
	for at, r := range i.Value {
		capital := unicode.ToUpper(r)
		if r < utf8.RuneSelf || capital == r || letters == spelledLetters {
			continue
		}
		letters++
		for _, one := range slices.Clone(all) { // a capital takes as many bytes, or it changes what stands behind it
			if len(string(capital)) == utf8.RuneLen(r) {
				all = append(all, one[:at]+string(capital)+one[at+utf8.RuneLen(r):])
			}
		}
	}
	for _, one := range slices.Clone(all) {
		if apart := text.Lower(norm.NFD.String(one)); !slices.Contains(all, apart) {
			all = append(all, apart)
		}
	}
	return all
}

// spelledLetters is how many letters with an accent may each be small or a capital.
const spelledLetters = 5

// ByEmail reads an e-mail address. It is as lenient as posts are: a text with an @ and no space is one.
func ByEmail(typed string) (Identity, error) {
	value := norm.NFC.String(strings.ToLower(strings.TrimSpace(typed)))
	if !strings.Contains(value, "@") || strings.ContainsAny(value, " \t\n") {
		return Identity{}, &document.Invalid{Type: document.Email, Reason: document.BadForm}
	}
	return Identity{Email, value}, nil
}

// ByPhone reads a phone number, Brazilian if it has no country code. It returns false for a text that is none.
func ByPhone(typed string) (Identity, bool) {
	value := fields.E164(typed)
	return Identity{Phone, value}, value != ""
}

var (
	addresses = regexp.MustCompile(`[^\s"'<>(),;:=&|\\/\[\]{}]+@[^\s"'<>(),;:=&|\\/\[\]{}@+]+`)
	runs      = regexp.MustCompile(`[0-9A-Z.()/+-]+(?: +[0-9A-Z.()/+-]+)*`)
)

// FindIn returns the identities in a text, each once: e-mail addresses, documents with valid check digits and phone
// numbers, in whatever encoding (see readings). It may return a number that means something else, so use it only to
// look for known identities.
func FindIn(s string) (out []Identity) {
	known := map[Identity]bool{}
	add := func(i Identity, ok bool) {
		if ok && !known[i] {
			known[i] = true
			out = append(out, i)
		}
	}
	for reading := range readings(s) {
		findIn(fold(reading), add)
	}
	return out
}

// findIn tells add of the identities in one reading of a text.
func findIn(s string, add func(Identity, bool)) {
	for _, address := range addresses.FindAllString(s, -1) {
		i, err := ByEmail(strings.Trim(address, "."))
		add(i, err == nil)
		local, _, _ := strings.Cut(address, "@")
		if plus := strings.LastIndexByte(local, '+'); plus >= 0 { // a form's space, or part of the address
			i, err = ByEmail(strings.Trim(address[plus+1:], "."))
			add(i, err == nil)
		}
	}
	for _, run := range runs.FindAllString(strings.ToUpper(s), -1) {
		for _, number := range numbersIn(run) {
			findNumber(number, add)
		}
	}
}

// findNumber tells add of the identities that a number may be.
func findNumber(number string, add func(Identity, bool)) {
	digits, letters := 0, 0
	for i := range len(number) {
		switch c := number[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c >= 'A' && c <= 'Z':
			letters++
		}
	}
	spaces := strings.Count(number, " ")
	if n := digits + letters; n == documentMost || n == documentLeast || spaces == 0 && n < documentMost {
		for _, t := range []document.Type{document.CPF, document.CNPJ} {
			d, err := document.FromCell(t, strings.TrimLeft(number, "()+./-"))
			if err == nil {
				add(OfDocument(d))
			}
		}
	}
	// Words are told apart by themselves, and a phone in several has its area.
	if spaces == 0 || letters == 0 && spaces < phoneWords && digits >= phoneLeast && digits <= phoneMost {
		add(ByPhone(number))
	}
}

const (
	// numberLeast and numberMost are how long a number is, with its separators.
	numberLeast, numberMost = 8, 26
	// documentLeast and documentMost are the digits and letters of a CPF and a CNPJ; leading zeros are lost in one
	// word only. phoneLeast and phoneMost are how many digits a phone with its area has, and phoneWords of how many
	// words that is.
	documentLeast, documentMost, phoneLeast, phoneMost, phoneWords = 11, 14, 10, 15, 6
)

// numbersIn yields what may be a number in words that stand together, and where it begins: one of them or several, up
// to the last digit or to the letters of an extension ("1077x12"). What stands before a number or behind it must not
// hide it, also within its first word, where it begins with the first digit or behind a letter.
func numbersIn(run string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		bare := false // no digit of the word was seen yet
		for start := range len(run) {
			begins := run[start] != ' ' && (start == 0 || run[start-1] == ' ')
			bare = bare || begins
			digit := run[start] >= '0' && run[start] <= '9'
			if bare && (run[start] == '+' || digit) {
				begins, bare = true, false
			}
			begins = begins || digit && run[start-1] >= 'A' && run[start-1] <= 'Z'
			if begins && !from(run, start, yield) {
				return
			}
		}
	}
}

// from yields what may be a number from one place on, and reports whether more is wanted.
func from(run string, start int, yield func(int, string) bool) bool {
	last := 0
	for end := start + 1; end <= min(len(run), start+numberMost); end++ {
		if end < len(run) && run[end] != ' ' && !extends(run, end) && end < start+numberMost {
			continue // no word ends here
		}
		length := 1 + strings.LastIndexAny(run[start:end], "0123456789")
		if length == last || length < numberLeast {
			continue
		}
		if last = length; !yield(start, run[start:start+length]) {
			return false
		}
	}
	return true
}

// extends reports whether letters follow a digit.
func extends(run string, at int) bool {
	return run[at] >= 'A' && run[at] <= 'Z' && run[at-1] >= '0' && run[at-1] <= '9'
}

// tail is how many of a phone's last digits stand in it however it is written.
const tail = 4

// mayBe reports, at little cost, whether FindIn could find the identity in a number without a letter, and true where it
// has one.
func (i Identity) mayBe(number string) bool {
	if strings.ContainsFunc(number, unicode.IsLetter) {
		return true
	}
	value := strings.TrimLeft(i.Value, "0")
	if i.Type == Phone {
		value = value[max(0, len(value)-tail):]
	}
	return strings.Contains(text.Digits(number), value)
}

// mentions reports whether a folded text holds the whole identity: one inside another address or a longer number
// belongs to somebody else.
func (i Identity) mentions(folded string) bool {
	switch i.Type {
	case Email:
		return hasAddress(folded, fold(i.Value))
	case Phone:
		return hasNumber(folded, national(i.Value), func(before string) bool {
			return before == "55" || before == "055" || len(before) == 3 && before[0] == '0' // the code of a carrier
		})
	}
	return hasNumber(folded, strings.ToLower(i.Value), func(string) bool { return false })
}

// hasAddress reports whether a text holds an e-mail address. A full stop after it may end the sentence, a plus before
// it may be a form's space.
func hasAddress(s, address string) bool {
	for {
		at := strings.Index(s, address)
		if at < 0 {
			return false
		}
		before, _ := utf8.DecodeLastRuneInString(s[:at])
		open := goesOn(s, at, at+len(address))
		s = s[at+len(address):]
		after, size := utf8.DecodeRuneInString(s)
		if after == '.' {
			after, _ = utf8.DecodeRuneInString(s[size:])
		}
		if !open && !inAddress(before) && !inAddress(after) && after != '@' {
			return true
		}
	}
}

// inAddress reports whether a character beside an address would belong to it; the end of the text does not.
func inAddress(c rune) bool {
	return c != utf8.RuneError &&
		(unicode.IsLetter(c) || unicode.IsMark(c) || unicode.IsDigit(c) || strings.ContainsRune("._-", c))
}

var (
	encodedNext = regexp.MustCompile(`^(?:%[0-9a-f]{2}|[\\%]u[0-9a-f]{4}|\\x[0-9a-f]{2}|&#?[0-9a-z]{1,31};|=[0-9a-f]{2}|` +
		`=[ \t]*\r?\n|\?=[+ \t\r\n]+=\?)`)
	encodedBefore = regexp.MustCompile(`(?:&#?[0-9a-z]{1,31};|=[ \t]*\r?\n|\?=[+ \t\r\n]+=\?[^? ]{1,40}\?[bq]\?)$`)
)

const (
	// encodedMost is how long what encodedNext and encodedBefore find may be.
	encodedMost = 60
	// softBreak is how long a line is at least that quoted-printable breaks.
	softBreak = 60
)

// goesOn reports whether an encoded character, or a broken line, stands beside a part of a text: only the reading
// without the encoding tells whether it belongs to it.
func goesOn(s string, start, end int) bool {
	if next := s[end:min(len(s), end+encodedMost)]; next != "" && strings.IndexByte(`%\&=?`, next[0]) >= 0 {
		if encodes(encodedNext.FindString(next), s[:end]) {
			return true
		}
	}
	if start > 0 && strings.IndexByte(";\n?", s[start-1]) >= 0 {
		e := encodedBefore.FindString(s[max(0, start-encodedMost):start])
		return encodes(e, s[:start-len(e)])
	}
	return false
}

// encodes reports whether what stands behind a text is encoded: an entity that there is, or the end of a long line.
func encodes(e, before string) bool {
	switch {
	case e == "":
		return false
	case e[0] == '&':
		return html.UnescapeString(e) != e
	case e[0] == '=' && e[len(e)-1] == '\n':
		return len(before)-strings.LastIndexByte(before, '\n') > softBreak
	}
	return true
}

// separatorsMost is how many separators may stand between two characters of a number.
const separatorsMost = 4

// hasNumber reports whether a text holds a number, with or without separators between its characters. Zeros may precede
// it, and so may whatever prefix accepts.
func hasNumber(s, number string, prefix func(string) bool) bool {
	for start := 0; ; start++ {
		at := strings.IndexByte(s[start:], number[0])
		if at < 0 {
			return false
		}
		start += at
		end := endOf(number, s, start)
		if end > 0 && (end == len(s) || !sameKind(s[end], number)) && !goesOn(s, start, end) {
			begin := start
			for begin > 0 && sameKind(s[begin-1], number) {
				begin--
			}
			if before := strings.TrimLeft(s[begin:start], "0"); before == "" || prefix(before) || prefix(s[begin:start]) {
				return true
			}
		}
	}
}

// endOf returns the index after a number that begins at start; 0 where the number is not there.
func endOf(number, s string, start int) int {
	at, between := start, 0
	for n := 0; n < len(number); at++ {
		switch {
		case at == len(s):
			return 0
		case s[at] == number[n]:
			n, between = n+1, 0
		case strings.IndexByte(separators, s[at]) < 0 || between == separatorsMost:
			return 0
		default:
			between++
		}
	}
	return at
}

// sameKind reports whether a character beside a number would belong to it: a digit, or, beside a number with letters, a
// letter.
func sameKind(c byte, number string) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'z' && strings.Trim(number, "0123456789") != ""
}

// national returns a number without the country code of Brazil, as most people write it.
func national(e164 string) string {
	bare := strings.TrimPrefix(e164, "+")
	if rest, ok := strings.CutPrefix(bare, "55"); ok && len(rest) >= 10 {
		return rest
	}
	return bare
}

// separators are what stands between the characters of a number.
const separators = " .-/()+"

// fold brings a text into the form in which identities are compared.
func fold(s string) string { return strings.ToLower(normal(s)) }

// normal writes each character in one way: a full-width letter is the letter, a digit of any script the digit, a letter
// and its accent are one, every dash and every space is one, and what nobody sees is left out.
func normal(s string) string {
	if ascii(s) {
		return s
	}
	s = text.PlainDigits(s)
	if !strings.ContainsFunc(s, odd) && norm.NFKC.IsNormalString(s) {
		return s
	}
	return norm.NFKC.String(strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
		case unicode.Is(unicode.Pd, r), r == minusSign:
			return '-'
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Variation_Selector, r):
			return -1
		}
		return r
	}, s))
}

const minusSign = '\u2212'

// odd reports whether normal changes a character by itself; the letters of Latin alphabets are not.
func odd(r rune) bool {
	if r >= 0xc0 && r < 0x250 || r < utf8.RuneSelf {
		return false
	}
	return r == minusSign || unicode.In(r, unicode.Pd, unicode.Zs, unicode.Cf, unicode.Variation_Selector)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// foldName returns a name in the form in which names are compared.
func foldName(s string) string { return text.Fold(s) }

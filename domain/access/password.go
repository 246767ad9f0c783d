package access

import (
	_ "embed"
	"strings"
	"unicode"
	"unicode/utf8"

	"fichario/domain/text"
)

// The lengths of a password, in characters.
const (
	PasswordMin = 8
	PasswordMax = 72
)

// commonWords are the words behind the passwords that attackers try first.
//
//go:embed common_passwords.txt
var commonWords string

var common = func() map[string]bool {
	words := map[string]bool{}
	for word := range strings.FieldsSeq(commonWords) {
		words[word] = true
	}
	return words
}()

// FitsPassword reports whether a password has an acceptable length and is not blank.
func FitsPassword(password string) bool {
	n := utf8.RuneCountInString(password)
	return n >= PasswordMin && n <= PasswordMax && strings.TrimSpace(password) != ""
}

// CommonPassword reports whether a password is one that attackers try first: a common word, with or without digits and
// symbols around it, a symbol or a short piece repeated, a run along the alphabet, the digits or the keyboard, a date,
// or the member's own e-mail address.
func CommonPassword(password, email string) bool {
	folded := text.Fold(password)
	local, _, _ := strings.Cut(email, "@")
	core := strings.TrimFunc(folded, func(r rune) bool { return !unicode.IsLetter(r) })
	switch {
	case folded == text.Fold(email), local != "" && core == text.Fold(local):
		return true
	case common[folded], common[core], common[unleet.Replace(core)], common[unleet.Replace(folded)]:
		return true
	case core == "" && utf8.RuneCountInString(folded) <= 10: // a date, a phone, a short number
		return true
	}
	return repeated(folded) || alongARow(folded)
}

// unleet replaces digits and symbols that stand for letters.
var unleet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

// repeated reports whether a text is one piece of at most four bytes, repeated.
func repeated(s string) bool {
	for size := 1; size <= 4 && 2*size <= len(s); size++ {
		if again := strings.Repeat(s[:size], len(s)/size+1); again[:len(s)] == s {
			return true
		}
	}
	return false
}

// rows are the alphabet, the digits and the keyboard, forwards and backwards.
var rows = func() []string {
	forward := []string{
		"abcdefghijklmnopqrstuvwxyz", "01234567890123456789", "qwertyuiopasdfghjklzxcvbnm", "qazwsxedcrfvtgbyhnujmikolp",
		"1q2w3e4r5t6y7u8i9o0p", "asdfghjklqwertyuiopzxcvbnm",
	}
	all := forward
	for _, row := range forward {
		back := []rune(row)
		for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
			back[i], back[j] = back[j], back[i]
		}
		all = append(all, string(back))
	}
	return all
}()

// alongARow reports whether a text consists of one or two pieces of rows.
func alongARow(s string) bool {
	for i := 3; i <= len(s); i++ {
		if inRow(s[:i]) && (i == len(s) || len(s)-i >= 3 && inRow(s[i:])) {
			return true
		}
	}
	return false
}

func inRow(s string) bool {
	for _, row := range rows {
		if strings.Contains(row, s) {
			return true
		}
	}
	return false
}

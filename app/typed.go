package app

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// The maximum lengths of what somebody types of a contact, in characters. What comes by a webhook has the reader's
// limits instead.
const (
	typedLineMax  = 200
	typedEmailMax = 320
	typedPhoneMax = 60
	typedNoteMax  = 20_000
)

// CheckTyped checks a field of a contact that somebody has typed, trimmed: "name", "email", "phone" or "company".
// Fault: InvalidRequest with the field.
func CheckTyped(field, typed string) error {
	switch field {
	case "name":
		if typed == "" || !IsLine(typed, typedLineMax) {
			return Invalid(field, fmt.Sprintf("O nome tem de 1 a %d caracteres, em uma linha.", typedLineMax))
		}
	case "email":
		if !looksLikeEmail(typed) {
			return Invalid(field, "O e-mail tem um @ entre o nome e o domínio, como ana@empresa.com.br.")
		}
	case "phone":
		if !IsLine(typed, typedPhoneMax) {
			return Invalid(field, fmt.Sprintf("O telefone pode ter até %d caracteres, em uma linha.", typedPhoneMax))
		}
	case "company":
		if !IsLine(typed, typedLineMax) {
			return Invalid(field, fmt.Sprintf("A empresa pode ter até %d caracteres, em uma linha.", typedLineMax))
		}
	}
	return nil
}

// TypedNote returns a note that somebody has typed as it is stored. It may be as long as the one before (was), if that
// is longer than what may be typed anew. Fault: InvalidRequest.
func TypedNote(note, was string) (string, error) {
	if utf8.RuneCountInString(note) > max(typedNoteMax, utf8.RuneCountInString(was)) {
		return "", Invalid("note", fmt.Sprintf("A nota pode ter até %d caracteres.", typedNoteMax))
	}
	return Storable(note), nil
}

// UnixLines trims a text, and ends its lines with one character; browsers end them with two.
func UnixLines(s string) string { return strings.TrimSpace(strings.ReplaceAll(s, "\r\n", "\n")) }

// looksLikeEmail is lenient: what came by a webhook was checked even less.
func looksLikeEmail(s string) bool {
	inner := strings.Trim(s, "@")
	return IsLine(s, typedEmailMax) && len(s) > 2 && strings.Contains(inner, "@") && !strings.ContainsAny(s, " \t")
}

// IsLine reports whether a text is one line of at most so many characters.
func IsLine(s string, most int) bool {
	n := 0
	for _, r := range s {
		if n++; r < ' ' || r == 0x7f || r == utf8.RuneError {
			return false
		}
	}
	return n <= most
}

// Storable removes what a database cannot store in a text.
func Storable(s string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(s, "\uFFFD"), "\x00", "")
}

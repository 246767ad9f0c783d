package access_test

import (
	"strings"
	"testing"

	"fichario/domain/access"
)

func TestCommonPasswords(t *testing.T) {
	t.Parallel()
	for _, password := range []string{
		"12345678", "123456789", "87654321", "11111111", "00000000", "abcdefgh", "qwertyuiop", "asdfghjkl", "1q2w3e4r", "abcabcabc",
		"password", "Password1", "P@ssw0rd!", "senha123", "Senha@2026", "minhasenha", "flamengo10", "Corinthians1", "brasil2026",
		"deusefiel", "euteamo123", "jesuscristo", "31121990", "31/12/1990", "21999998888"[:10], "qwerty123", "abcd1234", "admin123",
		"bia.ramos", "Bia.Ramos1", "bia.ramos@example.com", "Fichario2026", "abab1212"[:4] + "abab",
	} {
		if !access.CommonPassword(password, "bia.ramos@example.com") {
			t.Errorf("%q is not common", password)
		}
	}
	for _, password := range []string{
		"senha-de-teste", "uma-senha-longa", "correto cavalo bateria", "fichario-demo", "v9#kQ2!mZx", "Girassol-no-trilho", "tucanos7verdes",
		"çãéíõúàâ",
	} {
		if access.CommonPassword(password, "bia.ramos@example.com") {
			t.Errorf("%q is common", password)
		}
	}
}

// TestPasswordsAreCountedInCharacters: a letter with an accent is one.
func TestPasswordsAreCountedInCharacters(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"çãéíõúà": false, "çãéíõúàâ": true, strings.Repeat("ã", 72): true, strings.Repeat("ã", 73): false,
		strings.Repeat(" ", 10): false, "1234567": false,
	} {
		if got := access.FitsPassword(password); got != want {
			t.Errorf("%q: %t", password, got)
		}
	}
}

package factors_test

import (
	"crypto/sha512"
	"encoding/base64"
	"strings"
	"testing"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"

	"fichario/adapters/factors"
)

// argon is how hashes are stored: Argon2id with 19 MiB, two passes and one lane.
const argon = "$argon2id$v=19$m=19456,t=2,p=1$"

// TestPasswords: each hash has a salt of its own, and every character of a long password counts.
func TestPasswords(t *testing.T) {
	t.Parallel()
	for _, password := range []string{"cavalo-bateria", strings.Repeat("é", 72)} {
		hash, err := factors.HashPassword(password)
		if err != nil {
			t.Fatal(err)
		}
		again, err := factors.HashPassword(password)
		if err != nil || again == hash || strings.Contains(hash, password) || !strings.HasPrefix(hash, argon) {
			t.Errorf("%s, then %s, %v", hash, again, err)
		}
		if !factors.PasswordFits(hash, password) || factors.PasswordFits(hash, password[:len(password)-1]) ||
			factors.PasswordFits(hash, "") || factors.PasswordStale(hash) {
			t.Error("a password and its hash do not fit")
		}
	}
}

// TestNobodysPassword costs what all others cost, and is a hash that can be compared.
func TestNobodysPassword(t *testing.T) {
	t.Parallel()
	parts := strings.Split(strings.TrimPrefix(factors.NobodysPassword, argon), "$")
	if len(parts) != 2 {
		t.Fatal(factors.NobodysPassword)
	}
	for i, size := range []int{16, 32} {
		if b, err := base64.RawStdEncoding.DecodeString(parts[i]); err != nil || len(b) != size {
			t.Errorf("part %d has %d bytes, %v", i, len(b), err)
		}
	}
	if factors.PasswordFits(factors.NobodysPassword, "cavalo-bateria") {
		t.Error("somebody has it")
	}
}

// TestPasswordsFromBefore: hashes of bcrypt and of another cost are still compared, and known as stale.
func TestPasswordsFromBefore(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 72)
	sum := sha512.Sum384([]byte(long))
	for password, input := range map[string]string{
		"cavalo-bateria": "cavalo-bateria", long: base64.StdEncoding.EncodeToString(sum[:]),
	} {
		hash, err := bcrypt.GenerateFromPassword([]byte(input), bcrypt.MinCost)
		if err != nil {
			t.Fatal(err)
		}
		if !factors.PasswordFits(string(hash), password) || factors.PasswordFits(string(hash), password+"x") ||
			!factors.PasswordStale(string(hash)) {
			t.Error("a hash from before does not fit its password")
		}
	}
	salt := []byte("sal-de-16-letras")
	cheaper := "$argon2id$v=19$m=64,t=1,p=1$" + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(argon2.IDKey([]byte("cavalo-bateria"), salt, 1, 64, 1, 32))
	if !factors.PasswordFits(cheaper, "cavalo-bateria") || factors.PasswordFits(cheaper, "cavalo") ||
		!factors.PasswordStale(cheaper) {
		t.Error("a hash of an earlier cost does not fit its password")
	}
	for _, hash := range []string{
		"", "x", "$argon2id$", "$argon2id$v=19$m=64,t=0,p=0$YQ$YQ", argon, argon + "x", argon + "$", argon + "!$!",
	} {
		if factors.PasswordFits(hash, "cavalo-bateria") {
			t.Errorf("%q fits a password", hash)
		}
	}
}

func BenchmarkPasswordFits(b *testing.B) {
	for b.Loop() {
		factors.PasswordFits(factors.NobodysPassword, "cavalo-bateria")
	}
}

package factors

import (
	"crypto/rand"
	"crypto/sha512"
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
	"golang.org/x/crypto/bcrypt"
)

// Argon2id at the least cost that OWASP's Password Storage Cheat Sheet asks for.
const (
	argonMemory = 19 * 1024 // KiB
	argonPasses = 2
	argonLanes  = 1
	saltSize    = 16
	keySize     = 32
)

// argonForm begins every hash that HashPassword makes (PHC string format); salt and key follow.
var argonForm = fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$", argon2.Version, argonMemory, argonPasses, argonLanes)

// NobodysPassword is a hash of a password that nobody has, at the usual cost: compared for an unknown address, it makes
// the answer take as long as for a known one.
const NobodysPassword = "$argon2id$v=19$m=19456,t=2,p=1$uwAXfvJ7pmk4fkYvuJyUMg$7hNYqvU2jTvUw2pFTb0yWXkIzX0zA9cV2oQ0b3mY5bI" //nolint:gosec // of no password

// HashPassword returns what is stored of a password: an Argon2id hash with a salt of its own. It takes 19 MiB for some
// hundredths of a second.
func HashPassword(password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return argonForm + base64.RawStdEncoding.EncodeToString(salt) + "$" +
		base64.RawStdEncoding.EncodeToString(argonKey(password, salt)), nil
}

func argonKey(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonLanes, keySize)
}

// PasswordFits reports whether a password is the one of a hash.
func PasswordFits(hash, password string) bool {
	if rest, ok := strings.CutPrefix(hash, argonForm); ok {
		first, second, _ := strings.Cut(rest, "$")
		salt, err := base64.RawStdEncoding.DecodeString(first)
		key, err2 := base64.RawStdEncoding.DecodeString(second)
		return err == nil && err2 == nil && subtle.ConstantTimeCompare(key, argonKey(password, salt)) == 1
	}
	return bcrypt.CompareHashAndPassword([]byte(hash), bcryptInput(password)) == nil
}

// PasswordStale reports whether HashPassword no longer makes such a hash: one of bcrypt, which came before.
func PasswordStale(hash string) bool { return !strings.HasPrefix(hash, argonForm) }

// bcryptInput is a password as bcrypt was given it, which takes no more than 72 bytes: a longer one as its hash.
func bcryptInput(password string) []byte {
	const bcryptMost = 72
	if len(password) <= bcryptMost {
		return []byte(password)
	}
	sum := sha512.Sum384([]byte(password))
	return []byte(base64.StdEncoding.EncodeToString(sum[:]))
}

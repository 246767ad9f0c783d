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

const argonName = "$argon2id$"

// argonForm begins every hash that HashPassword makes (PHC string format); salt and key follow.
var argonForm = fmt.Sprintf(argonName+"v=%d$m=%d,t=%d,p=%d$", argon2.Version, argonMemory, argonPasses, argonLanes)

// NobodysPassword is a hash of a password that nobody has, at the present cost: compared for an unknown address, it
// makes the answer take as long as for a known one.
var NobodysPassword = argonHash(make([]byte, saltSize), make([]byte, keySize))

func argonHash(salt, key []byte) string {
	return argonForm + base64.RawStdEncoding.EncodeToString(salt) + "$" + base64.RawStdEncoding.EncodeToString(key)
}

// HashPassword returns what is stored of a password: an Argon2id hash with a salt of its own. It takes 19 MiB for some
// hundredths of a second.
func HashPassword(password string) (string, error) {
	salt := make([]byte, saltSize)
	rand.Read(salt) // never fails
	return argonHash(salt, argon2.IDKey([]byte(password), salt, argonPasses, argonMemory, argonLanes, keySize)), nil
}

// PasswordFits reports whether a password is the one of a hash, which may be of an earlier cost, or of bcrypt.
func PasswordFits(hash, password string) bool {
	if !strings.HasPrefix(hash, argonName) {
		return bcrypt.CompareHashAndPassword([]byte(hash), bcryptInput(password)) == nil
	}
	var version, memory, passes uint32
	var lanes uint8
	var encoded string
	const form = argonName + "v=%d$m=%d,t=%d,p=%d$%s"
	_, err := fmt.Sscanf(hash, form, &version, &memory, &passes, &lanes, &encoded)
	if err != nil || version != argon2.Version || passes == 0 || lanes == 0 {
		return false
	}
	first, second, _ := strings.Cut(encoded, "$")
	salt, err := base64.RawStdEncoding.DecodeString(first)
	key, keyErr := base64.RawStdEncoding.DecodeString(second)
	if err != nil || keyErr != nil || len(key) != keySize {
		return false
	}
	return subtle.ConstantTimeCompare(key, argon2.IDKey([]byte(password), salt, passes, memory, lanes, keySize)) == 1
}

// PasswordStale reports whether HashPassword no longer makes such a hash: one of another cost, or of bcrypt, which came
// before.
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

package access

import "testing"

// FuzzSecrets: a text accepted as a key, a session or a recovery code is the one whose hash is stored, and no printed
// form shows it.
func FuzzSecrets(f *testing.F) {
	f.Add(NewSecret().Reveal())
	f.Add(NewSessionToken().Reveal())
	f.Add(NewRecoveryCodes()[0])
	f.Add("fic_")
	f.Add("é\x00 -")
	f.Fuzz(func(t *testing.T, text string) {
		if key, ok := ParseSecret(text); ok {
			if again, ok := ParseSecret(key.Reveal()); !ok || again != key || len(text) != secretLen || key.String() == text {
				t.Error("a key that is not the one that was sent, or shows itself")
			}
		}
		if token, ok := ParseSessionToken(text); ok {
			if again, ok := ParseSessionToken(token.Reveal()); !ok || again.Hash() != token.Hash() || token.String() == text {
				t.Error("a session that is not the one that was sent, or shows itself")
			}
		}
		if hash, ok := RecoveryHash(text); ok && len(hash) == 0 {
			t.Error("a recovery code without a hash")
		}
	})
}

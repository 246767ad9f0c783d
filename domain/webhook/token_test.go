package webhook

import (
	"fmt"
	"strings"
	"testing"
)

func TestTokens(t *testing.T) {
	t.Parallel()
	token := NewToken()
	if len(token.Reveal()) != TokenLen || token.Reveal() == NewToken().Reveal() {
		t.Error("a token has 48 random characters")
	}
	if s := fmt.Sprintf("%v %s %#v", token, token, token); strings.Contains(s, token.Reveal()) {
		t.Error("a token prints itself")
	}
	if again, ok := ParseToken(token.Reveal()); !ok || again != token || again.Hash() != token.Hash() {
		t.Error("a token is not read as it was made")
	}
	for _, wrong := range []string{
		"", token.Reveal()[1:], token.Reveal() + "a", strings.Repeat("-", TokenLen), strings.Repeat("é", TokenLen/2),
		strings.Repeat("\x00", TokenLen),
	} {
		if _, ok := ParseToken(wrong); ok {
			t.Errorf("a text of %d bytes is taken for a token", len(wrong))
		}
	}
}

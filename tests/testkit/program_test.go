package testkit

import (
	"strings"
	"testing"
)

// TestWhatALogMayNotHold: a program that logged such a text would fail its test.
func TestWhatALogMayNotHold(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"ana@souza.example", "+5511987654321", "529.982.247-25", "11.222.333/0001-81", "fic_" + strings.Repeat("a", 46),
	} {
		if !personal.MatchString(`{"msg":"x","error":"of ` + text + `, it says"}`) {
			t.Errorf("%s passes", text)
		}
	}
	for _, text := range []string{
		`"took":52998224725`, "github.com/jackc/pgx/v5@v5.7.4/conn.go:12", "019a9b1c-6a55-7d3e-9f3d-2f3a1f0c9d10", "fic_",
	} {
		if found := personal.FindString(text); found != "" {
			t.Errorf("%s is taken for something personal: %s", text, found)
		}
	}
}

package automation

import (
	"net/http"
	"testing"
	"time"

	"fichario/ports"
)

// TestGoogleSheetsAnswers: an Apps Script web app cannot set statuses: its redirect target tells success from failure.
func TestGoogleSheetsAnswers(t *testing.T) {
	t.Parallel()
	c := shippedCases()["google-sheets"]
	redirect := func(to string) http.HandlerFunc {
		return answers(302, map[string]string{"Location": to}, "")
	}
	for what, a := range map[string]struct {
		answer http.HandlerFunc
		want   ports.SendError
	}{
		"a script that fails": {
			answers(200, nil, "<html>Exception</html>"), ports.SendError{Reason: "o destino ainda não fez o que foi pedido (status 200)", RetryAfter: time.Minute},
		},
		"an app that is not open to all": {
			redirect("https://accounts.google.com/ServiceLogin"),
			ports.SendError{Reason: "o destino recusou (status 302)", Permanent: true},
		},
		"a host that only begins so": {
			redirect("https://script.googleusercontent.com.example/"),
			ports.SendError{Reason: "o destino recusou (status 302)", Permanent: true},
		},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			p := &peer{T: t, script: []http.HandlerFunc{a.answer}}
			_, err := toPeer(t, p).Send(t.Context(), sending("run-1", "google-sheets", c.values))
			fails(t, err, a.want)
		})
	}
}

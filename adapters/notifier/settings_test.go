package notifier

import (
	"strings"
	"testing"

	gomail "github.com/wneessen/go-mail"
)

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]struct {
		at, user, password, from string
		implicit                 bool
		startTLS                 gomail.TLSPolicy
	}{
		"smtp://correio.example": {
			at: "correio.example:587", from: "<fichario@correio.example>", startTLS: gomail.TLSOpportunistic},
		"smtps://correio.example/": {
			at: "correio.example:465", from: "<fichario@correio.example>", implicit: true, startTLS: gomail.NoTLS},
		"smtp://correio.example:25?tls=required": {
			at: "correio.example:25", from: "<fichario@correio.example>", startTLS: gomail.TLSMandatory},
		"smtp://correio.example?tls=none": {
			at: "correio.example:587", from: "<fichario@correio.example>", startTLS: gomail.NoTLS},
		"smtp://ana%40exemplo.com.br:p%40ss%2Fw%3A%25@correio.example:2525": {
			at: "correio.example:2525", user: "ana@exemplo.com.br", password: "p@ss/w:%", from: "<ana@exemplo.com.br>",
			startTLS: gomail.TLSOpportunistic},
		"smtp://chave:abc@correio.example?from=Fichário & Cia <a@b.example>": {}, // & separates parameters
		"smtps://chave:abc@correio.example?from=Fichário da Ana <avisos@exemplo.com.br>": {
			at: "correio.example:465", user: "chave", password: "abc", implicit: true, startTLS: gomail.NoTLS,
			from: "=?utf-8?q?Fich=C3=A1rio_da_Ana?= <avisos@exemplo.com.br>"},
		"smtp://chave:abc@correio.example?from=Fich%C3%A1rio+%26+Cia+%3Cavisos%2Bx@exemplo.com.br%3E&tls=opportunistic": {
			at: "correio.example:587", user: "chave", password: "abc", startTLS: gomail.TLSOpportunistic,
			from: "=?utf-8?b?RmljaMOhcmlvICYgQ2lh?= <avisos+x@exemplo.com.br>"},
		"smtp://127.0.0.1:1025": {
			at: "127.0.0.1:1025", from: "<fichario@localhost>", startTLS: gomail.TLSOpportunistic,
		},
		"smtp://[::1]:1025": {
			at: "::1:1025", from: "<fichario@localhost>", startTLS: gomail.TLSOpportunistic,
		},
		"smtp://a:b@localhost:1025?tls=none&from=a@b": {
			at: "localhost:1025", user: "a", password: "b", from: "<a@b>", startTLS: gomail.NoTLS,
		},
	} {
		m, err := New(address)
		if want.at == "" {
			if err == nil {
				t.Errorf("%s: no error", address)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		if m.host+":"+m.port != want.at || m.user != want.user || m.password != want.password ||
			m.from.String() != want.from ||
			m.implicitTLS != want.implicit || m.startTLS != want.startTLS {
			t.Errorf(
				"%s: %s, user %q, password %q, from %s, TLS %t, STARTTLS %s", address, m.host+":"+m.port, m.user, m.password,
				m.from.String(),
				m.implicitTLS, m.startTLS)
		}
	}
}

// TestWrongAddresses: each contains the password s3gr3d0, which must not be in the error.
func TestWrongAddresses(t *testing.T) {
	t.Parallel()
	for _, address := range []string{
		"", "s3gr3d0", "correio.example:s3gr3d0", "http://u:s3gr3d0@correio.example", "SMTP",
		"smtp:u:s3gr3d0@correio.example", "smtp://u:s3gr3d0@", "smtp://u:s3gr3d0@:587", "smtp://u:s3gr3d0@correio.example:0",
		"smtp://u:s3gr3d0@correio.example:65536", "smtp://u:s3gr3d0@correio.example:x", "smtp://u:s3gr3d0/x@correio.example",
		"smtp://u:25/s3gr3d0@correio.example", "smtp://u:25#s3gr3d0@correio.example", "smtp://u:25?s3gr3d0@correio.example",
		"smtp://u:25?s3gr3d0=1&tls=none", "smtp://u:%zzs3gr3d0@correio.example", "smtp://u:s3gr3d0%00@correio.example",
		"smtp://u:s3gr3d0@correio example", "smtp://u:s3gr3d0@corrêio.example", "smtp://u:s3gr3d0\n@correio.example",
		"smtp://s3gr3d0@correio.example", "smtp://:s3gr3d0@correio.example", "smtp://u:s3gr3d0@correio.example/caminho",
		"smtp://u:s3gr3d0@correio.example?tls=s3gr3d0", "smtp://u:s3gr3d0@correio.example?TLS=none",
		"smtp://u:s3gr3d0@correio.example?tls=none", "smtp://u:s3gr3d0@127.0.0.2?tls=none",
		"smtps://u:s3gr3d0@correio.example?tls=none", "smtp://u:s3gr3d0@correio.example?tls=none&tls=required",
		"smtp://u:s3gr3d0@correio.example?from=s3gr3d0", "smtp://u:s3gr3d0@correio.example?from=",
		"smtp://u:s3gr3d0@correio.example?from=a@b.example,c@d.example",
		"smtp://u:s3gr3d0@correio.example?from=joão@b.example",
		"smtp://u:s3gr3d0@correio.example?from=a%0d%0aBcc: c@d.example <a@b.example>",
		"smtp://u:s3gr3d0@correio.example?from=ana+x@b.example", "smtp://u:s3gr3d0@correio.example?from=a@b.example;x",
	} {
		_, err := New(address)
		if err == nil {
			t.Errorf("%q is taken", address)
			continue
		}
		if s := err.Error(); !strings.HasPrefix(s, "FICHARIO_SMTP_URL: ") || strings.Contains(s, "s3gr3d0") ||
			!strings.Contains(s, "write smtp://") {
			t.Errorf("%q: %s", address, s)
		}
	}
}

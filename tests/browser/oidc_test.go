package browser

import (
	"maps"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/oidctest"
)

// TestSlowTheButtonOfTheProvider leads there and back, and failures are shown beside the password form.
func TestSlowTheButtonOfTheProvider(t *testing.T) {
	t.Parallel()
	env, provider := testkit.SQLite(t), oidctest.Start(t)
	maps.Copy(env, provider.Env("example.com"))
	base := named(t, env)
	start(t, env)
	provider.Know("marina", map[string]any{"sub": "1", "email": email, "email_verified": true})
	b := browsertest.StartBrowser(t, base)
	b.Visit("/contatos")
	b.At("/entrar")
	b.See("Entrar com Aroeira ID")
	fits(b)
	b.Press("Entrar com Aroeira ID")
	b.Fill("#login", "ninguem")
	b.Press("Continuar")
	b.See("Não deu para entrar com Aroeira ID.", "Comece de novo.")
	fits(b)
	b.Press("Entrar com Aroeira ID")
	b.Fill("#login", "marina")
	b.Press("Continuar")
	b.See("Marina Tavares")
	b.Click(`button[aria-label="Sair"]`)
	b.At("/entrar")
	provider.Away(true)
	b.Visit("/entrar")
	b.Fill("#email", email)
	b.Fill("#senha", password)
	b.Press("Entrar")
	b.See("Painel", "Marina Tavares")
	walked.Add(1)
}

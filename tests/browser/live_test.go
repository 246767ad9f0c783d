package browser

import (
	"testing"

	"fichario/tests/testkit/browsertest"
)

// TestTheBoardUpdatesItself when somebody else changes it, but nothing moves under the pointer.
func TestTheBoardUpdatesItself(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/funil")
		b.SeeNot("Chegou Agora")
		p.send(t, "nome", "Chegou Agora", "email", "agora@example.com")
		b.See("Chegou Agora")
		b.Accessible()
		browsertest.Eval[bool](b, "document.querySelector('#quadro a').focus() || true")
		p.send(t, "nome", "Chegou Depois", "email", "depois@example.com")
		b.See("Outra pessoa mudou esta página")
		b.SeeNot("Chegou Depois")
		b.Accessible()
		b.Press("Atualizar")
		b.See("Chegou Depois")
	})
}

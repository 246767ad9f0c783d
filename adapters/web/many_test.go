package web_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestSeveralPastedDocumentsAreABatch: the field says how many it understood and the most that they may cost; one
// button makes the batch, once however often it is sent.
func TestSeveralPastedDocumentsAreABatch(t *testing.T) {
	t.Parallel()
	v := openSite(t).visitor("Ana")
	text := aPerson + ", " + anotherPerson + " 529.982.247-26\n12.ABC.345/01DE-35"
	page := second(v.send("/consultar", "documento", text))
	has(t, "understood", page, "3 documentos neste texto.", "1 outro com dígito errado, de fora.", "2 CPFs", "1 CNPJ",
		"até R$ 0,90", "2 × R$ 0,45", `name="ate" value="0.9"`)
	if strings.Contains(page, `autofocus autofocus`) {
		t.Error("twice")
	}
	request := regexp.MustCompile(`name="pedido" value="([^"]+)"`).FindStringSubmatch(page)[1]
	form := []string{"documentos", text, "produto", "cpf", "ate", "0.90", "pedido", request}
	first, _ := v.send("/consultar/lote", form...)
	again, _ := v.send("/consultar/lote", form...)
	at := first.Header.Get("Location")
	if first.StatusCode != http.StatusSeeOther || !strings.HasPrefix(at, "/lotes/") || again.Header.Get("Location") != at {
		t.Errorf("made: %d %s, again: %d %s", first.StatusCode, at, again.StatusCode, again.Header.Get("Location"))
	}
	has(t, "the batch", v.get(at), "R$ 0,90")

	for what, form := range map[string][]string{
		"no such product":   {"documentos", text, "produto", "x", "ate", "0.90"},
		"no document":       {"documentos", "nada", "produto", "cpf", "ate", "0.90"},
		"a made-up purpose": {"documentos", text, "produto", "cpf", "ate", "0.90", "finalidade", "marketing"},
	} {
		if response, _ := v.send("/consultar/lote", form...); response.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("%s: %d", what, response.StatusCode)
		}
	}
	if response, _ := v.send("/consultar/lote", "documentos", text, "produto", "cpf", "ate", "muito"); response.StatusCode != 404 {
		t.Errorf("no amount: %d", response.StatusCode)
	}
	has(t, "too many", second(v.send("/consultar", "documento", strings.Repeat(aPerson+" "+anotherPerson+" ", 200))),
		"documentos demais")

	for _, code := range []string{"credito", "cobranca"} {
		v.send("/finalidades", "codigo", code, "nome", "Para "+code, "base", "legitimo_interesse", "papeis", "owner")
	}
	response, page := v.send("/consultar/lote", "documentos", text, "produto", "cpf", "ate", "0.90")
	has(t, "for what", page, "Escolha para que são as consultas.", `aria-describedby="finalidade-cpf-cpf-p" autofocus`)
	if response.StatusCode != http.StatusOK {
		t.Errorf("a purpose that is still to be chosen: %d", response.StatusCode)
	}
	response, _ = v.send("/consultar/lote", "documentos", text, "produto", "cpf", "ate", "0.90", "finalidade", "credito")
	has(t, "for what", v.get(response.Header.Get("Location")), "Para credito")
}

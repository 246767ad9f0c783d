package intake

import (
	"encoding/json"
	"testing"
)

// TestJotformKeys: keys carry the number of their question at both ends, and a renamed question keeps the key of the
// one that it was.
func TestJotformKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ request, pretty, want string }{
		{`{"q3_nome3":"Ana Lima","q4_email4":"ana@x.com","q6_empresa6":"Casa Azul","q8_valor8":"R$ 1.000,00"}`,
			"Nome:Ana Lima, E-mail:ana@x.com, Empresa:Casa Azul, Valor:R$ 1.000,00", "Ana Lima ana@x.com Casa Azul 1000"},
		{`{"q3_nome3":"Ana Lima","q4_email4":"ana@x.com","q6_empresa6":"Casa Azul"}`, "", "Ana Lima ana@x.com Casa Azul"},
		{`{"q3_fullName3":{"first":"Ana","last":"Lima"},"q4_email4":"ana@x.com","q6_phone6":{"full":"(11) 98765-4321"}}`,
			"", "Ana Lima ana@x.com (11) 98765-4321"},
		{`{"q3_nombre3":"Ana Lima","q4_correoElectronico4":"ana@x.com","q12_telefono12":"11987654321"}`, "",
			"Ana Lima ana@x.com 11987654321"},
		{`{"q3_qualO3":"Ana Lima","q4_email4":"ana@x.com","q9_melhorWhatsapp9":"11987654321"}`,
			"Qual o seu nome?:Ana Lima, E-mail:ana@x.com, Melhor WhatsApp:11987654321", "Ana Lima ana@x.com 11987654321"},
		{`{"q3_nome3":"Ana Lima","q4_email4":"ana@x.com","q5_typeA":"Casa Azul","q7_typeA7":"Quero comprar"}`,
			"Nome:Ana Lima, E-mail:ana@x.com, Empresa:Casa Azul, Mensagem:Quero comprar",
			"Ana Lima ana@x.com Casa Azul Quero comprar"},
		// Nothing says which question it answered.
		{`{"q4_email4":"ana@x.com","q5_typeA":"Casa","q7_typeA7":"Azul"}`, "E-mail:ana@x.com, Empresa:Casa Azul, Cor:Azul",
			"ana@x.com"},
		{`{"q4_email4":"ana@x.com","q5_typeA":"Casa","q7_typeA7":"Casa"}`, "E-mail:ana@x.com, Empresa:Casa, Cor:Casa",
			"ana@x.com"},
	} {
		body, err := json.Marshal(map[string]string{"rawRequest": c.request, "pretty": c.pretty})
		if err != nil {
			t.Fatal(err)
		}
		d := mustRead(t, "", string(body))
		amount := ""
		if d.Amount != 0 {
			amount = "1000"
		}
		if got := join(d.Name, d.Email, d.Phone, d.Company, amount, d.Message); got != c.want {
			t.Errorf("%s: %s, want %s (%s)", c.request, got, c.want, d.Note())
		}
	}
}

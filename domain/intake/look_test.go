package intake

import "testing"

// TestPhonesByLook: a bare number is the phone if there is no other, unless its key says what it is.
func TestPhonesByLook(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"abcdef":"11987654321"`: "11987654321", `"abcdef":11987654321`: "11987654321", `"abcdef":"1133334444"`: "1133334444",
		`"kq2x":"5511987654321"`: "5511987654321", `"7":"11987654321"`: "11987654321",
		`"numero":"11987654321"`:   "11987654321",
		`"abcdef":"21 98765-4321"`: "21 98765-4321", `"abcdef":"(11) 98765-4321"`: "(11) 98765-4321",
		`"abc":"11111111111","bcd":"11987654321"`: "11987654321", `"cpf":"11987654321","x":"21987654321"`: "21987654321",
		`"answers":{"abcdef":"11987654321"}`:               "11987654321",
		`"fields":[{"id":"abcdef","value":"11987654321"}]`: "11987654321",
		`"value1":"Ana","value3":"11987654321"`:            "11987654321",
		// A meaningless key is surer than one that may mean something.
		`"abcdef":"21987654321","zz9zz9zz9zz9zz9zz9":"11987654321"`: "11987654321",
		// The value of the phone's own field is the phone, and the other number stays.
		`"abcdef":"21987654321","telefone":"11987654321"`: "11987654321",
		// Keys of other numbers.
		`"cpf":"11987654321"`: "", `"cnpj":"11987654321"`: "", `"cep":"1133334444"`: "", `"ip":"11987654321"`: "",
		`"id":"11987654321"`: "", `"visitor_id":"11987654321"`: "", `"visitorid":"11987654321"`: "",
		`"Nº pedido":"11987654321"`: "",
		`"pedido":"11987654321"`:    "", `"numeropedido":"11987654321"`: "", `"orderNumber":"11987654321"`: "",
		`"protocolo":"11987654321"`: "", `"numprotocolo":"11987654321"`: "", `"codigo_rastreio":"11987654321"`: "",
		`"codigobarras":"11987654321"`: "", `"contrato":"11987654321"`: "", `"processo":"11987654321"`: "",
		`"apolice":"11987654321"`: "", `"conta":"11987654321"`: "", `"faturamento":11987654321`: "",
		`"renda_anual":"1133334444"`: "", `"valorimovel":"11987654321"`: "", `"timestampenvio":"1764000000"`: "",
		`"venda":{"nsu":"11987654321"}`: "", `"pedido":{"abcdef":"11987654321"}`: "", `"cnh":"11987654321"`: "",
		`"lead_id":"11987654321"`: "", `"beneficio":"1133334444"`: "", `"instalacao_uc":"1133334444"`: "",
		`"rastreamento":{"abcdef":"11987654321"}`: "", `"chave":"11987654321"`: "",
		// Values that are not phones, or may also be a time.
		`"abcdef":"1764000000"`: "", `"abcdef":"1764000000000"`: "", `"abcdef":"202609141000"`: "",
		`"abcdef":"14.09.2026 10"`: "", `"abcdef":"11111111111"`: "", `"abcdef":"52998224725"`: "",
		`"abcdef":"0011987654"`:    "",
		`"abcdef":"1234567890123"`: "", `"abcdef":"119876543210"`: "", `"abcdef":"1.134.567.890"`: "",
		`"abcdef":["11987654321","21987654321"]`: "",
		// A question's title says what it asks for.
		`"Quanto fatura?":"11987654321"`: "", `"fields":[{"label":"Número de série","value":"11987654321"}]`: "",
	} {
		d := mustRead(t, "", `{"e6lis6":"ana@x.com",`+body+`}`)
		if d.Phone != want || d.Email != "ana@x.com" {
			t.Errorf("%s: %q, want %q (%q)", body, d.Phone, want, d.Note())
		}
	}
}

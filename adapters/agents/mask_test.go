package agents

import (
	"testing"

	"fichario/domain/document"
)

// TestDocumentsAreMasked: with or without punctuation, inside text, as numbers; look-alikes and everything else stay
// unchanged, byte for byte.
func TestDocumentsAreMasked(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ typ, asked, fields, want string }{
		{
			"cpf", "52998224725",
			`{"nome":"ANA \u00e9","cpf":"52998224725", "52998224725":1, "texto":"CPF 529.982.247-25, e CNPJ 11.222.333/0001-81"}`,
			`{"nome":"ANA \u00e9","cpf":"***.982.247-**", "***.982.247-**":1, "texto":"CPF ***.982.247-**, e CNPJ **.222.333/****-**"}`,
		},
		{
			"cpf", "52998224725", `{"por_cpf": {"529.982.247-25" : 1, "11144477735":{"ano2024":"ABC1D23"}}, "s":"a\":1"}`,
			`{"por_cpf": {"***.982.247-**" : 1, "***.444.777-**":{"ano2024":"ABC****"}}, "s":"a\":1"}`,
		},
		{
			"cnpj", "12ABC34501DE35", `{"socios":[{"documento":"12abc34501de35","outro":"52998224726"}],"n":1.50,"x":null}`,
			`{"socios":[{"documento":"**.ABC.345/****-**","outro":"52998224726"}],"n":1.50,"x":null}`,
		},
		{"cpf", "00000000191", `{"cpf":191,"n":1910}`, `{"cpf":"***.000.001-**","n":1910}`},
		{"placa", "ABC1D23", `{"placa":"ABC1D23","chassi":"9BWZZZ377VT004251"}`, `{"placa":"ABC****","chassi":"9BWZZZ377VT004251"}`},
		{
			"email", "ana@x.example", `{"email":"ANA@x.example","emails":["rui@x.example"]}`,
			`{"email":"a***@x.example","emails":["rui@x.example"]}`,
		},
		{"email", "ana@x.example", `{"texto":"contato: Ana@X.example, e outro"}`, `{"texto":"contato: a***@x.example, e outro"}`},
		{
			"cpf", "52998224725", `{"socio":11144477735,"outro":52998224725.0,"fone":11987654321,"n":[152998224725,1e5]}`,
			`{"socio":"***.444.777-**","outro":"***.982.247-**.0","fone":11987654321,"n":[152998224725,1e5]}`,
		},
		{
			"cpf", "52998224725", `{"a":"CPF52998224725 _52998224725_ 529 982 247 25","b":"CNPJ11222333000181","c":"x529982247256"}`,
			`{"a":"CPF***.982.247-** _***.982.247-**_ ***.982.247-**","b":"CNPJ**.222.333/****-**","c":"x529982247256"}`,
		},
		{"placa", "ABC1D23", `{"a":"ABC 1D23, abc-1d23"}`, `{"a":"ABC****, ABC****"}`},
		{
			"cpf", "39053344705", `{"a":"LOTE 100 52998224725","b":"11222333000181 52998224725","c":"123 390 533 447 05"}`,
			`{"a":"LOTE 100 ***.982.247-**","b":"**.222.333/****-** ***.982.247-**","c":"123 ***.533.447-**"}`,
		},
		{
			"cpf", "39053344705", `{"a":"99 11222333000181, 52998224725 39053344705","b":"12 ABC 345 01DE 35","c":"x 12abc34501de35"}`,
			`{"a":"99 **.222.333/****-**, ***.982.247-** ***.533.447-**","b":"**.ABC.345/****-**","c":"x **.ABC.345/****-**"}`,
		},
		{
			"cpf", "39053344705", `{"a":"(11) 98765-4321, +55 11 98765 4321, R$ 1.234.567,89","b":"protocolo 2026 000 123 456 78 90"}`,
			`{"a":"(11) 98765-4321, +55 11 98765 4321, R$ 1.234.567,89","b":"protocolo 2026 000 123 456 78 90"}`,
		},
		{
			"placa", "ABC1D23", `{"a":"XABC1D23 ABC1D23X ABC1D234 ABC_1D23","b":"12ABC34501DE356 x12ABC34501DE35 Travessa Jose 45"}`,
			`{"a":"XABC1D23 ABC1D23X ABC1D234 ABC_1D23","b":"12ABC34501DE356 x12ABC34501DE35 Travessa Jose 45"}`,
		},
	} {
		asked, err := document.Parse(document.Type(c.typ), c.asked)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(masked([]byte(c.fields), asked)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", c.typ, got, c.want)
		}
	}
}

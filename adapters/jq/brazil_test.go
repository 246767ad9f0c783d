package jq

import (
	"encoding/json"
	"strings"
	"testing"
)

// TestOurs: what bureaus write in the Brazilian way, and what each function makes of it; null is what it does not know.
func TestOurs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ f, in, want string }{
		{"data_br", `"31/12/1999"`, `"1999-12-31"`},
		{"data_br", `" 31/12/1999 23:59:59"`, `"1999-12-31"`},
		{"data_br", `"31.12.1999"`, `"1999-12-31"`},
		{"data_br", `"05-03-1961"`, `"1961-03-05"`},
		{"data_br", `"05031961"`, `"1961-03-05"`},
		{"data_br", `"19610305"`, `"1961-03-05"`},
		{"data_br", `"20121012"`, `"2012-10-12"`},
		{"data_br", `"10102010"`, `"2010-10-10"`},
		{"data_br", `19610305`, `"1961-03-05"`},
		{"data_br", `"1961-03-05T00:00:00.000Z"`, `"1961-03-05"`},
		{"data_br", `"1961-03-05"`, `"1961-03-05"`},
		{"data_br", `"29/02/2024"`, `"2024-02-29"`},
		{"data_br", `"29/02/2023"`, `null`},
		{"data_br", `"31/13/1999"`, `null`},
		{"data_br", `"00/00/0000"`, `null`},
		{"data_br", `"01/01/0001 00:00:00"`, `null`},
		{"data_br", `"0001-01-01T00:00:00Z"`, `null`},
		{"data_br", `"31/12-1999"`, `null`},
		{"data_br", `"31/12/99"`, `null`},
		{"data_br", `"31/12/1999x"`, `null`},
		{"data_br", `"1961-0305"`, `null`},
		{"data_br", `""`, `null`},
		{"data_br", `["31/12/1999"]`, `null`},
		{"telefone", `"(11) 98765-4321"`, `{"ddd":"11","numero":"987654321"}`},
		{"telefone", `"+55 (011) 2385-1939"`, `{"ddd":"11","numero":"23851939"}`},
		{"telefone", `"0011023851939"`, `{"ddd":"11","numero":"23851939"}`},
		{"telefone", `11987654321`, `{"ddd":"11","numero":"987654321"}`},
		{"telefone", `"5523851939"`, `{"ddd":"55","numero":"23851939"}`},
		{"telefone", `"987654321"`, `{"ddd":null,"numero":"987654321"}`},
		{"telefone", `"2385-1939"`, `{"ddd":null,"numero":"23851939"}`},
		{"telefone", `"(11) 2385-1939 / (11) 98765-4321"`, `null`},
		{"telefone", `"(10) 2385-1939"`, `null`},
		{"telefone", `"+351 21 000 1234"`, `null`},
		{"telefone", `"+51 987 654 321"`, `null`}, // Peru
		{"telefone", `"(+51) 987654321"`, `null`},
		{"telefone", `"+55 55 98765-4321"`, `{"ddd":"55","numero":"987654321"}`},
		{"telefone", `"+55 98765-4321"`, `{"ddd":null,"numero":"987654321"}`},
		{"telefone", `"+55 2385-1939"`, `{"ddd":null,"numero":"23851939"}`},
		{"telefone", `"0800"`, `null`},
		{"telefone", `"0000000000"`, `null`},
		{"telefone", `null`, `null`},
		{"telefone", `{"ddd":"11"}`, `null`},
		{"reais", `"R$ 1.234,56"`, `1234.56`},
		{"reais", `"1234.56"`, `1234.56`},
		{"reais", `"1234567890.12"`, `1234567890.12`},
		{"reais", `"1500"`, `1500`},
		{"reais", `"1.500"`, `1500`},
		{"reais", `"0,0001"`, `0.0001`},
		{"reais", `"-10,00"`, `-10`},
		{"reais", `10.500000`, `10.500000`},
		{"reais", `"R$ ***"`, `null`},
		{"reais", `"0,00001"`, `null`},
		{"reais", `""`, `null`},
		{"reais", `true`, `null`},
		{"documento", `"529.982.247-25"`, `"52998224725"`},
		{"documento", `"11.222.333/0001-81"`, `"11222333000181"`},
		{"documento", `"12.abc.345/01DE-35"`, `"12ABC34501DE35"`},
		{"documento", `"12.abc.345/01DE-3\u017f"`, `null`}, // its capital is an S
		{"documento", `"***.982.247-**"`, `"***982247**"`},
		{"documento", `52998224725`, `"52998224725"`},
		{"documento", `191`, `null`}, // valid both as a CPF and as a CNPJ
		{"documento", `12345000165`, `"00012345000165"`},
		{"documento", `360305000104`, `"00360305000104"`},
		{"documento", `11222333000181`, `"11222333000181"`},
		{"documento", `5299822`, `null`},
		{"documento", `"5299822472"`, `null`},
		{"documento", `"***000000**"`, `null`},
		{"documento", `"00000000000"`, `null`},
		{"documento", `5.2`, `null`},
		{"documento", `null`, `null`},
		// The examples on Meta's page on customer information parameters, and on Google's on formatting user data.
		{"email_limpo", `"John_Smith@gmail.com"`, `"john_smith@gmail.com"`},
		{"email_limpo", `" cloudy.san francisco@GMAIL.com\u200b\n"`, `"cloudy.sanfrancisco@gmail.com"`},
		{"email_limpo", `"ÉLIO@Example.com"`, `"élio@example.com"`},
		{"email_limpo", `"ana@"`, `null`},
		{"email_limpo", `"a@b@c"`, `null`},
		{"email_limpo", `12`, `null`},
		{"sha256", `"john_smith@gmail.com"`, `"62a14e44f765419d10fea99367361a727c12365e2520f32218d505ed9aa0f62f"`},
		{"sha256", `"16505551212"`, `"e323ec626319ca94ee8bff2e4c87cf613be6ea19919ed1364124e16807ab3176"`},
		{"sha256", `"정"`, `"8fa8cd9c440be61d0151429310034083132b35975c4bea67fdd74158eb51db14"`},
		{"sha256", `"valéry"`, `"08e1996b5dd49e62a4b4c010d44e4345592a863bb9f8e3976219bac29417149c"`},
		{"sha256", `""`, `null`},
		{"sha256", `null`, `null`},
		{"sha256", `16505551212`, `null`},
	} {
		p, err := Compile(c.f)
		if err != nil {
			t.Fatal(err)
		}
		v, err := p.Run(t.Context(), decoded(t, c.in))
		if err != nil {
			t.Errorf("%s | %s: %v", c.in, c.f, err)
		}
		if got, err := json.Marshal(v); err != nil || string(got) != c.want {
			t.Errorf("%s | %s: got %s, %v, want %s", c.in, c.f, got, err, c.want)
		}
	}
}

// TestOursAmongTheirs: a program may use them anywhere, and may still have functions of its own with these names.
func TestOursAmongTheirs(t *testing.T) {
	t.Parallel()
	const in = `{"a":"31/12/1999","f":["(11) 2385-1939","x"],"v":"1,50"}`
	for src, want := range map[string]string{
		`[.f[] | telefone | values | .ddd]`:                    `["11"]`,
		`{d: (.a | data_br), v: (.v | reais)}`:                 `{"d":"1999-12-31","v":1.50}`,
		`def telefone: "meu"; .f[0] | telefone`:                `"meu"`,
		`def reais($x): $x; reais(1)`:                          `1`,
		`(.v | reais) > 1`:                                     `true`,
		`try (.a | data_br | error) catch .`:                   `"1999-12-31"`,
		`. as $reais | $reais.v | reais | tostring`:            `"1.5"`,
		`[limit(3; repeat(.a)) | data_br] | unique | length`:   `1`,
		`.f[0] | (telefone | .ddd) as $documento | $documento`: `"11"`,
	} {
		p, err := Compile(src)
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		v, err := p.Run(t.Context(), decoded(t, in))
		got, _ := json.Marshal(v)
		if want = strings.ReplaceAll(want, "1.50", "1.5"); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", src, got, err, want)
		}
	}
}

// TestOursAreBounded: a long text is no date, and a program that calls them without end is stopped.
func TestOursAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("1", 1<<20)
	for name := range ours {
		p, err := Compile(name)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := p.Run(t.Context(), long); v != nil || err != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if p, err = Compile(`[range(1e9) | "11987654321" | ` + name + `] | length`); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Run(t.Context(), nil); err == nil {
			t.Errorf("%s: a billion calls are within the bounds", name)
		}
	}
}

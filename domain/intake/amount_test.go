package intake

import (
	"strings"
	"testing"
)

func TestNumberQuestions(t *testing.T) {
	t.Parallel()
	number := func(label, value string) string {
		return `{"label":"` + label + `","type":"INPUT_NUMBER","value":` + value + `}`
	}
	text := func(label, value string) string {
		return `{"label":"` + label + `","type":"INPUT_TEXT","value":"` + value + `"}`
	}
	for _, c := range []struct {
		fields []string
		want   int64 // reais
	}{
		{[]string{number("Quanto?", "500")}, 500}, {[]string{number("Quantos?", "500")}, 0},
		{[]string{number("Idade", "50")}, 0}, {[]string{number("Quanto?", "5"), number("Peças", "6")}, 0},
		{[]string{number("Preço alvo", "5"), number("Peças", "6")}, 5}, {[]string{number("Faturamento anual", "5")}, 0},
		{[]string{text("Quanto?", "500")}, 0}, {[]string{number("Quanto investe hoje?", "500")}, 0},
		{[]string{text("Orçamento", "500"), number("Quanto?", "7")}, 500},
	} {
		fields := append([]string{`{"label":"Email","type":"INPUT_EMAIL","value":"a@b.c"}`}, c.fields...)
		body := `{"data":{"fields":[` + strings.Join(fields, ",") + `]}}`
		for _, k := range []Kind{Generic, FormService} {
			if d, err := Read(Options{Kind: k}, "", []byte(body)); err != nil || d.Amount != c.want*10000 {
				t.Errorf("%s %s: %d, %v", k, body, d.Amount, err)
			}
		}
	}
	for _, k := range []Kind{Generic, FormService} {
		if d, err := Read(Options{Kind: k}, "", []byte(`{"email":"a@b.c","quanto":500}`)); err != nil || d.Amount != 0 {
			t.Errorf("%s: %d, %v", k, d.Amount, err)
		}
	}
}

// TestAmountKeys reads the values of shops: in English, and in cents.
func TestAmountKeys(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		body  string
		cents int64
	}{
		{`"trans_value":"297.00"`, 29700}, {`"sale_amount":197.5`, 19750}, {`"trans_value":19790`, 0},
		{`"total_price":"398.00","total_tax":"10.00"`, 39800}, {`"tax_amount":"10.00"`, 0}, {`"amount_cents":19990`, 19990},
		{`"valor_em_centavos":"19990"`, 19990}, {`"valor_em_centavos":"199,90"`, 0},
		{`"purchase":{"price":{"value":149.9},"full_price":{"value":199.9}}`, 14990},
		{`"type":"order.paid","data":{"amount":29900,"charges":[{"amount":29900}]}`, 29900},
		{`"object":"checkout.session","livemode":true,"amount_total":9900`, 9900},
		{`"amount":1500,"currency":"BRL"`, 150000}, {`"qual_o_seu_orçamento_?":"r$_1.500"`, 150000},
		{`"negocio":{"titulo":"Site","valor":"R$ 2.500,00"}`, 250000},
		{`"link":{"coupons":[{"code":"A","amount":"10.00"}]}`, 0}, {`"partner_total":"180.00"`, 0},
		{`"transaction_amount":197,"coupon_amount":10.5`, 19700}, {`"coupon":{"amount":10.5},"recent_amount":"5.00"`, 500},
		{`"event":"order.success","thrivecart_account":"loja","order":{"total":"19700","total_str":"197.00","tax":"0"}`, 19700},
		{`"integration_key":"k","seller_id":"A","product":{"price":9700},"transaction":{"total_price":19700}`, 19700},
		{`"product_key":"p","trans_key":"ven1","trans_value":"19700","trans_total_value":"20700","trans_freight":"1000"`, 19700},
		{`"Percentual":{"valor":"10"},"recent_amount":"5.00"`, 500}, {`"_total":5400`, 0},
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+c.body+`}`); d.Amount != c.cents*100 {
			t.Errorf("%s: %d, want %d", c.body, d.Amount, c.cents*100)
		}
	}
}

// TestAValueThatIsTooLarge for the contact is read in the note.
func TestAValueThatIsTooLarge(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"email":"a@b.c","valor":999999999999999}`)
	if note := d.Note(); d.Amount != 0 || note != "valor: 999999999999999" {
		t.Errorf("%d, %q", d.Amount, note)
	}
}

func TestValor(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{
		`1234.56`: 12345600, `"R$ 1.234,56"`: 12345600, `null`: 0, `true`: 0, `""`: 0, `[990]`: 9900000, `["10","20"]`: 0,
		`{"value":"R$ 85.000"}`: 850000000, `1e300`: 0, `1e3`: 10000000, `-5`: -50000, `0.005`: 100, `1e-400`: 0,
		`9.2e14`: 9200000000000000000, `9.3e14`: 0, `922337203685477`: 9223372036854770000, `1e15`: 0, `1E+2`: 1000000, `{"amount":"10"}`: 100000,
		`{"valor":10}`: 100000, `{"x":10}`: 0, `["R$ 10"]`: 100000, `1e99999999999`: 0, `1e-99999999999`: 0, `{}`: 0,
		`[]`: 0,
	} {
		d, err := Read(Options{Kind: Generic}, "application/json", []byte(`{"email":"a@b.c","valor":`+body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		if d.Amount != want {
			t.Errorf("valor %s = %d, want %d", body, d.Amount, want)
		}
	}
}

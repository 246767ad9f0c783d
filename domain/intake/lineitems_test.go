package intake

import (
	"fmt"
	"strings"
	"testing"
)

// TestLineItems: an order without a total is worth the exact sum of its lines, or nothing where that is in doubt.
func TestLineItems(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int64{ // in ten-thousandths of a real
		`"items":[{"name":"Rede","price":10,"quantity":2}]`:                                               20_0000,
		`"order":{"line_items":[{"price":"199.90","quantity":3},{"price":"0.10","quantity":1}]}`:          599_8000,
		`"itens":[{"preço unitário":"R$ 1.234,56","qtd":"2"},{"preco_unitario":0.1,"qtde":3}]`:            2469_4200,
		`"produtos":[{"nome":"Farinha","preco":"8,90","quantidade":"1,5"}]`:                               13_3500,
		`"data":{"products":[{"unit_price":0.1,"quantity":3},{"unit_price":0.2,"quantity":3}]}`:           9000,
		`"lines":[{"product_name":"Rede","unitPrice":50,"quantity":4,"total":200}]`:                       200_0000,
		`"items":[{"price_cents":4990,"quantity":2}]`:                                                     99_8000,
		`"items":[{"price":10,"quantity":2}],"discount":"0.00","total_items":2,"items_count":1`:           20_0000,
		`"items":[{"price":10,"quantity":2,"product":{"id":1}}],"items_total_quantity":2,"tax_rate":"10"`: 20_0000,

		// A total, readable or not, takes precedence.
		`"total":"25.00","items":[{"price":10,"quantity":2}]`:      25_0000,
		`"total":0,"items":[{"price":10,"quantity":2}]`:            0,
		`"valor":"a combinar","items":[{"price":10,"quantity":2}]`: 0,
		`"subtotal":"20.00","items":[{"price":10,"quantity":2}]`:   0,
		// Something else is charged beside the lines.
		`"discount":5,"items":[{"price":10,"quantity":2}]`:                                      0,
		`"items":[{"price":10,"quantity":2}],"shipping_lines":[{"title":"PAC","price":"7.00"}]`: 0,
		`"frete":{"valor":"12,00"},"pedido":{"itens":[{"preco":10,"quantidade":2}]}`:            0,
		`"items":[{"price":10,"quantity":2,"discount":"1.00"}]`:                                 0,
		`"items":[{"price":10,"quantity":2,"line_total":18}]`:                                   0,
		// A line is incomplete.
		`"items":[{"price":10,"quantity":2},{"price":5}]`:                                  0,
		`"items":[{"price":10,"quantity":2},{"quantity":5}]`:                               0,
		`"items":[{"price":10}]`:                                                           0,
		`"items":[{"price":"sob consulta","quantity":2}]`:                                  0,
		`"items":[{"price":10,"quantity":0}]`:                                              0,
		`"items":[{"price":-10,"quantity":2}]`:                                             0,
		`"items":[{"price":10,"preco":12,"quantity":2}]`:                                   0,
		`"items":[{"price":0.0001,"quantity":0.5}]`:                                        0,
		`"items":[{"price":9e14,"quantity":2e5}]`:                                          0,
		`"items":[{"price":9e14,"quantity":1},{"price":9e14,"quantity":1}]`:                0,
		`"items":[{"price":10,"quantity":2}],"order":{"items":[{"price":1,"quantity":1}]}`: 0,
		// Not the lines of an order.
		`"filhos":[{"price":10,"quantity":2}]`:                                            0,
		`"seller_id":"s","permalink":"p","price":"0","items":[{"price":10,"quantity":2}]`: 0,
	} {
		if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Amount != want {
			t.Errorf("%s: %d, want %d", body, d.Amount, want)
		}
	}
	for list := range lineLists {
		for _, at := range []string{`"%s":[%s]`, `"order":{"%s":[%s]}`, `"data":{"%s":[%s]}`} {
			body := fmt.Sprintf(at, list, `{"name":"Rede","price":10,"quantity":2},{"nome":"Fio","preco":1,"qtd":3}`)
			if d := mustRead(t, "", `{"email":"a@b.c",`+body+`}`); d.Amount != 23_0000 {
				t.Errorf("%s: %d", body, d.Amount)
			}
		}
	}
	d := mustRead(t, "", `{"email":"a@b.c","nome":"Ana","line_items":[{"name":"Rede","price":10,"quantity":2}]}`)
	if d.Fields[len(d.Fields)-1] != (Source{"valor", "line_items"}) || !strings.Contains(d.Note(), "Rede") ||
		!strings.Contains(d.Note(), "10") {
		t.Errorf("%+v\n%s", d.Fields, d.Note())
	}
	if d := mustRead(t, formType, pairs("email", "a@b.c", "items[0][price]", "10,50", "items[0][quantity]", "2",
		"items[1][price]", "1", "items[1][quantity]", "1")); d.Amount != 22_0000 {
		t.Errorf("a form: %d", d.Amount)
	}
}

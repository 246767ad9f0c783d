package catalog_test

import (
	"testing"

	"fichario/domain/catalog"
)

// TestAgreement: what two bureaus say of a field is the same where only its writing differs.
func TestAgreement(t *testing.T) {
	t.Parallel()
	p := catalog.Product{Fields: []catalog.Field{{Name: "a"}, {Name: "b"}}}
	equal, different := catalog.Agreement{Equal: 1}, catalog.Agreement{Different: 1}
	for _, c := range []struct {
		first, second string
		want          catalog.Agreement
	}{
		{`"Ana"`, `"Ana"`, equal},
		{`"São  Paulo "`, `"SAO PAULO"`, equal},
		{`"Ana"`, `"Ane"`, different},
		{`null`, `null`, catalog.Agreement{Neither: 1}},
		{`"Ana"`, `null`, catalog.Agreement{OnlyFirst: 1}},
		{`null`, `false`, catalog.Agreement{OnlySecond: 1}},
		{`false`, `null`, catalog.Agreement{OnlyFirst: 1}},
		{`false`, `true`, different},
		{`1000`, `1000.00`, equal},
		{`0.10`, `0.1`, equal},
		{`10`, `1`, different},
		{`1.0e2`, `1.0e3`, different},
		{`1.0E7`, `10000000`, equal},
		{`12.50`, `1250e-2`, equal},
		{`1e+2`, `100`, equal},
		{`-1`, `1`, different},
		{`-0.0`, `0e9`, equal},
		{`1e999999999`, `1e999999998`, different},
		{`1e99999999999999999999`, `1e99999999999999999998`, different},
		{`[1.0E7]`, `[10000000]`, equal},
		{`1`, `"1"`, different},
		{`9007199254740993`, `9007199254740992`, different},
		{`["b","a"]`, `["A","b"]`, equal},
		{`["a","a"]`, `["a"]`, different},
		{`[{"ddd":"11","numero":"9"},{"ddd":"21","numero":null}]`, `[{"numero":null,"ddd":"21"},{"numero":"9","ddd":"11"}]`, equal},
		{`{"x":[2,1]}`, `{"x":[1,2.0]}`, equal},
		{`{"x":1}`, `{"x":1,"y":null}`, different},
	} {
		got := p.Agree([]byte(`{"a":`+c.first+`}`), []byte(`{"a":`+c.second+`}`))
		if got["a"] != c.want || got["b"] != (catalog.Agreement{Neither: 1}) || len(got) != 2 {
			t.Errorf("%s and %s: %+v", c.first, c.second, got)
		}
	}
	if got := p.Agree([]byte("nonsense"), []byte(`{"a":1}`)); got["a"] != (catalog.Agreement{OnlySecond: 1}) {
		t.Errorf("what cannot be read: %+v", got)
	}
	sum := catalog.Agreement{Equal: 2, Different: 1, OnlyFirst: 1, OnlySecond: 1, Neither: 4}
	if sum.Total() != 9 || sum.Known() != 5 || sum.Percent() != 40 || (catalog.Agreement{Neither: 1}).Percent() != 0 {
		t.Errorf("%d, %d, %d%%", sum.Total(), sum.Known(), sum.Percent())
	}
}

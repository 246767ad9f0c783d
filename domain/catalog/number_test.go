package catalog_test

import (
	"testing"

	"fichario/domain/catalog"
)

func TestNumbersAreWrittenAsInBrazil(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in     string
		format catalog.Format
		want   string
	}{
		{"0", "", "0"}, {"1500.50", catalog.Reais, "R$\u00a01.500,50"}, {"1500.50", "", "1.500,5"},
		{"180000.0", catalog.Reais, "R$\u00a0180.000,00"}, {"2.075", catalog.Reais, "R$\u00a02,075"},
		{"-1234567", "", "-1.234.567"}, {"12345678901234567890", "", "12.345.678.901.234.567.890"},
		{"1e3", catalog.Reais, "R$\u00a01e3"}, {"712", catalog.Score, "712"}, {"2024", catalog.Year, "2024"},
		{"12.50", catalog.Percent, "12,5%"},
	} {
		if got := c.format.Number(c.in); got != c.want {
			t.Errorf("%s as %q = %s, want %s", c.in, c.format, got, c.want)
		}
	}
}

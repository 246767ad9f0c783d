package lookups

import "testing"

func TestDecimal(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in    string
		least int
		want  string
	}{
		{"0", 0, "0"}, {"1500.50", 2, "1.500,50"}, {"1500.50", 0, "1.500,5"}, {"180000.0", 2, "180.000,00"},
		{"2.075", 2, "2,075"},
		{"-1234567", 0, "-1.234.567"}, {"12345678901234567890", 0, "12.345.678.901.234.567.890"}, {"1e3", 2, "1e3"},
		{"712", 0, "712"},
	} {
		if got := decimal(c.in, c.least); got != c.want {
			t.Errorf("decimal(%s, %d) = %s, want %s", c.in, c.least, got, c.want)
		}
	}
}

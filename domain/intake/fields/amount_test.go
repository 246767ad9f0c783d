package fields

import (
	"fmt"
	"testing"
)

func TestParseAmount(t *testing.T) {
	t.Parallel()
	const bad = -1 << 62
	for text, want := range map[string]float64{
		"1234.56": 1234.56, "R$ 1.234,56": 1234.56, "1.234,56": 1234.56, "1,234.56": 1234.56, "US$ 1,234.56": 1234.56,
		"1.234": 1234, "1,234": 1234, "1234,5": 1234.5, "0.500": 0.5, "1.234.567,89": 1234567.89, "1,234,567.89": 1234567.89,
		"1 234,56": 1234.56, "1'234.56": 1234.56, "R$1.500": 1500, "R$ 500/mês": 500, "500 reais por mês": 500, "10k": 10000,
		"10 mil": 10000, "1,5 mil": 1500, "R$ 1.5k": 1500, "2 milhões": 2000000, "1,5 mi": 1500000, "1.5M": 1500000,
		"R$ 1.000 a R$ 5.000": bad, "Entre R$ 5.000 e R$ 10.000": bad, "Até R$ 5 mil": bad, "Acima de R$ 20.000": bad,
		"a combinar": bad, "1000+": bad, "": bad, "R$ -50,00": -50, "(1.200,00)": -1200, "1.23.456": bad, "12,34.56": bad,
		"15%": bad, "12/05/2024": bad, "１２３４,５０": 1234.5, "R$\u00a03.500,00": 3500, "3500 BRL": 3500, "aprox. R$ 800": 800,
		"999.999.999.999.999,99": bad, "1e3": bad, "NaN": bad, "-R$ 50": -50, "R$ 1.000.000": 1000000, "1.000.00": bad,
		"0,005": 0.01, "0,004": 0, "-0,005": -0.01, "2,675": 2675, "2,6750": 2.68, "1234,565": 1234.57, "0": 0, "R$ 0,00": 0,
		"1 bilhão": 1e9, "2 mi": 2e6, "10 mil reais": 10000, "R$ 85.000": 85000, "€ 20": 20, "£ 1,000.00": 1000,
		"cerca de 3 mil": 3000, "R$ 2.000,00 mensais": 2000, "1..5": bad, ".": bad, "R$": bad, "--5": bad, "5 5": bad,
		"1 2345": bad, "0.123.456": 123456, "R$ 1,00 real": 1, "realmente": bad, "922.337.203.685.477,59": bad,
		"R$ 10.000,00 (dez mil)": bad, "10 a 20": bad, "10-20": bad,
	} {
		got, ok := ParseAmount(text)
		if want == bad {
			if ok {
				t.Errorf("ParseAmount(%q) = %d, want no number", text, got)
			}
			continue
		}
		if s := fmt.Sprintf("%.2f", want); !ok || format(got) != s {
			t.Errorf("ParseAmount(%q) = %s, %v, want %s", text, format(got), ok, s)
		}
	}
}

func TestLargestAmount(t *testing.T) {
	t.Parallel()
	if n, ok := ParseAmount("-922.337.203.685.477,58"); !ok || n != -9223372036854775800 {
		t.Error(n, ok)
	}
}

// format writes ten-thousandths with two places, exactly.
func format(n int64) string {
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return fmt.Sprintf("%s%d.%02d", sign, n/10000, n/100%100)
}

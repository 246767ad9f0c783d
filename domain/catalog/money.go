package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Money is an amount in ten-thousandths of a real. Bureaus price in fractions of
// a cent, and a float would not add up.
type Money int64

// Real is one real.
const Real Money = 10_000

// ErrMoney says that a text is not an amount.
var ErrMoney = errors.New(`não é um valor em reais com até quatro casas decimais, como "0.45"`)

// ParseMoney reads a non-negative decimal number of reais with up to four
// decimals ("0.45", "2.075", "12"). Any other text is ErrMoney.
func ParseMoney(s string) (Money, error) {
	whole, frac, hasFrac := strings.Cut(s, ".")
	if whole == "" || len(whole) > 12 || hasFrac && frac == "" || len(frac) > 4 {
		return 0, ErrMoney
	}
	for _, part := range []string{whole, frac} {
		for i := range len(part) {
			if part[i] < '0' || part[i] > '9' {
				return 0, ErrMoney
			}
		}
	}
	n, err := strconv.ParseInt(whole+frac+"0000"[len(frac):], 10, 64)
	if err != nil {
		return 0, ErrMoney
	}
	return Money(n), nil
}

// exponentMost is far beyond any amount.
const exponentMost = 30

// ParseNumber reads an amount as programs write JSON numbers, including exponents and needless zeros: 1.0E7, 10.500000.
// Its error is ErrMoney.
func ParseNumber(s string) (Money, error) {
	mantissa, exponent := s, 0
	if at := strings.IndexAny(s, "eE"); at >= 0 {
		n, err := strconv.Atoi(s[at+1:])
		if err != nil || n > exponentMost || n < -exponentMost {
			return 0, ErrMoney
		}
		mantissa, exponent = s[:at], n
	}
	whole, frac, hasFrac := strings.Cut(mantissa, ".")
	if whole == "" || hasFrac && frac == "" {
		return 0, ErrMoney
	}
	zeros := strings.Repeat("0", exponentMost)
	digits, point := zeros+whole+frac+zeros, len(zeros)+len(whole)+exponent
	whole, frac = strings.TrimLeft(digits[:point], "0"), strings.TrimRight(digits[point:], "0")
	whole = cmp.Or(whole, "0")
	if frac != "" {
		whole += "." + frac
	}
	return ParseMoney(whole)
}

// ParseReais reads an amount as people in Brazil, and Exact, write it: R$ 1.234,5678, with a comma before at most four
// digits and, optionally, a dot before each group of three. A single dot that forms no group is read as the comma. Its
// error is ErrMoney.
func ParseReais(s string) (Money, error) {
	s, negative := strings.CutPrefix(strings.ToUpper(strings.TrimSpace(s)), "-")
	s = strings.TrimSpace(strings.TrimPrefix(s, "R$"))
	whole, frac, decimal := strings.Cut(s, ",")
	groups := strings.Split(whole, ".")
	for i, g := range groups {
		if i == 0 && len(g) <= 3 && g != "0" || i > 0 && len(g) == 3 || len(groups) == 1 {
			continue
		}
		if decimal || len(groups) > 2 {
			return 0, ErrMoney
		}
		groups, frac, decimal = groups[:1], groups[1], true
		break
	}
	whole = strings.Join(groups, "")
	if decimal {
		whole += "." + frac
	}
	m, err := ParseMoney(whole)
	if negative {
		m = -m
	}
	return m, err
}

// cent is the smallest part of a real that people write.
const cent = Real / 100

// Reais writes the amount as people in Brazil do, in whole cents: R$ 1.234,50, with a no-break space. Half a cent or
// more is rounded away from zero; Exact does not round.
func (m Money) Reais() string {
	rest := m % cent
	m -= rest
	switch {
	case rest >= cent/2:
		m += cent
	case rest <= -cent/2:
		m -= cent
	}
	return m.brazilian(2)
}

// Exact is Reais with three or four decimals where there is a fraction of a cent: R$ 2,075. Prices are written this
// way.
func (m Money) Exact() string {
	decimals := 2
	for part := cent; m%part != 0; part /= 10 {
		decimals++
	}
	return m.brazilian(decimals)
}

// WholeCents reports whether Reais is exact.
func (m Money) WholeCents() bool { return m%cent == 0 }

// brazilian writes the amount with that many of its four decimals.
func (m Money) brazilian(decimals int) string {
	sign := "R$\u00a0"
	if m < 0 {
		sign, m = "-"+sign, -m
	}
	return sign + Grouped(strconv.FormatInt(int64(m/Real), 10)) + "," + fmt.Sprintf("%04d", int64(m%Real))[:decimals]
}

// String returns the exact decimal number of reais, without needless zeros: the
// same text is the JSON number of the contract.
func (m Money) String() string {
	sign := ""
	if m < 0 {
		sign, m = "-", -m
	}
	s := strconv.FormatInt(int64(m/Real), 10)
	if frac := int64(m % Real); frac != 0 {
		f := strconv.FormatInt(frac, 10)
		s += "." + strings.TrimRight("0000"[len(f):]+f, "0")
	}
	return sign + s
}

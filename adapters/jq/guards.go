package jq

import (
	"errors"
	"math/big"
	"regexp/syntax"
	"strings"

	"github.com/itchyny/gojq"
)

// guards are the functions that guard inserts into a program. Each takes the meter as its first argument, and returns
// its input unchanged, or an error, so that path expressions pass through it.
func guards() []gojq.CompilerOption {
	guard := func(name string, args int, check func(m *meter, v any, args []any) error) gojq.CompilerOption {
		return gojq.WithFunction(name, args+1, args+1, func(v any, args []any) any {
			m, _ := args[0].(*meter) // guard always passes a meter
			if err := check(m, v, args[1:]); err != nil {
				return err
			}
			return v
		})
	}
	times := func(v any) int { n, _ := v.(int); return n }
	return []gojq.CompilerOption{
		guard("_wide", 1, func(m *meter, v any, a []any) error { return m.wide(v, times(a[0])) }),
		guard("_deep", 1, func(m *meter, v any, a []any) error { return m.deep(v, times(a[0])) }),
		guard("_operate", 3, func(m *meter, _ any, a []any) error { return m.operate(a[0], a[1], a[2]) }),
		guard("_search", 1, func(m *meter, v any, a []any) error { return m.search(v, a[0]) }),
		guard("_index", 0, func(m *meter, v any, _ []any) error { return m.index(v) }),
		guard("_path", 1, func(m *meter, _ any, a []any) error { return m.path(a[0]) }),
		guard("_join", 1, func(m *meter, v any, a []any) error { return m.join(v, a[0]) }),
		guard("_short", 1, func(m *meter, _ any, a []any) error { return m.short(a[0]) }),
		guard("_regex", 4, func(m *meter, v any, a []any) error {
			return m.regex(v, a[0] == true, a[1] == true, a[2], a[3])
		}),
	}
}

// operate checks what an operator is about to do.
func (m *meter) operate(op, x, y any) error {
	_, xText := x.(string)
	_, yText := y.(string)
	xs, xList := x.([]any)
	ys, yList := y.([]any)
	_, xObject := x.(map[string]any)
	_, yObject := y.(map[string]any)
	switch {
	case op == "+":
		return errors.Join(m.wide(x, 1), m.wide(y, 1))
	case op == "-" && xList && yList:
		return m.product(xs, ys)
	case op == "/" && xText:
		return m.wide(x, 32)
	case op == "*" && xText != yText:
		return m.repeat(x, y)
	case op == "*" && !xText:
		if a, b := bits(x), bits(y); a+b > 4*maxDigits {
			m.err = ErrBounds
		}
	}
	if xList && yList || xObject && yObject {
		return errors.Join(m.deep(x, 1), m.deep(y, 1))
	}
	return m.err
}

// repeat spends the length of a text about to be repeated.
func (m *meter) repeat(x, y any) error {
	text, is := x.(string)
	if !is {
		text, _ = y.(string)
		y = x
	}
	times, _ := gojq.ToInt(y)
	if f, ok := gojq.ToFloat64(y); ok && f > 0 {
		times++ // gojq may round up
	}
	return m.spend(len(text), max(times, 1))
}

// bits is the length of a big integer.
func bits(v any) int {
	if n, is := v.(*big.Int); is {
		return n.BitLen()
	}
	return 0
}

// product spends a comparison of each element with each.
func (m *meter) product(xs, ys []any) error {
	before := m.left.work
	if errors.Join(m.deep(xs, 1), m.deep(ys, 1)) != nil {
		return m.err
	}
	return m.spend((before-m.left.work)/16+1, min(len(xs), len(ys)))
}

// search spends a search for x anywhere in v.
func (m *meter) search(v, x any) error {
	text, isText := v.(string)
	part, _ := x.(string)
	if isText {
		// gojq makes a list of the characters and tries each position.
		return errors.Join(m.spend(len(text), 32), m.spend(len(text), len(part)))
	}
	xs, isList := x.([]any)
	if !isList {
		xs = []any{x}
	}
	if vs, is := v.([]any); is {
		return m.product(vs, xs)
	}
	return errors.Join(m.deep(v, 4), m.deep(x, 4))
}

// index refuses an index far beyond any list, and a list as index, which is a search.
func (m *meter) index(v any) error {
	_, isList := v.([]any)
	if n, ok := gojq.ToInt(v); isList || ok && n > maxIndex {
		m.err = ErrBounds
	}
	return m.err
}

// path applies index to every element of a path.
func (m *meter) path(p any) error {
	places, _ := p.([]any)
	for _, place := range places {
		if m.index(place) != nil {
			break
		}
	}
	return m.err
}

// join spends the length of a joined text.
func (m *meter) join(v, separator any) error {
	n := 0
	switch v := v.(type) {
	case []any:
		n = len(v)
	case map[string]any:
		n = len(v)
	}
	return errors.Join(m.deep(v, 2), m.spend(width(separator), n))
}

// short refuses a text that is too long for a number or a format.
func (m *meter) short(v any) error {
	if s, is := v.(string); is && len(s) > maxDigits {
		m.err = ErrBounds
	}
	return m.err
}

// maxPattern bounds the text of a regular expression.
const maxPattern = 2000

// regex checks a regular expression about to be matched. made says that it is made from data. An invalid one is left
// for gojq to refuse.
func (m *meter) regex(v any, all, made bool, pattern, flags any) error {
	if pair, is := pattern.([]any); is && len(pair) > 0 {
		if pattern = pair[0]; len(pair) > 1 {
			flags = pair[1]
		}
	}
	text, is := v.(string)
	re, isText := pattern.(string)
	if !is || !isText {
		return m.err
	}
	if len(re) > maxPattern {
		m.err = ErrBounds
		return m.err
	}
	options, _ := flags.(string)
	tree, err := syntax.Parse(re, syntax.Perl)
	if err != nil {
		return m.err
	}
	size, length := instructions(tree), len(text)+1
	if size > m.left.regex/length || (all || strings.Contains(options, "g")) && size*length > m.left.regex/length {
		m.err = ErrBounds
	} else if made {
		m.patterns++
		return m.spend(size, 512)
	}
	return m.err
}

// instructions estimates the size of a compiled regular expression: repetitions count each time.
func instructions(re *syntax.Regexp) int {
	const enough = 1 << 20
	n := 1
	if re.Op == syntax.OpLiteral {
		n = len(re.Rune)
	}
	for _, sub := range re.Sub {
		n = min(n+instructions(sub), enough)
	}
	if re.Op == syntax.OpRepeat {
		n = min(n*max(re.Min, re.Max, 1), enough)
	}
	return n
}

package jq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/itchyny/gojq"
)

// ErrSeveral says that a jq program produced more than one value. Taking the first would pick, say, one of a person's
// phones at random.
var ErrSeveral = errors.New("more than one value")

// ErrBlank says that a program has nothing but blanks and comments. To jq that is the input itself, which nobody means.
var ErrBlank = errors.New("there is nothing in it")

// Program is a compiled jq program. It has no environment, no modules and no input but its own, and stays within its
// bounds of steps, memory and time whatever its text and its input are (see meter). It is safe for concurrent use.
type Program struct {
	src       string
	variables []string
	code      atomic.Pointer[gojq.Code]
	// patterns counts the regular expressions made from data; gojq caches each for as long as the code.
	patterns atomic.Int64
}

// patternsMax is how many regular expressions made from data may be cached.
const patternsMax = 500

// Compile compiles a program, which may use the given variables, named without the $. Its error refers only to the
// program's text.
func Compile(src string, variables ...string) (*Program, error) {
	p := &Program{src: src}
	for _, name := range variables {
		p.variables = append(p.variables, "$"+name)
	}
	p.variables = append(p.variables, "$__m")
	return p, p.compile()
}

// FaultAt returns where in a program's text its syntax error begins.
func FaultAt(err error) (offset int, ok bool) {
	var syntax *gojq.ParseError
	if !errors.As(err, &syntax) {
		return 0, false
	}
	return max(syntax.Offset-len(syntax.Token), 0), true
}

// Source returns the text of the program.
func (p *Program) Source() string { return p.src }

// blank reports whether a program has nothing but blanks and comments.
func blank(src string) bool {
	for line := range strings.Lines(src) {
		before, _, _ := strings.Cut(line, "#")
		if strings.TrimSpace(before) != "" {
			return false
		}
	}
	return true
}

func (p *Program) compile() error {
	if blank(p.src) {
		return ErrBlank
	}
	q, err := gojq.Parse(p.src)
	if err != nil {
		return err
	}
	if q, err = guard(q); err != nil {
		return err
	}
	options := append(append(guards(), oursOptions()...), gojq.WithVariables(p.variables))
	code, err := gojq.Compile(q, options...)
	if err != nil {
		return err
	}
	p.code.Store(code)
	return nil
}

// places limits concurrent heavy runs, so that a bad program in every answer of a busy hour takes their memory twice
// and not a hundred times.
var places = make(chan struct{}, 2)

// Run returns the only value that the program produces, or nil when it produces none. values are those of the
// variables, in their order. The error may quote the input, so it must not get into a log or a message. It is ErrBounds
// when the program exceeded its bounds.
//
// gojq accepts json.Number and passes it on unchanged, so a number that is only moved keeps its digits; it never
// changes its input, so one decoded answer serves all programs.
func (p *Program) Run(ctx context.Context, input any, values ...any) (any, error) {
	v, err := p.Light(ctx, input, values...)
	if errors.Is(err, ErrBounds) {
		return p.Heavy(ctx, input, values...)
	}
	return v, err
}

// Light is Run within lightBounds.
func (p *Program) Light(ctx context.Context, input any, values ...any) (any, error) {
	return p.try(ctx, lightBounds, input, values)
}

// Heavy is Run within heavyBounds, for programs that exceed lightBounds.
func (p *Program) Heavy(ctx context.Context, input any, values ...any) (any, error) {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		return nil, ErrBounds
	}
	return p.try(ctx, heavyBounds, input, values)
}

// try runs the program within bounds.
func (p *Program) try(ctx context.Context, b bounds, input any, values []any) (v any, err error) {
	m := newMeter(ctx, b)
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("panic (%T)", r) // the value may hold the input
		}
		if m.err != nil {
			v, err = nil, m.err
		}
		if m.patterns > 0 && p.patterns.Add(m.patterns) > patternsMax {
			p.patterns.Store(0)
			_ = p.compile() // it compiled before
		}
	}()
	iter := p.code.Load().RunWithContext(m, input, append(slices.Clone(values), m)...)
	v, ok := iter.Next()
	if !ok {
		return nil, nil
	}
	if err, is := v.(error); is {
		return nil, err
	}
	next, more := iter.Next()
	if err, is := next.(error); is {
		return nil, err
	}
	if more {
		return nil, ErrSeveral
	}
	return v, m.deep(v, 1) // writing it will take that much
}

package jq

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/itchyny/gojq"
)

// ErrSeveral says that a jq program gave more than one value. Taking the first
// would pick one of a person's phones, say, at random.
var ErrSeveral = errors.New("more than one value")

// Program is a compiled jq program. It has no environment, no modules and no input but its own, and ends within its
// bounds of steps, memory and time whatever it says and whatever it is given (see meter). It is safe for concurrent
// use.
type Program struct {
	src       string
	variables []string
	code      atomic.Pointer[gojq.Code]
	// patterns counts the regular expressions that were made from data. gojq keeps every one for as long as the code.
	patterns atomic.Int64
}

// patternsMax is how many regular expressions made from data are kept.
const patternsMax = 500

// Compile compiles a program, which may use the variables: their names without the $. Its error speaks of the program's
// text only.
func Compile(src string, variables ...string) (*Program, error) {
	p := &Program{src: src}
	for _, name := range variables {
		p.variables = append(p.variables, "$"+name)
	}
	p.variables = append(p.variables, "$__m")
	return p, p.compile()
}

// FaultAt returns where in the text of a program its error of syntax begins.
func FaultAt(err error) (offset int, ok bool) {
	var syntax *gojq.ParseError
	if !errors.As(err, &syntax) {
		return 0, false
	}
	return max(syntax.Offset-len(syntax.Token), 0), true
}

// Source returns the text of the program.
func (p *Program) Source() string { return p.src }

func (p *Program) compile() error {
	q, err := gojq.Parse(p.src)
	if err != nil {
		return err
	}
	if q, err = guard(q); err != nil {
		return err
	}
	options := append(guards(), gojq.WithVariables(p.variables))
	code, err := gojq.Compile(q, options...)
	if err != nil {
		return err
	}
	p.code.Store(code)
	return nil
}

// places are held by programs that need more than programs usually do, so that a bad one in every answer of a busy
// hour takes memory twice and not a hundred times.
var places = make(chan struct{}, 2)

// Run returns the one value that the program gives, or nil when it gives none. values are those of the variables, in
// their order. The error may quote the input: it goes into no log and no message. It is ErrBounds when the program went
// beyond its bounds.
//
// gojq takes json.Number as it is and passes it on unchanged, so a number that is only moved keeps its digits; it never
// changes its input, so one decoded answer serves all the programs.
func (p *Program) Run(ctx context.Context, input any, values ...any) (any, error) {
	v, err := p.Light(ctx, input, values...)
	if errors.Is(err, ErrBounds) {
		return p.Heavy(ctx, input, values...)
	}
	return v, err
}

// Light is run within lightBounds.
func (p *Program) Light(ctx context.Context, input any, values ...any) (any, error) {
	return p.try(ctx, lightBounds, input, values)
}

// Heavy is run within heavyBounds, for what Light does not suffice.
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
			_ = p.compile() // it did once
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
	return v, m.deep(v, 1) // it is about to be written
}

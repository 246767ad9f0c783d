package bureau

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/itchyny/gojq"
)

// mappingTime bounds all the jq of one answer. It is apart from the call's own
// time: the answer is paid for, and a late one is mapped all the same.
const mappingTime = time.Second

// errSeveral says that a jq program gave more than one value. Taking the first
// would pick one of a person's phones, say, at random.
var errSeveral = errors.New("more than one value")

// program is a compiled jq program. Its variables are $documento and $produto, so
// that a file can compare an answer with what was asked. It has no environment, no
// modules and no input but its own, and ends within its bounds of steps, memory and
// time whatever it says and whatever it is given (see meter).
type program struct {
	src  string
	code atomic.Pointer[gojq.Code]
	// patterns counts the regular expressions that were made from data. gojq keeps every one for as long as the code.
	patterns atomic.Int64
}

// patternsMax is how many regular expressions made from data are kept.
const patternsMax = 500

// compileJQ compiles a program. Its error speaks of the program's text only.
func compileJQ(src string) (*program, error) {
	p := &program{src: src}
	return p, p.compile()
}

func (p *program) compile() error {
	q, err := gojq.Parse(p.src)
	if err != nil {
		return err
	}
	if q, err = guard(q); err != nil {
		return err
	}
	options := append(guards(), gojq.WithVariables([]string{"$" + slotDocument, "$" + slotProduct, "$__m"}))
	code, err := gojq.Compile(q, options...)
	if err != nil {
		return err
	}
	p.code.Store(code)
	return nil
}

// places are held by programs that need more than a mapping usually does, so that a bad one in every answer of a busy
// hour takes memory twice and not a hundred times.
var places = make(chan struct{}, 2)

// run returns the one value that the program gives, or nil when it gives none. The
// error may quote the input: it goes into no log and no message. It is errBounds when
// the program went beyond its bounds.
//
// gojq takes json.Number as it is and passes it on unchanged, so a number that is
// only moved keeps the bureau's digits; it never changes its input, so one decoded
// answer serves all the programs.
func (p *program) run(ctx context.Context, input any, document, product string) (any, error) {
	v, err := p.light(ctx, input, document, product)
	if errors.Is(err, errBounds) {
		return p.heavy(ctx, input, document, product)
	}
	return v, err
}

// light is run within lightBounds.
func (p *program) light(ctx context.Context, input any, document, product string) (any, error) {
	return p.try(ctx, lightBounds, input, document, product)
}

// heavy is run within heavyBounds, for what light does not suffice.
func (p *program) heavy(ctx context.Context, input any, document, product string) (any, error) {
	select {
	case places <- struct{}{}:
		defer func() { <-places }()
	case <-ctx.Done():
		return nil, errBounds
	}
	return p.try(ctx, heavyBounds, input, document, product)
}

// try runs the program within bounds.
func (p *program) try(ctx context.Context, b bounds, input any, document, product string) (v any, err error) {
	m := newMeter(ctx, b)
	defer func() {
		if r := recover(); r != nil {
			v, err = nil, fmt.Errorf("panic (%T)", r) // the value may hold what the bureau sent
		}
		if m.err != nil {
			v, err = nil, m.err
		}
		if m.patterns > 0 && p.patterns.Add(m.patterns) > patternsMax {
			p.patterns.Store(0)
			_ = p.compile() // it did once
		}
	}()
	iter := p.code.Load().RunWithContext(m, input, document, product, m)
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
		return nil, errSeveral
	}
	return v, m.deep(v, 1) // it is about to be written
}

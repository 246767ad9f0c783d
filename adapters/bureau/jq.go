package bureau

import (
	"context"
	"errors"
	"time"

	"github.com/itchyny/gojq"
)

const (
	// mappingTime bounds all the jq of one answer. It is apart from the call's own
	// time: the answer is paid for, and a late one is mapped all the same.
	mappingTime = time.Second
	// sampleTime bounds a jq program that is tried while a file is read.
	sampleTime = 200 * time.Millisecond
)

// errSeveral says that a jq program gave more than one value. Taking the first
// would pick one of a person's phones, say, at random.
var errSeveral = errors.New("more than one value")

// program is a compiled jq program. Its variables are $documento and $produto, so
// that a file can compare an answer with what was asked. It has no environment, no
// modules and no input but its own.
type program struct{ code *gojq.Code }

// compileJQ compiles a program. Its error speaks of the program's text only.
func compileJQ(src string) (*program, error) {
	q, err := gojq.Parse(src)
	if err != nil {
		return nil, err
	}
	code, err := gojq.Compile(q, gojq.WithVariables([]string{"$" + slotDocument, "$" + slotProduct}))
	if err != nil {
		return nil, err
	}
	return &program{code}, nil
}

// run returns the one value that the program gives, or nil when it gives none. The
// error may quote the input: it goes into no log and no message.
//
// gojq takes json.Number as it is and passes it on unchanged, so a number that is
// only moved keeps the bureau's digits; it never changes its input, so one decoded
// answer serves all the programs.
func (p *program) run(ctx context.Context, input any, document, product string) (any, error) {
	iter := p.code.RunWithContext(ctx, input, document, product)
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
	return v, nil
}

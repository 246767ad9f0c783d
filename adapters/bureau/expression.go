package bureau

import (
	"context"
	"errors"
)

// Expression is a jq program over JSON that others than bureaus send, within the same bounds: it gives the one value
// of the program, nil for none. Its error may quote the input.
type Expression func(ctx context.Context, input any) (any, error)

// ErrBounds is the error of an expression that needs more steps, memory or time than it may have.
var ErrBounds = errBounds

// CompileExpression compiles a jq program. Its error speaks of the program's text only.
func CompileExpression(src string) (Expression, error) {
	p, err := compileJQ(src)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, input any) (any, error) {
		ctx, cancel := context.WithTimeout(ctx, mappingTime)
		defer cancel()
		v, err := p.run(ctx, input, "", "")
		if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
			err = errBounds
		}
		return v, err
	}, nil
}

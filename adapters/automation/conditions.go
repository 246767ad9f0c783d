package automation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"fichario/adapters/jq"
	"fichario/domain/automation"
	"fichario/ports"
)

// Conditions evaluates the expressions of automations. It is safe for concurrent use.
type Conditions struct {
	mu    sync.Mutex
	known map[string]*jq.Program
}

var _ ports.Conditions = (*Conditions)(nil)

const (
	// expressionMax bounds the length of an expression, expressionsKept the number of cached compiled ones.
	expressionMax   = 2000
	expressionsKept = 500
	// expressionTime bounds an evaluation, including the wait for a slot.
	expressionTime = time.Second
)

// NewConditions returns Conditions with an empty cache.
func NewConditions() *Conditions { return &Conditions{known: map[string]*jq.Program{}} }

func (c *Conditions) program(expression string) (*jq.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if compiled := c.known[expression]; compiled != nil {
		return compiled, nil
	}
	if utf8.RuneCountInString(expression) > expressionMax {
		return nil, errors.New("a expressão pode ter até 2000 caracteres")
	}
	p, err := jq.Compile(expression)
	if errors.Is(err, jq.ErrBlank) {
		return nil, errors.New("a expressão está em branco")
	}
	if err != nil {
		return nil, errors.New("a expressão não é jq válido: " + strings.SplitN(err.Error(), "\n", 2)[0])
	}
	if len(c.known) >= expressionsKept {
		clear(c.known)
	}
	c.known[expression] = p
	return p, nil
}

// Check compiles an expression and returns its error.
func (c *Conditions) Check(expression string) error {
	_, err := c.program(expression)
	return err
}

// Holds evaluates an expression on the data of an event.
func (c *Conditions) Holds(ctx context.Context, expression string, e automation.Event) (bool, error) {
	p, err := c.program(expression)
	if err != nil {
		return false, err
	}
	data, err := eventData(e)
	if err != nil {
		return false, errors.New("o evento não pode ser escrito em JSON")
	}
	input, err := jq.Decode(data)
	if err != nil {
		return false, errors.New("o evento não pode ser escrito em JSON")
	}
	ctx, cancel := context.WithTimeout(ctx, expressionTime)
	defer cancel()
	v, err := p.Run(ctx, input)
	if err != nil {
		// The error may quote the input, so it is replaced.
		return false, errors.New("não foi possível calcular a expressão com este evento, ou ela demora demais")
	}
	switch v := v.(type) {
	case bool:
		return v, nil
	case nil:
		return false, nil
	}
	return false, errors.New("a expressão não dá verdadeiro nem falso")
}

// Data is the data that an expression sees, for display.
func (c *Conditions) Data(e automation.Event) string {
	data, err := eventData(e)
	var out bytes.Buffer
	if err != nil || json.Indent(&out, data, "", "  ") != nil {
		return "{}"
	}
	return out.String()
}

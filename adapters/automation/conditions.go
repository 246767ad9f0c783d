package automation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"time"

	"fichario/adapters/jq"
	"fichario/domain/automation"
	"fichario/ports"
)

// Conditions looks at the expressions of automations. It is safe for concurrent use.
type Conditions struct {
	mu    sync.Mutex
	known map[string]*jq.Program
}

var _ ports.Conditions = (*Conditions)(nil)

const (
	// expressionMax bounds the text of an expression, expressionsKept how many compiled ones are kept.
	expressionMax   = 2000
	expressionsKept = 500
	// expressionTime bounds a run with its wait for a place.
	expressionTime = time.Second
)

// NewConditions returns conditions.
func NewConditions() *Conditions { return &Conditions{known: map[string]*jq.Program{}} }

func (c *Conditions) program(expression string) (*jq.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.known[expression]; known != nil {
		return known, nil
	}
	if len(expression) > expressionMax {
		return nil, errors.New("a expressão pode ter até 2000 caracteres")
	}
	p, err := jq.Compile(expression)
	if err != nil {
		return nil, errors.New("a expressão não é jq válido: " + strings.SplitN(err.Error(), "\n", 2)[0])
	}
	if len(c.known) >= expressionsKept {
		clear(c.known)
	}
	c.known[expression] = p
	return p, nil
}

// Check compiles an expression.
func (c *Conditions) Check(expression string) error {
	_, err := c.program(expression)
	return err
}

// Holds runs an expression over the data of an event.
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
		// The error may quote the input.
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

// Data writes what an expression sees.
func (c *Conditions) Data(e automation.Event) string {
	data, err := eventData(e)
	var out bytes.Buffer
	if err != nil || json.Indent(&out, data, "", "  ") != nil {
		return "{}"
	}
	return out.String()
}

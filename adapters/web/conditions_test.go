package web_test

import (
	"context"
	"errors"

	outbound "fichario/adapters/automation"
	"fichario/domain/automation"
)

// noConditions accepts every expression but "}".
type noConditions struct{}

func (noConditions) Check(expression string) error {
	if expression == "}" {
		return errors.New("a expressão não é jq válido")
	}
	return nil
}

func (noConditions) Holds(context.Context, string, automation.Event) (bool, error) { return true, nil }

func (noConditions) Data(e automation.Event) string { return outbound.NewConditions().Data(e) }

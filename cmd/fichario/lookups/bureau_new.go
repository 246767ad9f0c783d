package lookups

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"fichario/adapters/bureau"
	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
)

type bureauNewCmd struct {
	Example string `arg:"" help:"Path of an answer of the bureau, in JSON or XML."`
	Product string `required:"" help:"Product that the answer is for." placeholder:"ID"`
	Out     string `help:"Path of the file to write; standard output without it. It must not exist." placeholder:"FILE"`
}

// Run proposes a bureau file.
func (c *bureauNewCmd) Run(e *command.Environment) error {
	product, ok := catalog.Standard().Find(c.Product)
	if !ok {
		ids := make([]string, 0, len(catalog.Standard()))
		for _, p := range catalog.Standard() {
			ids = append(ids, p.ID)
		}
		return fmt.Errorf("there is no product %q with named fields: it is one of %s", c.Product, strings.Join(ids, ", "))
	}
	example, err := os.ReadFile(c.Example)
	if err != nil {
		return err
	}
	file, missing, err := bureau.Propose(e.Ctx, product, example)
	if err != nil {
		return err
	}
	shown := map[string]any{"file": string(file), "missing": append([]string{}, missing...), "path": nil}
	if c.Out == "" {
		return e.Print(shown, "%s", file)
	}
	f, err := os.OpenFile(c.Out, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(file)
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	shown["path"] = c.Out
	text := fmt.Sprintf("%s is written. Fill in what is marked with TODO, and see what it makes of the example:\n"+
		"  fichario bureau check %s --answer %s\n", c.Out, c.Out, c.Example)
	if len(missing) > 0 {
		text += "Not recognised: " + strings.Join(missing, ", ") + ".\n"
	}
	return e.Print(shown, "%s", text)
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"fichario/adapters/bureau"
	"fichario/domain/catalog"
	"fichario/ports"
)

type bureauCmd struct {
	Check bureauCheckCmd `cmd:"" help:"Check a bureau file; every error is shown with its line."`
	Try   bureauTryCmd   `cmd:"" help:"Make one real call and show the fields. The bureau may charge for it."`
}

type bureauCheckCmd struct {
	File string `arg:"" help:"Path of a bureau file, or sandbox or brasilapi."`
}

// Run checks a bureau file.
func (c *bureauCheckCmd) Run(e *environment) error {
	src, err := bureauFile(c.File)
	if err != nil {
		return err
	}
	file, err := bureau.Parse(c.File, src, os.LookupEnv)
	var problems bureau.Problems
	if errors.As(err, &problems) {
		if e.json {
			_ = e.print(map[string]any{"ok": false, "problems": problems}, "")
		}
		return fmt.Errorf("%s:\n%w", c.File, problems)
	}
	if err != nil {
		return err
	}
	client := bureau.New(file)
	defer client.Close()
	type product struct {
		ID    string      `json:"id"`
		Price json.Number `json:"price"`
	}
	products := []product{}
	var text strings.Builder
	for _, p := range client.Catalog() {
		products = append(products, product{p.ID, json.Number(p.Price.String())})
		fmt.Fprintf(&text, "  %-28s R$ %s\n", p.ID, p.Price)
	}
	return e.print(map[string]any{"ok": true, "name": file.Name(), "products": products},
		"%s is a valid bureau file. Products and prices:\n%s", c.File, text.String())
}

type bureauTryCmd struct {
	File     string `arg:"" help:"Path of a bureau file, or sandbox or brasilapi."`
	Product  string `arg:"" help:"Product id."`
	Document string `arg:"" help:"Document without punctuation."`
	Purpose  string `help:"Code of the purpose, which the file gets as $finalidade."`
}

// Run makes one call.
func (c *bureauTryCmd) Run(e *environment) error {
	e.settings.Bureau = c.File
	log, flush := newLogger(e.settings, e.errOut)
	defer flush()
	client, stop, err := e.openBureau(log)
	if err != nil {
		return err
	}
	defer stop()
	product, ok := client.Catalog().Find(c.Product)
	if !ok {
		return fmt.Errorf("the file has no product %q", c.Product)
	}
	doc, err := product.Parse(c.Document)
	if err != nil {
		return err
	}
	start := time.Now()
	answer, err := client.Ask(e.ctx, product, doc, c.Purpose)
	took := time.Since(start).Round(time.Millisecond)
	var failure *ports.BureauError
	if errors.As(err, &failure) {
		charged := "would be charged"
		if !failure.Outcome.Charged() {
			charged = "would not be charged"
		}
		return fmt.Errorf("no valid answer after %s: %s (a lookup %s)", took, failure.Reason, charged)
	}
	if err != nil {
		return err
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(answer.Fields, &values); err != nil {
		return err
	}
	return e.print(map[string]any{
		"found": answer.Found, "ms": took.Milliseconds(), "fields": json.RawMessage(answer.Fields),
		"dropped": append([]string{}, answer.Dropped...),
	}, "%s", tryText(product, answer, values, took))
}

func tryText(
	product catalog.Product, answer ports.Answer, values map[string]json.RawMessage, took time.Duration,
) string {
	var text strings.Builder
	nulls := 0
	for _, f := range product.Fields {
		if string(values[f.Name]) == "null" {
			nulls++
		}
		fmt.Fprintf(&text, "  %-28s %s\n", f.Name, values[f.Name])
	}
	fmt.Fprintf(&text,
		"Answered in %s; record found: %t; %d of %d fields null; price R$ %s.\n",
		took, answer.Found, nulls, len(product.Fields), product.Price)
	if len(answer.Dropped) > 0 {
		fmt.Fprintf(&text, "Wrong type or failing mapping: %s\n", strings.Join(answer.Dropped, ", "))
	}
	return text.String()
}

package lookups

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"fichario/adapters/bureau"
	"fichario/cmd/fichario/command"
	"fichario/domain/catalog"
	"fichario/ports"
)

// Bureau holds the commands of bureau files, and of the bureaus of the instance.
type Bureau struct {
	Check   bureauCheckCmd   `cmd:"" help:"Check a bureau file; every error is shown with its line."`
	Try     bureauTryCmd     `cmd:"" help:"Make one real call and show the fields. The bureau may charge for it."`
	New     bureauNewCmd     `cmd:"" help:"Write a bureau file for a saved answer: a mapping for each named field that it recognises."`
	List    bureauListCmd    `cmd:"" help:"List the bureaus: whether they are asked, their times, failures and spending."`
	Order   bureauOrderCmd   `cmd:"" help:"Show or set the order in which the bureaus of a product are asked."`
	Out     bureauOutCmd     `cmd:"" help:"Let a bureau be asked nothing."`
	Back    bureauBackCmd    `cmd:"" help:"Let a bureau be asked again."`
	Compare bureauCompareCmd `cmd:"" help:"Show how often the answers of bureaus that are compared agree."`
}

type bureauCheckCmd struct {
	File     string            `arg:"" help:"Path of a bureau file, or sandbox or brasilapi."`
	Answer   string            `help:"Path of a saved answer of the bureau: show its fields, what no mapping reads, and the mappings that read nothing." placeholder:"FILE"`
	Product  string            `help:"Product that --answer is for; needed if the file has several." placeholder:"ID"`
	Document string            `help:"Document that --answer is about; needed if the file compares it."`
	Input    map[string]string `help:"An input that the question of --answer had; may be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
}

// Run checks a bureau file.
func (c *bureauCheckCmd) Run(e *command.Environment) error {
	src, err := command.BureauFile(c.File)
	if err != nil {
		return err
	}
	file, err := bureau.Parse(c.File, src, os.LookupEnv)
	var problems bureau.Problems
	if errors.As(err, &problems) {
		if e.JSON {
			_ = e.Print(map[string]any{"ok": false, "problems": problems}, "")
		}
		return fmt.Errorf("%s:\n%w", c.File, problems)
	}
	if err != nil {
		return err
	}
	client := bureau.New(file)
	defer client.Close()
	if c.Answer != "" {
		return c.examine(e, client)
	}
	type product struct {
		ID    string      `json:"id"`
		Price json.Number `json:"price"` // the most that a call may cost
		// Inputs are the names of what it needs besides a document.
		Inputs []string `json:"inputs"`
	}
	products := []product{}
	var text strings.Builder
	for _, p := range client.Catalog() {
		inputs := []string{}
		for _, in := range p.Inputs {
			inputs = append(inputs, in.Name)
		}
		products = append(products, product{p.ID, json.Number(p.Price.String()), inputs})
		fmt.Fprintf(&text, "  %-28s %s\n", p.ID, strings.Join(append([]string{"R$ " + p.Price.String()}, inputs...), ", "))
	}
	return e.Print(map[string]any{"ok": true, "name": file.Name(), "products": products},
		"%s is a valid bureau file. Products, the most that a call of each may cost (caps reserve it before the call), and the inputs:\n%s", c.File, text.String())
}

// examine shows what the file makes of a saved answer.
func (c *bureauCheckCmd) examine(e *command.Environment, client *bureau.Client) error {
	raw, err := os.ReadFile(c.Answer)
	if err != nil {
		return err
	}
	products := client.Catalog()
	if c.Product == "" && len(products) == 1 {
		c.Product = products[0].ID
	}
	product, ok := products.Find(c.Product)
	if !ok {
		return fmt.Errorf("the file has no product %q: name the answer's with --product", c.Product)
	}
	doc := bureau.Sample(product.Documents[0])
	if c.Document != "" {
		if doc, err = product.Parse(c.Document); err != nil {
			return err
		}
	}
	trial, err := client.Examine(e.Ctx, ports.Question{Product: product, Document: doc, Inputs: c.Input}, raw)
	if err != nil && c.Document == "" {
		return fmt.Errorf("%w (name its document with --document if the file compares it)", err)
	}
	if err != nil {
		return err
	}
	return printTrial(e, product, trial, nil)
}

type bureauTryCmd struct {
	File     string            `arg:"" help:"Path of a bureau file, or sandbox or brasilapi."`
	Product  string            `arg:"" help:"Product id."`
	Document string            `arg:"" help:"Document without punctuation."`
	Purpose  string            `help:"Code of the purpose, which the file gets as $finalidade."`
	Input    map[string]string `help:"What the product needs besides the document; may be repeated." placeholder:"NAME=VALUE" mapsep:"none"`
}

// Run makes one call.
func (c *bureauTryCmd) Run(e *command.Environment) error {
	log, flush := command.NewLogger(e.Settings, e.ErrOut)
	defer flush()
	client, stop, err := e.OpenBureau(c.File, log)
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
	trial, err := client.Try(e.Ctx,
		ports.Question{Product: product, Document: doc, Purpose: c.Purpose, Inputs: c.Input},
		func(l ports.Later) {
			fmt.Fprintf(e.ErrOut, "The bureau has taken the question and answers later: asking every %s, for at most %s.\n", l.Every, l.For)
		})
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
	return printTrial(e, product, trial, &took)
}

// printTrial shows what the file makes of an answer. took is nil if none was called for.
func printTrial(e *command.Environment, product catalog.Product, t bureau.Trial, took *time.Duration) error {
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(t.Fields, &values); err != nil {
		return err
	}
	shown := map[string]any{
		"found": t.Found, "fields": json.RawMessage(t.Fields), "dropped": append([]string{}, t.Dropped...),
		"unread": append([]string{}, t.Unread...), "idle": append([]string{}, t.Idle...), "undescribed": nil,
		"amount": nil,
	}
	if t.Amount != nil {
		shown["amount"] = json.Number(t.Amount.String())
	}
	if took != nil {
		shown["ms"] = took.Milliseconds()
	}
	if t.Undescribed != 0 {
		shown["undescribed"] = t.Undescribed
	}
	also := map[string]any{}
	for _, part := range t.Also {
		also[part.Product] = json.RawMessage(part.Fields)
	}
	shown["also"] = also
	return e.Print(shown, "%s", trialText(product, t, values, took))
}

func trialText(product catalog.Product, t bureau.Trial, values map[string]json.RawMessage, took *time.Duration) string {
	var text strings.Builder
	nulls := 0
	for _, f := range product.Fields {
		if string(values[f.Name]) == "null" {
			nulls++
		}
		fmt.Fprintf(&text, "  %-28s %s\n", f.Name, values[f.Name])
	}
	if took != nil {
		fmt.Fprintf(&text, "Answered in %s. ", took)
	}
	fmt.Fprintf(&text, "Record found: %t; %d of %d fields null; price %s.\n", t.Found, nulls, len(product.Fields), price(product, t.Amount))
	for _, part := range t.Also {
		fmt.Fprintf(&text, "Also %s, record found: %t: %s\n", part.Product, part.Found, part.Fields)
	}
	for _, list := range []struct {
		what  string
		names []string
	}{
		{"Wrong type or failing mapping", t.Dropped},
		{"Mappings that find nothing to read in this answer", t.Idle},
		{"Keys of the answer that no mapping reads (a lookup has them in `bruto` only)", t.Unread},
	} {
		if len(list.names) > 0 {
			fmt.Fprintf(&text, "%s: %s\n", list.what, strings.Join(list.names, ", "))
		}
	}
	if t.Undescribed != 0 {
		fmt.Fprintf(&text, "Warning: the file takes any %d as \"no record\", whatever its body says. A mistyped path would look the same, "+
			"and be charged and kept as an answer.\nTry a document that exists, and describe the body under not_found.when. It was: %s\n",
			t.Undescribed, shortened(t.Raw))
	}
	return text.String()
}

// price says what an answer costs, and what the most is where the bureau named an amount.
func price(p catalog.Product, amount *catalog.Money) string {
	if amount == nil {
		return "R$ " + p.Price.String()
	}
	said := fmt.Sprintf("R$ %s (so the answer says; the most is R$ %s", *amount, p.Price)
	if *amount > p.Price {
		return said + ", which is less: raise max)"
	}
	return said + ")"
}

// shortened is the beginning of a body.
func shortened(raw []byte) string {
	const enough = 300
	text := []rune(string(raw))
	if len(text) <= enough {
		return string(text)
	}
	return string(text[:enough]) + "…"
}

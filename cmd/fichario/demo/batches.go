package demo

import (
	"context"
	"fmt"

	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/document"
)

// demoBatches makes batches of the demonstration's companies: one that runs to its end once the service works, one that
// reaches its ceiling, and one that is only quoted.
func demoBatches(ctx context.Context, store *gormstore.Store, on *batches.Batches) error {
	helena, err := demoMember(ctx, store, "helena@demo.example")
	if err != nil {
		return err
	}
	caio, err := demoMember(ctx, store, "caio@demo.example")
	if err != nil {
		return err
	}
	rows, err := demoCompanies()
	if err != nil {
		return err
	}
	score, _ := on.Catalog.Find(catalog.ScoreID)
	few := 9 * score.Price
	for _, b := range []struct {
		by      app.Caller
		n       batches.NewBatch
		confirm bool
	}{
		{helena, batches.NewBatch{Name: "Carteira de clientes", Product: catalog.CNPJ, Tabs: []batch.Tab{{Rows: rows}}}, true},
		{helena, batches.NewBatch{Name: "Score antes da renovação", Product: catalog.ScoreID, Tabs: []batch.Tab{{Rows: rows}}, Ceiling: &few}, true},
		{caio, batches.NewBatch{Name: "Protestos da carteira", Product: "protestos", Tabs: []batch.Tab{{Rows: rows}}}, false},
	} {
		b.n.Purpose = demoPurpose(b.by, b.n.Product)
		made, err := on.Quote(ctx, b.by, b.n)
		if err == nil && b.confirm {
			_, err = on.Confirm(ctx, b.by, made.ID, nil)
		}
		if err != nil {
			return fmt.Errorf("demonstration batch of %s: %w", b.n.Product, err)
		}
	}
	return nil
}

// demoCompanies is a table as a user would send it: a company for each contact that has one, the first twice, and one
// without a document.
func demoCompanies() ([]batch.Row, error) {
	leads, err := demoLeads()
	if err != nil {
		return nil, err
	}
	rows := []batch.Row{{Line: 1, Cells: []string{"Cliente", "CNPJ", "Cidade"}}}
	add := func(name, cnpj, city string) {
		rows = append(rows, batch.Row{Line: len(rows) + 1, Cells: []string{name, cnpj, city}})
	}
	cities := []string{"São Paulo", "Curitiba", "Recife", "Goiânia"}
	known := demoDocuments[document.CNPJ]
	for i, l := range leads {
		if l.company == "" {
			continue
		}
		cnpj := demoCNPJ(i)
		if n := len(rows) - 1; n < len(known) {
			cnpj = known[n]
		}
		add(l.company, cnpj, cities[i%len(cities)])
	}
	first := rows[1].Cells
	add(first[0]+" (filial)", first[1], first[2])
	add("Cliente sem cadastro", "não informado", cities[0])
	return rows, nil
}

// demoCNPJ is the nth of some CNPJs for which the sandbox has an ordinary answer.
func demoCNPJ(n int) string {
	for digits := range 100 {
		text := fmt.Sprintf("9003%04d0001%02d", n, digits)
		if _, err := document.Parse(document.CNPJ, text); err == nil {
			return text
		}
	}
	return "" // two digits always fit
}

package web

import (
	"cmp"
	"errors"
	"net/http"
	"path"
	"strings"

	spreadsheet "fichario/adapters/sheet"
	"fichario/app"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/fault"
)

// batchesAtOnce is how many batches a page of the list has.
const batchesAtOnce = 25

// batchLine is a batch in a list.
type batchLine struct {
	app.BatchView
	ProductName string
	// By is who made it, and PaidBy who confirmed or last resumed it, and pays; empty where that is the same.
	By, PaidBy string
	// For is the name of its purpose; lists omit it.
	For string
}

// batchesPage is the list, with the form of a new batch.
type batchesPage struct {
	Form     Form
	Problem  string
	Products []catalog.Product
	Purposes purposes
	MaxItems int
	// Sheets are those of a workbook to choose from; empty where there is nothing to choose.
	Sheets []string
	Lines  []batchLine
	// Next is the cursor of the next page.
	Next string
}

type batchPlace struct {
	After string `form:"depois"`
}

func (s *server) batchList(c *call, at batchPlace) error {
	return s.batchesPage(c, http.StatusOK, at.After, batchesPage{})
}

func (s *server) batchesPage(c *call, status int, after string, data batchesPage) error {
	found, err := s.Batches.List(c.ctx(), c.by, after, batchesAtOnce)
	if err != nil {
		return err
	}
	names, err := s.Batches.Names(c.ctx(), c.by)
	if err != nil {
		return err
	}
	if data.Purposes, err = s.purposesOf(c, data.Form.Values["finalidade"]); err != nil {
		return err
	}
	data.Products, data.MaxItems, data.Next = s.Batches.Catalog, batch.MaxItems, found.Next
	for _, v := range found.Batches {
		data.Lines = append(data.Lines, s.batchLine(v, names))
	}
	return c.renderStatus(status, "lotes", page{Title: "Lotes", Nav: "lotes", Data: data})
}

func (s *server) batchLine(v app.BatchView, names map[string]string) batchLine {
	maker := cmp.Or(v.KeyID, v.MemberID)
	line := batchLine{BatchView: v, ProductName: v.Product, By: names[maker]}
	if payer := cmp.Or(v.Payer()); payer != maker && !v.StartedAt.IsZero() {
		line.PaidBy = names[payer]
	}
	if product, offered := s.Batches.Catalog.Find(v.Product); offered {
		line.ProductName = product.Name
	}
	return line
}

// batchFields are the fields of a new batch's form, beside its file.
type batchFields struct {
	Name      string  `form:"nome"`
	Product   string  `form:"produto" validate:"required" says:"Escolha o produto."`
	Sheet     string  `form:"aba"`
	Column    string  `form:"coluna"`
	Documents asTyped `form:"documentos"`
	Refresh   bool    `form:"atualizar"`
	Purpose   string  `form:"finalidade" app:"finalidade"`
	File      string  `form:"arquivo"` // carries the file's fault
}

// batchQuote reads the file, or what was pasted, and shows the cost.
func (s *server) batchQuote(c *call) error {
	var f batchFields
	if err := c.decode(&f); err != nil {
		return s.batchFormAgain(c, f, err)
	}
	n := app.NewBatch{
		Name: f.Name, Product: f.Product, Sheet: f.Sheet, Column: f.Column, Refresh: f.Refresh, Purpose: f.Purpose,
	}
	release, err := s.Tables.Turn(c.ctx())
	if err != nil {
		return err
	}
	defer release()
	if n.Sheets, err = c.table(&n, string(f.Documents)); err == nil {
		var made app.BatchView
		if made, err = s.Batches.Quote(c.ctx(), c.by, n); err == nil {
			return c.done("/lotes/"+made.ID, "Orçamento pronto. Nada foi consultado nem cobrado.")
		}
	}
	return s.batchFormAgain(c, f, err)
}

// batchPasted shows the form of a new batch filled with documents chosen on another page.
func (s *server) batchPasted(c *call) error {
	shown := Form{Values: map[string]string{
		"documentos": strings.Join(c.PostForm["documentos"], "\n"), "finalidade": c.PostForm.Get("finalidade"),
	}}
	return s.batchesPage(c, http.StatusOK, "", batchesPage{Form: shown})
}

// table returns the sheets of the file that was sent, or else of what was pasted.
func (c *call) table(n *app.NewBatch, pasted string) ([]batch.Sheet, error) {
	data, name, err := c.file()
	switch {
	case err != nil:
		return nil, err
	case name == "" && strings.TrimSpace(pasted) == "":
		return nil, fault.New(fault.InvalidRequest, "Escolha um arquivo, ou cole os documentos.").At("arquivo")
	case name == "":
		data = []byte(pasted)
	case n.Name == "":
		n.Name = strings.TrimSuffix(name, path.Ext(name))
	}
	return spreadsheet.Read(c.ctx(), data, batch.MaxItems+spreadsheet.Above)
}

func (s *server) batchFormAgain(c *call, f batchFields, why error) error {
	form, _ := c.again(&f, why)
	known := app.FaultOf(why)
	if known == nil || !app.IsRefusal(why) && known.Code != fault.BodyTooLarge {
		return why
	}
	data := batchesPage{Form: form, Problem: known.Message}
	errors.As(why, (*app.Sheets)(&data.Sheets))
	return s.batchesPage(c, http.StatusUnprocessableEntity, "", data)
}

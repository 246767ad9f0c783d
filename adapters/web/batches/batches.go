package batches

import (
	"cmp"
	"errors"
	"net/http"
	"path"
	"strings"

	"fichario/adapters/spreadsheet"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/batches"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
)

// BatchesAtOnce is how many batches a page of the list has.
const BatchesAtOnce = 25

// Line is a batch in a list.
type Line struct {
	batches.View
	ProductName string
	// By is who made it, and PaidBy who confirmed or last resumed it, and pays; empty where that is the same.
	By, PaidBy string
	// For is the name of its purpose; lists omit it.
	For string
}

// batchesPage is the list, with the form of a new batch.
type batchesPage struct {
	Form     web.Form
	Problem  string
	Products []catalog.Product
	Purposes web.Purposes
	MaxItems int
	// FileSent says that a file was sent, which has to be chosen again.
	FileSent bool
	// Tabs are those of a workbook to choose from; empty where there is nothing to choose.
	Tabs  []string
	Lines []Line
	// Next is the cursor of the next page.
	Next string
}

type batchPlace struct {
	After string `form:"depois"`
}

func (s pages) batchList(c *web.Call, at batchPlace) error {
	return s.batchesPage(c, http.StatusOK, at.After, batchesPage{})
}

func (s pages) batchesPage(c *web.Call, status int, after string, data batchesPage) error {
	found, err := s.Batches.List(c.Ctx(), c.By, after, BatchesAtOnce)
	if err != nil {
		return err
	}
	names, err := s.Batches.Names(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	if data.Purposes, err = s.PurposesOf(c, data.Form.Values["finalidade"]); err != nil {
		return err
	}
	data.Products, data.MaxItems, data.Next = s.Batches.Catalog, batch.MaxItems, found.Next
	for _, v := range found.Batches {
		data.Lines = append(data.Lines, LineOf(s.Batches.Catalog, v, names))
	}
	return c.RenderStatus(status, "lotes", web.Page{Title: "Lotes", Nav: "lotes", Data: data, Wide: true})
}

// LineOf returns the line of a batch; names are those of its makers, by id.
func LineOf(offered catalog.Catalog, v batches.View, names map[string]string) Line {
	maker := cmp.Or(v.KeyID, v.MemberID)
	product, _ := offered.Known(v.Product)
	line := Line{View: v, ProductName: product.Name, By: names[maker]}
	if payer := cmp.Or(v.Payer()); payer != maker && !v.StartedAt.IsZero() {
		line.PaidBy = names[payer]
	}
	return line
}

// batchFields are the fields of a new batch's form, beside its file.
type batchFields struct {
	Name      string      `form:"nome"`
	Product   string      `form:"produto" validate:"required" says:"Escolha o produto."`
	Tab       string      `form:"aba"`
	Column    string      `form:"coluna"`
	Documents web.AsTyped `form:"documentos"`
	Refresh   bool        `form:"atualizar"`
	Purpose   string      `form:"finalidade" app:"finalidade"`
	File      string      `form:"arquivo"` // the name of the file that was sent; carries its fault
}

// batchQuote reads the file, or what was pasted, and shows the cost.
func (s pages) batchQuote(c *web.Call) error {
	var f batchFields
	err := c.Decode(&f)
	if f.File = c.FileName(); err != nil {
		return s.batchFormAgain(c, f, err)
	}
	n := batches.NewBatch{
		Name: f.Name, Product: f.Product, Tab: f.Tab, Column: f.Column, Refresh: f.Refresh, Purpose: f.Purpose,
	}
	release, err := s.Tables.Turn(c.Ctx())
	if err != nil {
		return err
	}
	defer release()
	if n.Tabs, err = tableOf(c, &n, string(f.Documents)); err == nil {
		var made batches.View
		if made, err = s.Batches.Quote(c.Ctx(), c.By, n); err == nil {
			return c.Done("/lotes/"+made.ID, "Orçamento pronto. Nada foi consultado nem cobrado.")
		}
	}
	return s.batchFormAgain(c, f, err)
}

// batchPasted shows the form of a new batch filled with documents chosen on another page.
func (s pages) batchPasted(c *web.Call) error {
	shown := web.Form{Values: map[string]string{
		"documentos": strings.Join(c.PostForm["documentos"], "\n"), "finalidade": c.PostForm.Get("finalidade"),
	}}
	return s.batchesPage(c, http.StatusOK, "", batchesPage{Form: shown})
}

// tableOf returns the sheets of the file that was sent, or else of what was pasted.
func tableOf(c *web.Call, n *batches.NewBatch, pasted string) ([]batch.Tab, error) {
	data, name, err := c.File()
	switch {
	case err != nil:
		return nil, err
	case name == "" && strings.TrimSpace(pasted) == "":
		return nil, fault.New(fault.InvalidRequest, "Escolha um arquivo, ou cole os documentos.").At("arquivo")
	case name == "":
		data = []byte(onePerLine(pasted))
	case n.Name == "":
		n.Name = strings.TrimSuffix(name, path.Ext(name))
	}
	return spreadsheet.Read(c.Ctx(), data, batch.MaxItems+spreadsheet.Above)
}

// onePerLine puts the documents of a single line below each other: beside each other they would be columns of a table.
// What is not only documents of one type stays as it is.
func onePerLine(pasted string) string {
	words := strings.FieldsFunc(pasted, func(c rune) bool { return c == ' ' || strings.ContainsRune("\t,;", c) })
	if strings.Contains(strings.TrimSpace(pasted), "\n") {
		return pasted
	}
	var first document.Type
	for i, word := range words {
		read := document.Recognise(word)
		if i == 0 {
			first = read.Type
		}
		if read.Type == "" || read.Type != first || read.Short {
			return pasted
		}
	}
	return strings.Join(words, "\n")
}

func (s pages) batchFormAgain(c *web.Call, f batchFields, why error) error {
	form, _ := c.Again(&f, why)
	refusal := app.FaultOf(why)
	if refusal == nil || !app.IsRefusal(why) && refusal.Code != fault.BodyTooLarge {
		return why
	}
	sent := "arquivo"
	if f.File == "" && f.Documents != "" {
		sent = "documentos"
	}
	if form.Field == "arquivo" || form.Field == "coluna" && f.Column == "" {
		form.Field = sent // no column was named: none will do
	}
	data := batchesPage{Form: form, Problem: refusal.Message, FileSent: f.File != ""}
	if form.Field == "finalidade" && f.Purpose == "" { // the message is for programs
		data.Problem = "Escolha para que é a consulta. Nada foi consultado nem cobrado."
	}
	switch form.Field {
	case sent, "coluna", "nome": // which say it themselves
		data.Problem = ""
	}
	errors.As(why, (*app.Tabs)(&data.Tabs))
	return s.batchesPage(c, http.StatusUnprocessableEntity, "", data)
}

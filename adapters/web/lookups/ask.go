package lookups

import (
	"net/http"
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

const (
	// patience is how long a page waits for the bureau before it shows progress instead.
	patience = 1200 * time.Millisecond
	// recentLookups and earlierAnswers are the lengths of the lists at the side.
	recentLookups  = 10
	earlierAnswers = 6
	// typedMax bounds the text that is examined, in bytes: no document is as long, and some two hundred fit.
	typedMax = 4_000
)

// SearchPage is the search screen.
type SearchPage struct {
	// Text is what was typed.
	Text string
	// Found is what it was recognised as; Problem says what is wrong with it, Hint what is missing, where there is
	// anything to say.
	Found         document.Recognised
	Problem, Hint string
	// Name is the document's subject, as known from the history.
	Name    string
	Choices []choiceLine
	Bundles []bundleLine
	// Many are the documents of a text with several, by type.
	Many []manyLine
	// Purposes are those that the lookup may be for.
	Purposes web.Purposes
	Spent    catalog.Money
	Contact  crm.Contact
	// Recent are the last lookups, one line per document.
	Recent []recentLine
	// Whole says that the document was completely typed, so that the focus may move on; it would interrupt somebody still
	// typing.
	Whole bool
	// Alert says why a lookup was not started.
	Alert string
	// FreshDays is for how many days the history answers.
	FreshDays int
}

// choiceLine is a product for the document, with its cost.
type choiceLine struct {
	lookups.ProductChoice
	Chosen bool
	// Document, Contact and After are for its forms: the document and the contact that they carry, and today's spending
	// after the lookup.
	Document document.Document
	Contact  string
	// From and Nth stand for Document: the lookup whose answer names it, and its position among the named ones, from 1.
	From string
	Nth  int
	// Purpose is the code of the lookup's purpose.
	Purpose string
	Spent   catalog.Money
	After   catalog.Money
	// Budget is the asker's budget this month; nil where there is none.
	Budget *lookups.Budget
	Now    time.Time
	// Purposes are those to choose from, where the form asks for one; Missing says what it lacked.
	Purposes web.Purposes
	Missing  string
}

// TooDear reports whether the price exceeds what is left of the asker's budget.
func (l choiceLine) TooDear() bool { return l.Budget != nil && l.Product.Price > l.Budget.Left() }

// BudgetAfter is what the lookup leaves of the budget.
func (l choiceLine) BudgetAfter() catalog.Money { return max(0, l.Budget.Left()-l.Product.Price) }

// lookupLine is a lookup in a list.
type lookupLine struct {
	lookups.View
	Name string
	By   string
}

// recentLine is the last lookup of a document in each product, newest first.
type recentLine []lookupLine

// Newest is the latest lookup, with the subject's name if any of them knows it.
func (l recentLine) Newest() lookupLine { return l[0] }

func lookupLineOf(v lookups.View) lookupLine {
	l := lookupLine{View: v, Name: web.Shorten(web.TitleMax, lookups.Subject(v.Record)), By: web.Shorten(40, v.Member)}
	if v.Entry.KeyID != "" {
		l.By = web.Shorten(40, v.Key)
	}
	return l
}

// LookupFields are the fields of the lookup forms, from the typed text to the chosen product.
type LookupFields struct {
	Document  web.AsTyped `form:"documento"`
	Product   string      `form:"produto"`
	ContactID string      `form:"contato"`
	Purpose   string      `form:"finalidade"`
	// Seen is the answer to be replaced by a newer one; Free asks for nothing that is charged.
	Seen string `form:"novo"`
	Free bool   `form:"gratis"`
	// From is the lookup whose answer names the document, Nth its position among the named ones.
	From string `form:"de"`
	Nth  int    `form:"pessoa"`
}

func (s pages) lookupNew(c *web.Call, f LookupFields) error {
	return s.searchPage(c, http.StatusOK, f, SearchPage{})
}

// searchPage shows the search screen with what is known of the text so far.
func (s pages) searchPage(c *web.Call, status int, f LookupFields, p SearchPage) error {
	var err error
	if p.Contact, err = s.Sheet.Contact(c.Ctx(), c.By, f.ContactID); err != nil {
		return err
	}
	recent, err := s.Sheet.RecentDocuments(c.Ctx(), c.By, recentLookups)
	if err != nil {
		return err
	}
	if p.Purposes, err = s.PurposesOf(c, f.Purpose); err != nil {
		return err
	}
	p.Whole = true
	p.FreshDays = int(s.Terms.Fresh.Hours() / 24)
	for _, about := range recent {
		p.Recent = append(p.Recent, recentLine(namedLines(about)))
	}
	return c.RenderStatus(status, "consultar", web.Page{Title: "Consultar", Nav: "consultar", Data: p, Wide: true})
}

// lookupAsk serves the form without script: the same page, with the products for the document.
func (s pages) lookupAsk(c *web.Call, f LookupFields) error {
	if err := s.resolve(c, &f); err != nil {
		return err
	}
	p, err := s.Recognise(c, f, false)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if p.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return s.searchPage(c, status, f, p)
}

// resolve finds the document of a form that only says where it stands in an answer.
func (s pages) resolve(c *web.Call, f *LookupFields) error {
	if f.From == "" {
		return nil
	}
	named, err := s.namedIn(c, f.From, f.Nth)
	f.Document = web.AsTyped(named.Value())
	return err
}

// lookupConfirm asks whether to query the bureau although the history has an answer.
func (s pages) lookupConfirm(c *web.Call, f LookupFields) error {
	p, err := s.Recognise(c, f, false)
	if err != nil {
		return err
	}
	if p.Problem != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, f, p)
	}
	return c.Render("consultar", web.Page{Title: "Consultar de novo", Nav: "consultar", Data: p, Ask: "novo"})
}

// lookupRecognise answers htmx while a document is being typed, or once it is entered.
func (s pages) lookupRecognise(c *web.Call, f LookupFields) error {
	entered := c.URL.Query().Has("pronto")
	p, err := s.Recognise(c, f, !entered)
	if err != nil {
		return err
	}
	p.Whole = entered
	if p.Contact, err = s.Sheet.Contact(c.Ctx(), c.By, f.ContactID); err != nil {
		return err
	}
	return c.RenderPart("consultar", "recognised", p)
}

// Recognise reads the posted text. While somebody is typing, it reports what is missing rather than an error.
func (s pages) Recognise(c *web.Call, f LookupFields, typing bool) (SearchPage, error) {
	p := SearchPage{Text: string(f.Document)}
	text := p.Text
	if len(text) > typedMax {
		text, p.Text = text[:typedMax], web.Shorten(typedMax, p.Text)
	}
	p.Found = document.RecogniseIn(text)
	var err error
	switch {
	case p.Found.Document.IsZero() && p.Found.Short && typing:
		p.Hint = missingWords(p.Found)
		return p, nil
	case len(p.Found.Several) > 0 && len(f.Document) > typedMax:
		p.Found = document.Recognised{}
		p.Problem = "São documentos demais para este campo. Em Lotes, cole ou envie a lista toda."
		return p, nil
	case len(p.Found.Several) > 0:
		if p.Purposes, err = s.PurposesOf(c, f.Purpose); err != nil {
			return p, err
		}
		p.Many = s.manyOf(c, f, p)
		return p, nil
	case p.Found.Document.IsZero():
		p.Problem = problemWords(p.Found)
		return p, nil
	}
	if p.Purposes, err = s.PurposesOf(c, f.Purpose); err != nil {
		return p, err
	}
	choices, err := s.Sheet.Choices(c.Ctx(), c.By, p.Found.Document, p.Purposes.Code, sentAs(c))
	if err != nil {
		return p, err
	}
	spent, err := s.Statement.SpentToday(c.Ctx(), c.By)
	if err != nil {
		return p, err
	}
	p.Spent = spent.Amount
	budget, err := s.Statement.Budget(c.Ctx(), c.By)
	if err != nil {
		return p, err
	}
	chosen := f.Product
	if !slices.ContainsFunc(choices, func(choice lookups.ProductChoice) bool { return choice.Product.ID == chosen }) {
		chosen = "" // for another type of document
	}
	for i, choice := range choices {
		if name := lookups.Subject(&choice.Record); p.Name == "" {
			p.Name = web.Shorten(web.TitleMax, name)
		}
		p.Choices = append(p.Choices, choiceLine{
			ProductChoice: choice, Chosen: choice.Product.ID == chosen || chosen == "" && i == 0,
			Document: p.Found.Document, Contact: f.ContactID, Purpose: p.Purposes.Code,
			Spent: spent.Amount, After: spent.Amount + choice.Product.Price, Budget: budget,
			Now: s.Clock(), Purposes: p.Purposes,
		})
	}
	p.Bundles, err = s.bundlesFor(c, p.Choices)
	return p, err
}

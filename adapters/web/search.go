package web

import (
	"net/http"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

const (
	// patience is how long a page waits for the bureau before it shows that it waits.
	patience = 1200 * time.Millisecond
	// recentLookups and earlierAnswers are how many lines the lists beside have.
	recentLookups  = 10
	earlierAnswers = 6
	// typedMax bounds the text that is looked at: no document is as long.
	typedMax = 400
	// titleMax bounds a name in a headline or a list.
	titleMax = 120
)

// searchPage is the search screen.
type searchPage struct {
	// Text is what was typed.
	Text string
	// Found is what it is; Problem says what is wrong with it, Hint what is missing,
	// once there is anything to say.
	Found         document.Recognised
	Problem, Hint string
	// Name is whom the document belongs to, as history knows it.
	Name    string
	Choices []choiceLine
	Bundles []bundleLine
	// Purposes are what it may be for.
	Purposes purposes
	Spent    catalog.Money
	Contact  crm.Contact
	// Recent are the last lookups, a line for each document.
	Recent []recentLine
	// Whole is whether all has been typed: the focus goes to what comes next, where it would be taken from who still
	// types.
	Whole bool
	// Alert is why a lookup was not begun.
	Alert string
	// FreshDays is how long history answers.
	FreshDays int
}

// choiceLine is a product that fits, with what asking for it takes.
type choiceLine struct {
	app.ProductChoice
	Chosen bool
	// Document, Contact and After are for its forms: the document and the contact that
	// they carry, and what today's spending would be.
	Document document.Document
	Contact  string
	// From and Nth say instead of Document in which answer it stands, and as which of those that it names, from 1.
	From string
	Nth  int
	// Purpose is the code of what it is for.
	Purpose string
	Spent   catalog.Money
	After   catalog.Money
	// Budget is the asker's own in this month; nil where there is none.
	Budget *app.Budget
	Now    time.Time
}

// TooDear reports whether asking costs more than is left of the asker's budget.
func (l choiceLine) TooDear() bool { return l.Budget != nil && l.Product.Price > l.Budget.Left() }

// BudgetAfter is what asking leaves of the budget.
func (l choiceLine) BudgetAfter() catalog.Money { return max(0, l.Budget.Left()-l.Product.Price) }

// lookupLine is a lookup in a list.
type lookupLine struct {
	app.LookupView
	Name string
	By   string
}

// recentLine is the last lookup about a document in each product, newest first.
type recentLine []lookupLine

// Newest is the lookup that was made last, with a name of the document's that any of them knows.
func (l recentLine) Newest() lookupLine { return l[0] }

func lookupLineOf(v app.LookupView) lookupLine {
	l := lookupLine{LookupView: v, Name: shorten(titleMax, app.Subject(v.Record)), By: shorten(28, v.Member)}
	if v.Entry.KeyID != "" {
		l.By = shorten(28, v.Key)
	}
	return l
}

// lookups serves a page that instances without the lookup feature do not have.
func (s *server) lookups(h handler) handler {
	return func(c *call) error {
		if !s.LookupEnabled {
			return errNowhere
		}
		return h(c)
	}
}

// lookupFields are what the forms of a lookup say, from what was typed to the product that was chosen.
type lookupFields struct {
	Document  asTyped `form:"documento"`
	Product   string  `form:"produto"`
	ContactID string  `form:"contato"`
	Purpose   string  `form:"finalidade"`
	// Seen is the answer that one wants another for, Free asks for nothing that is charged.
	Seen string `form:"novo"`
	Free bool   `form:"gratis"`
	// From is the lookup whose answer names the document, Nth which of those that it names.
	From string `form:"de"`
	Nth  int    `form:"pessoa"`
}

func (s *server) lookupNew(c *call, f lookupFields) error {
	return s.searchPage(c, http.StatusOK, f, searchPage{})
}

// searchPage shows the search screen around what is known of the text so far.
func (s *server) searchPage(c *call, status int, f lookupFields, p searchPage) error {
	var err error
	if p.Contact, err = s.Lookups.Contact(c.ctx(), c.by, f.ContactID); err != nil {
		return err
	}
	recent, err := s.Lookups.RecentDocuments(c.ctx(), c.by, recentLookups)
	if err != nil {
		return err
	}
	if p.Purposes, err = s.purposesOf(c, f.Purpose); err != nil {
		return err
	}
	p.Whole = true
	p.FreshDays = int(s.Lookups.Fresh().Hours() / 24)
	for _, about := range recent {
		p.Recent = append(p.Recent, recentLine(namedLines(about)))
	}
	return c.renderStatus(status, "consultar", page{Title: "Consultar", Nav: "consultar", Data: p, Read: true})
}

// lookupAsk is the form without script: it shows the same page with what fits.
func (s *server) lookupAsk(c *call, f lookupFields) error {
	if f.From != "" {
		named, err := s.namedIn(c, f.From, f.Nth)
		if err != nil {
			return err
		}
		f.Document = asTyped(named.Value())
	}
	p, err := s.recognise(c, f, false)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if p.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return s.searchPage(c, status, f, p)
}

// lookupConfirm asks whether the bureau is to be asked although history has an answer.
func (s *server) lookupConfirm(c *call, f lookupFields) error {
	p, err := s.recognise(c, f, false)
	if err != nil {
		return err
	}
	if p.Problem != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, f, p)
	}
	return c.render("consultar", page{Title: "Consultar de novo", Nav: "consultar", Data: p, Ask: "novo"})
}

// lookupRecognise answers htmx while somebody types, or when he has.
func (s *server) lookupRecognise(c *call, f lookupFields) error {
	entered := c.URL.Query().Has("pronto")
	p, err := s.recognise(c, f, !entered)
	if err != nil {
		return err
	}
	p.Whole = entered
	if p.Contact, err = s.Lookups.Contact(c.ctx(), c.by, f.ContactID); err != nil {
		return err
	}
	return c.renderPart("consultar", "recognised", p)
}

// recognise reads the posted text. Who still types is told what is missing rather than
// that it is wrong.
func (s *server) recognise(c *call, f lookupFields, typing bool) (searchPage, error) {
	p := searchPage{Text: string(f.Document)}
	text := p.Text
	if len(text) > typedMax {
		text, p.Text = text[:typedMax], shorten(typedMax, p.Text)
	}
	p.Found = document.RecogniseIn(text)
	var err error
	switch {
	case p.Found.Document.IsZero() && p.Found.Short && typing:
		p.Hint = missingWords(p.Found)
		return p, nil
	case len(p.Found.Several) > 0:
		p.Purposes, err = s.purposesOf(c, f.Purpose)
		return p, err
	case p.Found.Document.IsZero():
		p.Problem = problemWords(p.Found)
		return p, nil
	}
	if p.Purposes, err = s.purposesOf(c, f.Purpose); err != nil {
		return p, err
	}
	choices, err := s.Lookups.Choices(c.ctx(), c.by, p.Found.Document, p.Purposes.Code)
	if err != nil {
		return p, err
	}
	spent, err := s.Lookups.SpentToday(c.ctx(), c.by)
	if err != nil {
		return p, err
	}
	p.Spent = spent.Amount
	budget, err := s.Lookups.Budget(c.ctx(), c.by)
	if err != nil {
		return p, err
	}
	chosen := f.Product
	if !slices.ContainsFunc(choices, func(choice app.ProductChoice) bool { return choice.Product.ID == chosen }) {
		chosen = "" // of another type of document
	}
	for i, choice := range choices {
		if name := app.Subject(&choice.Record); p.Name == "" {
			p.Name = shorten(titleMax, name)
		}
		p.Choices = append(p.Choices, choiceLine{
			ProductChoice: choice, Chosen: choice.Product.ID == chosen || chosen == "" && i == 0,
			Document: p.Found.Document, Contact: f.ContactID, Purpose: p.Purposes.Code,
			Spent: spent.Amount, After: spent.Amount + choice.Product.Price, Budget: budget,
			Now: s.Clock(),
		})
	}
	p.Bundles, err = s.bundlesFor(c, p.Choices)
	return p, err
}

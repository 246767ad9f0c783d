package lookups

import (
	"cmp"
	"math"
	"net/http"
	"time"

	"fichario/adapters/web"
	"fichario/app/lookups"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// lookupStart starts a lookup and redirects to its page, which waits for the answer where the bureau is slow.
func (s pages) lookupStart(c *web.Call, f LookupFields) error {
	if err := s.resolve(c, &f); err != nil {
		return err
	}
	p, err := s.Recognise(c, f, false)
	if err != nil {
		return err
	}
	if p.Problem != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, f, p)
	}
	product, _ := s.Terms.Catalog.Find(f.Product)
	inputs, problem := readInputs(c, product)
	if problem != "" {
		p.lacks(problem)
		return s.searchPage(c, http.StatusUnprocessableEntity, f, p)
	}
	if p.unsaid(f.Purpose) {
		return s.searchPage(c, http.StatusOK, f, p)
	}
	id, ended, err := s.StartLookup(c, lookups.Request{
		Product: f.Product, Document: p.Found.Document.Value(), Inputs: inputs, ContactID: f.ContactID,
		Purpose: p.Purposes.OrSaid(f.Purpose), Refresh: f.Seen != "", Seen: f.Seen, Free: f.Free,
	})
	if p.Alert = Refusal(err); p.Alert != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, f, p)
	}
	if err != nil {
		return err
	}
	if ended {
		return s.lookupDone(c, id)
	}
	return c.Redirect("/consultas/" + id)
}

// unsaid reports whether the purpose must still be chosen, and asks for it: that is no mistake.
func (p *SearchPage) unsaid(purpose string) bool {
	if !p.Purposes.Missing() || purpose != "" {
		return false
	}
	p.lacks("Escolha para que é a consulta. Nada foi consultado nem cobrado.")
	return true
}

// lacks says in the form of the chosen product what it lacks, and above where there is no such form.
func (p *SearchPage) lacks(what string) {
	for i := range p.Choices {
		if p.Choices[i].Chosen {
			p.Choices[i].Missing = what
			return
		}
	}
	p.Alert = what
}

// StartLookup starts a lookup and waits a moment for its outcome.
func (s pages) StartLookup(c *web.Call, req lookups.Request) (id string, ended bool, err error) {
	id, done, err := s.Asker.Start(c.Ctx(), c.By, req)
	if err != nil {
		return "", false, err
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-done:
		return id, true, nil
	case <-wait.C:
	case <-c.Ctx().Done():
	}
	return id, false, nil
}

// lookupDone redirects to the page of a finished lookup, with a note of what was charged.
func (s pages) lookupDone(c *web.Call, id string) error {
	v, err := s.Sheet.Show(c.Ctx(), c.By, id)
	if err != nil || v.Entry.Status != lookup.Done || v.PaidBy(c.By) == 0 {
		return c.Redirect("/consultas/" + id)
	}
	return c.Done("/consultas/"+id,
		"Cobrado: "+v.PaidBy(c.By).Exact()+". Até "+s.Date(v.FreeUntil)+" esta ficha abre de graça para toda a equipe.")
}

// ResultPage is a lookup with its answer, or with the reason why there is none.
type ResultPage struct {
	lookups.View
	Name     string
	Warnings []catalog.Warning
	Glance   []drawnRow
	Sections []section
	// Graph is what hangs together with the subject; nil for nothing.
	Graph *graph
	// Changed is what differs from the previous answer, of the time Before.
	Changed []changeLine
	Before  time.Time
	Raw     rawAnswer
	Others  []choiceLine
	Bundles []bundleLine
	// Again is this product, for a new lookup; nil when it is no longer offered.
	Again    *choiceLine
	Earlier  []lookupLine
	AskedBy  string
	AskedVia string
	// AskedFor is the name of the purpose that the answer was bought for, Purpose that of the lookup; empty where the
	// organisation had no purposes.
	AskedFor, Purpose string
	// Sent are the inputs of the question.
	Sent []inputLine
	// Days is the answer's age and FreshDays how long it is free; Percent is the share of that already past.
	Days, FreshDays, Percent int
	// Waited and Timeout are in seconds, for a running lookup.
	Waited, Timeout int
	// Trouble explains a lookup without an answer.
	Trouble trouble
	Now     time.Time
	// purpose is the code of the purpose of further lookups.
	purpose string
}

// trouble says what happened, what it cost and what to do.
type trouble struct{ What, Cost, Do string }

func (s pages) lookupShow(c *web.Call, f struct {
	Raw string `form:"bruto"`
	// List is the list that is turned to another page.
	List string `form:"lista"`
}) error {
	v, err := s.Sheet.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	p := s.ResultOf(v)
	if v.Entry.Status == lookup.Running {
		if c.Script() {
			return c.RenderPart("andamento", "progress", p)
		}
		return c.Render("andamento", web.Page{Title: v.Product.Name + ", em andamento", Nav: "consultar", Data: p, Refresh: 2})
	}
	c.SawNewest()
	if c.Script() {
		c.Writer.Header().Set("HX-Redirect", c.URL.Path)
		return nil
	}
	if err := s.Sheet.Opened(c.Ctx(), c.By, v); err != nil {
		return err
	}
	if err := s.resultAround(c, &p); err != nil {
		return err
	}
	title := v.Product.Name
	if p.Name != "" {
		title = web.Shorten(60, p.Name) + ", " + title
	}
	if v.Record == nil {
		p.Trouble = s.TroubleOf(v)
		return c.Render("sem-resposta", web.Page{Title: v.Product.Name + ", sem resposta", Nav: "consultar", Data: p})
	}
	if v.Record.Found {
		if err := s.readAnswer(c, &p, f.List); err != nil {
			return err
		}
	}
	p.Raw = readRaw(v.Record.Raw, f.Raw == "texto")
	fresh := s.Terms.Fresh
	p.Days, p.FreshDays = int(p.Now.Sub(v.Record.AnsweredAt).Hours()/24), int(fresh.Hours()/24)
	if fresh > 0 {
		p.Percent = max(1, min(100, int(100*p.Now.Sub(v.Record.AnsweredAt)/fresh)))
	}
	p.AskedBy, p.AskedVia = v.AskedMember, "tela de consulta"
	switch {
	case v.Asked.BatchID != "":
		p.AskedBy, p.AskedVia = cmp.Or(v.AskedKey, v.AskedMember), "lote"
	case v.Asked.KeyID != "":
		p.AskedBy, p.AskedVia = v.AskedKey, "API, com a chave"
	case v.Asked.AutomationID != "":
		p.AskedVia = "automação"
	}
	return c.Render("resultado", web.Page{Title: title, Nav: "consultar", Data: p})
}

// ResultOf is a lookup, with how long it has waited.
func (s pages) ResultOf(v lookups.View) ResultPage {
	now, timeout := s.Clock(), s.Terms.Timeout
	waited := now.Sub(v.Entry.At)
	if !v.Later {
		waited = min(waited, timeout)
	}
	return ResultPage{View: v, Now: now, Timeout: int(math.Ceil(timeout.Seconds())), Waited: int(waited.Seconds())}
}

// drawingOf reads an answer for a caller, who may look up the people it names. Their documents stay out of the page: it
// refers to them by the answer and their position in it.
func (s pages) drawingOf(c *web.Call, e lookup.Entry) *drawing {
	y, m, d := s.Clock().In(s.Calendar.Location).Date()
	out := &drawing{left: drawnText, today: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
	out.ask = func(d document.Document) *choiceLine {
		for _, offer := range s.Terms.Offers(c.By) {
			if offer.Product.ID == string(d.Type()) { // the complete record is named like its document
				return &choiceLine{
					ProductChoice: lookups.ProductChoice{Product: offer.Product}, Contact: e.ContactID,
					From: e.ID, Nth: len(out.named),
				}
			}
		}
		return nil
	}
	return out
}

// namedIn returns the nth document named in an answer; the zero value where there is none.
func (s pages) namedIn(c *web.Call, id string, nth int) (document.Document, error) {
	v, err := s.Sheet.Show(c.Ctx(), c.By, id)
	if err != nil || v.Record == nil {
		return document.Document{}, err
	}
	answer := s.drawingOf(c, v.Entry)
	answer.sections(v.Product, catalog.Values(v.Record.Fields))
	if nth < 1 || nth > len(answer.named) {
		return document.Document{}, web.ErrNowhere
	}
	return answer.named[nth-1], nil
}

// resultAround adds what is shown beside a lookup: the same product again, other products for the document, and earlier
// answers.
func (s pages) resultAround(c *web.Call, p *ResultPage) error {
	names, err := s.PurposeNames(c)
	if err != nil {
		return err
	}
	p.Sent = sentInputs(p.Product, p.Entry.Inputs)
	p.Purpose, p.AskedFor = names[p.Entry.Purpose], names[p.Asked.Purpose]
	next, err := s.PurposesOf(c, p.Entry.Purpose)
	if err != nil {
		return err
	}
	p.purpose = next.Code
	choices, err := s.Sheet.Choices(c.Ctx(), c.By, p.Entry.Document, next.Code, catalog.InputsOf(p.Entry.Inputs))
	if err != nil {
		return err
	}
	spent, err := s.Statement.SpentToday(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	budget, err := s.Statement.Budget(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	p.Name = web.Shorten(web.TitleMax, lookups.Subject(p.Record))
	var all []choiceLine
	for _, choice := range choices {
		line := choiceLine{
			ProductChoice: choice, Document: p.Entry.Document, Contact: p.Entry.ContactID, Purpose: next.Code,
			Spent: spent.Amount, After: spent.Amount + choice.Product.Price, Budget: budget,
			Now: p.Now,
		}
		all = append(all, line)
		if choice.Product.ID == p.Entry.Product {
			p.Again = &line
			continue
		}
		p.Others = append(p.Others, line)
		if p.Name == "" { // another product's answer names the document's subject
			p.Name = web.Shorten(web.TitleMax, lookups.Subject(&choice.Record))
		}
	}
	if p.Bundles, err = s.bundlesFor(c, all); err != nil {
		return err
	}
	earlier, err := s.Sheet.Answers(c.Ctx(), c.By, p.View, earlierAnswers)
	for _, v := range earlier {
		if p.Record == nil || v.Record.ID != p.Record.ID {
			p.Earlier = append(p.Earlier, lookupLineOf(v))
		}
	}
	return err
}

func (s pages) TroubleOf(v lookups.View) trouble {
	if v.Entry.Erased {
		return trouble{
			"O titular pediu que os dados dele fossem apagados.", "A consulta custou " + v.Entry.Cost().Exact() + ".",
			"O documento e a resposta não estão mais guardados.",
		}
	}
	if v.Entry.Compared && v.Entry.Status == lookup.Done {
		return trouble{
			"Esta chamada só comparou " + v.Entry.Bureau + " com o bureau que respondeu.",
			"Ela custou " + v.Entry.Cost().Exact() + ".", "A resposta não é guardada; a concordância está em Bureaus.",
		}
	}
	cost := "O pedido chegou a ele, por isso os " + v.Entry.Cost().Exact() + " foram cobrados."
	const again = "Tente de novo em alguns minutos; se repetir, avise quem cuida do contrato com o bureau."
	switch v.Entry.Status {
	case lookup.NoAnswer:
		return trouble{
			"O bureau não respondeu a tempo.",
			"O pedido pode ter chegado a ele, por isso os " + v.Entry.Cost().Exact() + " foram cobrados.", again,
		}
	case lookup.Failed:
		return trouble{"O bureau respondeu com um erro.", cost, again}
	case lookup.NotSent:
		return trouble{
			"Não foi possível acessar o bureau, ou ele recusou sem cobrar.", "Nada foi cobrado.",
			"Tente de novo em instantes; se repetir, avise quem cuida do contrato com o bureau.",
		}
	case lookup.Running, lookup.Done:
	}
	if v.Unreadable {
		return trouble{
			"A resposta guardada desta consulta está ilegível.", "Ela custou " + v.Entry.Cost().Exact() + ".",
			"Avise quem cuida do serviço: fichario doctor --deep diz quais são. Tentar de novo consulta o bureau outra vez.",
		}
	}
	return trouble{
		"A resposta desta consulta não está guardada.", "Ela custou " + v.Entry.Cost().Exact() + ".",
		"Consulte de novo: se houver outra no histórico, abre de graça.",
	}
}

// lookupRaw sends the bureau's original answer, byte for byte.
func (s pages) lookupRaw(c *web.Call) error {
	v, err := s.Sheet.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	if v.Record == nil {
		return web.ErrNowhere
	}
	if err := s.Sheet.Downloaded(c.Ctx(), c.By, v); err != nil {
		return err
	}
	h := c.Writer.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="consulta-`+v.Entry.ID[:13]+`.json"`)
	_, _ = c.Writer.Write(v.Record.Raw) // on error the client is gone
	return nil
}

package web

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"fichario/app"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
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
	Spent   catalog.Money
	Contact crm.Contact
	Recent  []lookupLine
	// Whole is whether this is a page, not a part of one for htmx: its focus goes to what
	// comes next, where it would be taken from who still types.
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
	Spent    catalog.Money
	After    catalog.Money
	Now      time.Time
}

// lookupLine is a lookup in a list.
type lookupLine struct {
	app.LookupView
	Name string
	By   string
}

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

func (s *server) lookupNew(c *call) error { return s.searchPage(c, http.StatusOK, searchPage{}) }

// searchPage shows the search screen around what is known of the text so far.
func (s *server) searchPage(c *call, status int, p searchPage) error {
	var err error
	if p.Contact, err = s.Lookups.Contact(c.ctx(), c.by, c.text("contato")); err != nil {
		return err
	}
	recent, err := s.Lookups.Recent(c.ctx(), c.by, recentLookups)
	if err != nil {
		return err
	}
	p.Whole = true
	p.FreshDays = int(s.Lookups.Fresh().Hours() / 24)
	// One product's answer names the document of another's.
	names := map[document.Document]string{}
	for _, v := range recent {
		line := lookupLineOf(v)
		names[v.Entry.Document] = cmp.Or(names[v.Entry.Document], line.Name)
		p.Recent = append(p.Recent, line)
	}
	for i, line := range p.Recent {
		p.Recent[i].Name = cmp.Or(line.Name, names[line.Entry.Document])
	}
	return c.renderStatus(status, "consultar", page{Title: "Consultar", Nav: "consultar", Data: p, Read: true})
}

// lookupAsk is the form without script: it shows the same page with what fits.
func (s *server) lookupAsk(c *call) error {
	p, err := s.recognise(c, false)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if p.Problem != "" {
		status = http.StatusUnprocessableEntity
	}
	return s.searchPage(c, status, p)
}

// lookupRecognise answers htmx while somebody types.
func (s *server) lookupRecognise(c *call) error {
	p, err := s.recognise(c, true)
	if err != nil {
		return err
	}
	if p.Contact, err = s.Lookups.Contact(c.ctx(), c.by, c.text("contato")); err != nil {
		return err
	}
	return c.renderPart("consultar", "recognised", p)
}

// recognise reads the posted text. Who still types is told what is missing rather than
// that it is wrong.
func (s *server) recognise(c *call, typing bool) (searchPage, error) {
	p := searchPage{Text: c.PostFormValue("documento")}
	text := p.Text
	if len(text) > typedMax {
		text, p.Text = text[:typedMax], shorten(typedMax, p.Text)
	}
	p.Found = document.Recognise(text)
	switch {
	case p.Found.Document.IsZero() && p.Found.Short && typing:
		p.Hint = missingWords(p.Found)
		return p, nil
	case p.Found.Document.IsZero():
		p.Problem = problemWords(p.Found)
		return p, nil
	}
	choices, err := s.Lookups.Choices(c.ctx(), c.by, p.Found.Document)
	if err != nil {
		return p, err
	}
	spent, err := s.Lookups.SpentToday(c.ctx(), c.by)
	if err != nil {
		return p, err
	}
	p.Spent = spent.Amount
	chosen := c.text("produto")
	if !slices.ContainsFunc(choices, func(one app.ProductChoice) bool { return one.Product.ID == chosen }) {
		chosen = "" // of another type of document
	}
	for i, choice := range choices {
		if name := app.Subject(&choice.Record); p.Name == "" {
			p.Name = shorten(titleMax, name)
		}
		p.Choices = append(p.Choices, choiceLine{
			ProductChoice: choice, Chosen: choice.Product.ID == chosen || chosen == "" && i == 0, Document: p.Found.Document, Contact: c.text("contato"),
			Spent: spent.Amount, After: spent.Amount + choice.Product.Price, Now: s.Clock(),
		})
	}
	return p, nil
}

// missingWords say what is still to be typed.
func missingWords(r document.Recognised) string {
	switch r.Type {
	case document.CPF:
		return fmt.Sprintf("Até aqui, %s. Um CPF tem 11; um CNPJ, 14.", plural(r.Length, "dígito", "dígitos"))
	case document.CNPJ:
		return fmt.Sprintf("Até aqui, %s de 14 de um CNPJ.", plural(r.Length, "caractere", "caracteres"))
	case document.Plate:
		return "Uma placa tem 3 letras e mais 4 caracteres, como ABC1D23."
	case document.Email:
		return "Continue o e-mail, como nome@dominio.com.br."
	}
	return ""
}

// problemWords say what is wrong with a text. They never say which digit would be
// right: whoever sent the document knows.
func problemWords(r document.Recognised) string {
	const nothing = " Nada foi cobrado."
	switch r.Type {
	case document.CPF, document.CNPJ:
		name, exists := "CPF", "Este CPF não existe: "
		if r.Type == document.CNPJ {
			name, exists = "CNPJ", "Este CNPJ não existe: "
		}
		switch r.Reason {
		case document.BadDigit:
			return exists + "os dois últimos dígitos não conferem. Confira com quem o enviou." + nothing
		case document.Repeated:
			return exists + "é o mesmo dígito repetido. Confira com quem o enviou." + nothing
		}
		words := fmt.Sprintf("Um %s tem %d caracteres, e aqui há %s. ", name, r.Want, count(r.Length))
		if r.Type == document.CPF {
			words = fmt.Sprintf("Um CPF tem 11 dígitos, e aqui há %s. ", count(r.Length))
		}
		if r.Length < r.Want {
			return words + "Confira o começo também: planilhas costumam perder os zeros da frente." + nothing
		}
		return words + "Confira se não veio mais alguma coisa junto." + nothing
	case document.Plate:
		return "Uma placa é como ABC1234 ou ABC1D23. Confira com quem a enviou." + nothing
	case document.Email:
		return "Este e-mail não está completo ou tem mais do que um endereço: é como nome@dominio.com.br." + nothing
	}
	if r.Reason == document.Empty {
		return "Escreva ou cole um CPF, CNPJ, placa ou e-mail."
	}
	return "Isto não é CPF, CNPJ, placa ou e-mail. Quem você procura por nome ou telefone está em Contatos." + nothing
}

// lookupStart begins a lookup and leads to its page, which waits for the answer where
// the bureau is slow.
func (s *server) lookupStart(c *call) error {
	p, err := s.recognise(c, false)
	if err != nil {
		return err
	}
	if p.Problem != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, p)
	}
	id, done, err := s.Lookups.Start(c.ctx(), c.by, app.LookupRequest{
		Product: c.text("produto"), Document: p.Found.Document.Value(), Refresh: c.text("novo") != "", Seen: c.text("novo"), Free: c.text("gratis") != "",
		ContactID: c.text("contato"),
	})
	if p.Alert = refusal(err); p.Alert != "" {
		return s.searchPage(c, http.StatusUnprocessableEntity, p)
	}
	if err != nil {
		return err
	}
	wait := time.NewTimer(patience)
	defer wait.Stop()
	select {
	case <-done:
		return s.lookupDone(c, id)
	case <-wait.C:
	case <-c.ctx().Done():
	}
	return c.redirect("/consultas/" + id)
}

// refusal is why a lookup was not begun, in words; empty for other errors.
func refusal(err error) string {
	if errors.Is(err, app.ErrNotInHistory) {
		return "A resposta do histórico deixou de valer enquanto esta página estava aberta. Nada foi cobrado; consultar agora tem o preço indicado."
	}
	switch fault.CodeOf(err) {
	case fault.UnknownProduct:
		return "Este produto não é oferecido, ou não é para este documento. Escolha um da lista. Nada foi cobrado."
	case fault.InvalidDocument:
		return "Este produto não é para este documento. Escolha outro da lista. Nada foi cobrado."
	case fault.BureauUnavailable:
		return app.FaultOf(err).Message
	}
	return ""
}

// lookupDone leads to the page of a lookup that has an outcome, with a word about what
// was charged.
func (s *server) lookupDone(c *call, id string) error {
	v, err := s.Lookups.Show(c.ctx(), c.by, id)
	if err != nil || v.Entry.Status != lookup.Done || !v.Entry.Charged || v.Entry.MemberID != c.by.MemberID() {
		return c.redirect("/consultas/" + id)
	}
	return c.done("/consultas/"+id, "Cobrado: "+money(v.Entry.Amount)+". Até "+s.date(v.FreeUntil)+" esta ficha abre de graça para toda a equipe.")
}

// resultPage is a lookup with its answer, or with why there is none.
type resultPage struct {
	app.LookupView
	Name     string
	Sections []section
	Raw      rawAnswer
	Others   []choiceLine
	// Again is this product, for asking anew; nil when it is no longer offered.
	Again    *choiceLine
	Earlier  []lookupLine
	AskedBy  string
	AskedVia string
	// Days is the answer's age and FreshDays how long it is free; Percent of it is past.
	Days, FreshDays, Percent int
	// Waited and Timeout are the seconds of a lookup that is under way.
	Waited, Timeout int
	// Trouble is what became of a lookup without an answer.
	Trouble trouble
	Now     time.Time
}

// trouble says what happened, what it cost and what to do.
type trouble struct{ What, Cost, Do string }

func (s *server) lookupShow(c *call) error {
	v, err := s.Lookups.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	p := resultPage{LookupView: v, Now: s.Clock(), Timeout: int(math.Ceil(s.Lookups.Timeout().Seconds()))}
	if v.Entry.Status == lookup.Running {
		p.Waited = int(min(p.Now.Sub(v.Entry.At), s.Lookups.Timeout()).Seconds())
		if c.script() {
			return c.renderPart("andamento", "progress", p)
		}
		return c.render("andamento", page{Title: "Perguntando ao bureau", Nav: "consultar", Data: p, Refresh: 2})
	}
	if c.script() {
		c.w.Header().Set("HX-Redirect", c.URL.Path)
		return nil
	}
	if err := s.resultAround(c, &p); err != nil {
		return err
	}
	title := p.Name
	if title == "" {
		title = v.Product.Name
	}
	if v.Record == nil {
		p.Trouble = s.troubleOf(v)
		return c.render("sem-resposta", page{Title: v.Product.Name, Nav: "consultar", Data: p})
	}
	if v.Record.Found {
		p.Sections = readSheet(v.Product, v.Record.Fields)
	}
	p.Raw = readRaw(v.Record.Raw, c.text("bruto") == "texto")
	fresh := s.Lookups.Fresh()
	p.Days, p.FreshDays = int(p.Now.Sub(v.Record.AnsweredAt).Hours()/24), int(fresh.Hours()/24)
	if fresh > 0 {
		p.Percent = max(1, min(100, int(100*p.Now.Sub(v.Record.AnsweredAt)/fresh)))
	}
	p.AskedBy, p.AskedVia = v.AskedMember, "tela de consulta"
	if v.Asked.KeyID != "" {
		p.AskedBy, p.AskedVia = v.AskedKey, "API, com a chave"
	}
	return c.render("resultado", page{Title: shorten(60, title), Nav: "consultar", Data: p})
}

// resultAround adds what stands beside a lookup: the same product again, other products
// for the document, and earlier answers.
func (s *server) resultAround(c *call, p *resultPage) error {
	choices, err := s.Lookups.Choices(c.ctx(), c.by, p.Entry.Document)
	if err != nil {
		return err
	}
	spent, err := s.Lookups.SpentToday(c.ctx(), c.by)
	if err != nil {
		return err
	}
	p.Name = shorten(titleMax, app.Subject(p.Record))
	for _, choice := range choices {
		line := choiceLine{
			ProductChoice: choice, Document: p.Entry.Document, Contact: p.Entry.ContactID,
			Spent: spent.Amount, After: spent.Amount + choice.Product.Price, Now: p.Now,
		}
		if choice.Product.ID == p.Entry.Product {
			p.Again = &line
			continue
		}
		p.Others = append(p.Others, line)
		if p.Name == "" { // another product's answer knows whose document it is
			p.Name = shorten(titleMax, app.Subject(&choice.Record))
		}
	}
	earlier, err := s.Lookups.Answers(c.ctx(), c.by, p.LookupView, earlierAnswers)
	for _, v := range earlier {
		if p.Record == nil || v.Record.ID != p.Record.ID {
			p.Earlier = append(p.Earlier, lookupLineOf(v))
		}
	}
	return err
}

func (s *server) troubleOf(v app.LookupView) trouble {
	cost := "O pedido chegou a ele, por isso os " + money(v.Entry.Amount) + " foram cobrados."
	const again = "Tente de novo em alguns minutos; se repetir, avise quem cuida do contrato com o bureau."
	switch v.Entry.Status {
	case lookup.NoAnswer:
		return trouble{
			fmt.Sprintf("O bureau não respondeu em %d segundos.", int(math.Ceil(s.Lookups.Timeout().Seconds()))),
			"O pedido pode ter chegado a ele, por isso os " + money(v.Entry.Amount) + " foram cobrados.", again,
		}
	case lookup.Failed:
		return trouble{"O bureau respondeu com um erro.", cost, again}
	case lookup.NotSent:
		return trouble{"O bureau não pôde ser alcançado.", "Nada foi cobrado.", "Tente de novo em instantes; se repetir, avise quem cuida do contrato com o bureau."}
	case lookup.Running, lookup.Done:
	}
	return trouble{"A resposta desta consulta não está guardada.", "Ela custou " + money(v.Entry.Amount) + ".", "Consulte de novo: se houver outra no histórico, abre de graça."}
}

// lookupRaw sends the bureau's own answer, byte for byte.
func (s *server) lookupRaw(c *call) error {
	v, err := s.Lookups.Show(c.ctx(), c.by, c.PathValue("id"))
	if err != nil {
		return err
	}
	if v.Record == nil {
		return errNowhere
	}
	h := c.w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Disposition", `attachment; filename="consulta-`+v.Entry.ID[:13]+`.json"`)
	_, _ = c.w.Write(v.Record.Raw) // nobody is left to be told
	return nil
}

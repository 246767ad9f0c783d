package batches

import (
	"fmt"
	"net/http"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/batches"
	"fichario/app/lookups"
	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
)

// batchResultsAtOnce is how many results a page of a batch has.
const batchResultsAtOnce = 50

// batchPage is one batch.
type batchPage struct {
	Line
	// Problem says why a request was refused, and CeilingText repeats what was typed.
	Problem, CeilingText string
	CeilingWrong         bool
	// Pace says how fast it is, PauseText why it is paused and what to do.
	Pace, PauseText                      string
	Live, MayPause, MayResume, MayCancel bool
	// Pause tells one state of a pause from another: when it ends by itself, and what is in flight. Empty while it runs.
	Pause     string
	AgainCost catalog.Money
	// Results says whether there are any to show.
	Results bool
	Items   []batchItemLine
	Next    string
}

// batchItemLine is a row of a batch with its outcome.
type batchItemLine struct {
	batches.Result
	// Shown is the document in its usual punctuation.
	Shown, Name, StateText string
}

func (s pages) batchShow(c *web.Call, at batchPlace) error {
	return s.batchAgain(c, http.StatusOK, at.After, nil)
}

// batchAgain shows a batch, with the reason why a request was refused.
func (s pages) batchAgain(c *web.Call, status int, after string, why error) error {
	v, err := s.Batches.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data, err := s.batchPage(c, v)
	if err != nil {
		return err
	}
	if refusal := app.FaultOf(why); refusal != nil {
		data.Problem = refusal.Message
		if refusal.Field == "teto" {
			data.CeilingText, data.CeilingWrong = c.PostForm.Get("teto"), true
		}
	}
	if data.Results {
		if err := s.batchResults(c, &data, after); err != nil {
			return err
		}
	}
	refresh := 0
	if data.MayPause {
		refresh = 5
	}
	return c.RenderStatus(status, "lote", web.Page{Title: v.Name, Nav: "lotes", Data: data, Refresh: refresh, Wide: true})
}

func (s pages) batchPage(c *web.Call, v batches.View) (p batchPage, err error) {
	names, err := s.Batches.Names(c.Ctx(), c.By)
	if err != nil {
		return p, err
	}
	purposes, err := s.PurposeNames(c)
	if err != nil {
		return p, err
	}
	p.Line = LineOf(s.Batches.Catalog, v, names)
	p.For = purposes[v.Purpose]
	p.CeilingText = v.Enough().Exact()
	if v.Status == batch.Paused {
		p.Pause = fmt.Sprintf("%d.%d", v.ResumeAt.Unix(), v.InFlight)
	}
	p.Live = v.Status == batch.Running || v.Status == batch.Paused && !v.ResumeAt.IsZero() || v.InFlight > 0
	p.MayPause = v.Status == batch.Running
	p.MayResume = v.Status == batch.Paused || v.Status == batch.Done && v.Failed > 0
	p.MayCancel = !v.Status.Ended()
	p.AgainCost = v.RetryCost()
	p.Results = v.Status != batch.Quoted && v.Status != batch.Expired
	p.Pace = s.paceOf(v)
	p.PauseText = s.pauseText(v)
	return p, nil
}

// batchResults reads a page of results.
func (s pages) batchResults(c *web.Call, p *batchPage, after string) error {
	found, err := s.Batches.Results(c.Ctx(), c.By, p.ID, "", after, batchResultsAtOnce)
	if err != nil {
		return err
	}
	if found.Next != "" {
		p.Next = "/lotes/" + p.ID + "?depois=" + found.Next
	}
	for _, r := range found.Results {
		line := batchItemLine{Result: r, Shown: web.Shorten(web.TitleMax, r.Document), StateText: stateText(r)}
		if typed := document.Recognise(r.Document); r.State != batch.Invalid && !typed.Document.IsZero() {
			line.Shown = typed.Document.Punctuated()
		}
		if r.Fields != nil {
			line.Name = web.Shorten(web.TitleMax, lookups.Subject(&lookup.Record{Fields: r.Fields}))
		}
		p.Items = append(p.Items, line)
	}
	return nil
}

// stateText is the outcome of a document in words.
func stateText(r batches.Result) string {
	text := map[batch.State]string{
		batch.Pending: "na fila", batch.InFlight: "em andamento", batch.Answered: "respondida", batch.Failed: "falhou",
		batch.NoAnswer: "sem resposta", batch.Invalid: "inválido",
	}[r.State]
	switch {
	case r.RepeatOf > 0:
		text += ", como na linha " + web.Count(r.RepeatOf)
	case r.State == batch.Failed && r.Message != "":
		text += ". " + r.Message
	case r.State == batch.Answered && r.Fields == nil: // erased, too old or unreadable; one without a record has fields
		text += ", mas a resposta não está mais disponível"
	case r.State == batch.Answered && r.Cache:
		text += ", do histórico"
	}
	return text
}

func (s pages) paceOf(v batches.View) string {
	rate := v.PerSecond(v.Now)
	if rate == 0 {
		return ""
	}
	left := v.EndsAt(v.Now).Sub(v.Now).Round(time.Second)
	unit := "segundo"
	if rate < 1 {
		rate, unit = rate*60, "minuto"
	}
	return fmt.Sprintf("%s por %s, termina em cerca de %s", catalog.Grouped(fmt.Sprintf("%.0f", max(1, rate))), unit, duration(left))
}

// duration words an approximate duration.
func duration(d time.Duration) string {
	switch {
	case d < time.Minute:
		return web.Plural(int(d.Seconds()), "segundo", "segundos")
	case d < time.Hour:
		return web.Plural(int(d.Minutes()+.5), "minuto", "minutos")
	}
	return web.Plural(int(d.Hours()+.5), "hora", "horas")
}

func (s pages) pauseText(v batches.View) string {
	if v.Status != batch.Paused {
		return ""
	}
	text := v.PauseText()
	if v.Note != "" {
		text += " " + v.Note
	}
	if !v.ResumeAt.IsZero() {
		text += " Ele continua sozinho em " + s.Datetime(v.ResumeAt) + "."
	}
	return text
}

// batchProgress answers htmx while the batch runs or will run; once it has ended, the whole page is reloaded. A page
// that already shows the same pause gets no content: somebody may be typing in its form.
func (s pages) batchProgress(c *web.Call, shown struct {
	Pause string `form:"pausa"`
}) error {
	v, err := s.Batches.Show(c.Ctx(), c.By, c.PathValue("id"))
	if err != nil {
		return err
	}
	data, err := s.batchPage(c, v)
	if err != nil {
		return err
	}
	if !data.Live {
		c.Writer.Header().Set("HX-Refresh", "true")
	}
	if data.Live && data.Pause != "" && data.Pause == shown.Pause {
		c.Writer.WriteHeader(http.StatusNoContent)
		return nil
	}
	return c.RenderPart("lote", "batch-progress", data)
}

// batchCeiling are the fields of a batch's forms.
type batchCeiling struct {
	Ceiling  string `form:"teto"`
	Failures bool   `form:"falhas"`
}

// ceilingOf reads the amount typed; nil where there is none.
func ceilingOf(c *web.Call) (*catalog.Money, bool, error) {
	var f batchCeiling
	if err := c.Decode(&f); err != nil || f.Ceiling == "" {
		return nil, f.Failures, err
	}
	amount, err := web.ReadMoney([]string{f.Ceiling})
	money, ok := amount.(catalog.Money)
	if err != nil || !ok || money < 0 {
		return nil, f.Failures, fault.New(fault.InvalidRequest, "Escreva o teto em reais, como 50,00.").At("teto")
	}
	return &money, f.Failures, nil
}

func (s pages) batchConfirm(c *web.Call) error {
	ceiling, _, err := ceilingOf(c)
	if err == nil {
		_, err = s.Batches.Confirm(c.Ctx(), c.By, c.PathValue("id"), ceiling)
	}
	return s.batchDone(c, err, "O lote começou. Pode sair desta página: ele continua sozinho.")
}

func (s pages) batchPause(c *web.Call) error {
	_, err := s.Batches.Pause(c.Ctx(), c.By, c.PathValue("id"))
	return s.batchDone(c, err, "Lote pausado.")
}

func (s pages) batchResume(c *web.Call) error {
	ceiling, failures, err := ceilingOf(c)
	if err == nil {
		_, err = s.Batches.Resume(c.Ctx(), c.By, c.PathValue("id"), ceiling, failures)
	}
	return s.batchDone(c, err, "O lote continua.")
}

func (s pages) batchCancel(c *web.Call) error {
	_, err := s.Batches.Cancel(c.Ctx(), c.By, c.PathValue("id"))
	return s.batchDone(c, err, "Lote cancelado. O que já foi respondido continua no histórico.")
}

// batchDone redirects to the batch, or shows it with the reason why nothing was done.
func (s pages) batchDone(c *web.Call, err error, notice string) error {
	id := c.PathValue("id")
	refusal := app.FaultOf(err)
	switch {
	case err == nil:
		return c.Done("/lotes/"+id, notice)
	case refusal != nil && (app.IsRefusal(err) || refusal.Code == fault.BatchState || refusal.Code == fault.Forbidden):
		return s.batchAgain(c, http.StatusUnprocessableEntity, "", err)
	}
	return err
}

// batchCSV sends the whole result for programs, batchXLSX for people.
func (s pages) batchCSV(c *web.Call) error {
	found, err := s.Batches.AllResults(c.Ctx(), c.By, c.PathValue("id"), "")
	if err != nil {
		return err
	}
	return s.Download(c, download.Batch(found), download.Plain)
}

func (s pages) batchXLSX(c *web.Call) error {
	found, err := s.Batches.AllResults(c.Ctx(), c.By, c.PathValue("id"), "")
	if err != nil {
		return err
	}
	if err := download.XLSX(c.Writer, download.Batch(found)); err != nil {
		s.BrokeOff(c, err)
	}
	return nil
}

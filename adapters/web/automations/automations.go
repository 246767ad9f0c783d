package automations

import (
	"fichario/adapters/web"
	"fichario/app"
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/domain/automation"
	"fichario/domain/crm"
)

// runsShown is how many runs a page shows.
const runsShown = 30

// automationsShown is how many automations a page has.
const automationsShown = 15

// automationsPage is a page of automations, with the newest runs of all.
type automationsPage struct {
	web.Paged[line]
	Runs []automations.RunView
	// All says that the runs that were skipped are shown too.
	All bool
	// Dead is how many runs were given up, Waiting how many await their next attempt.
	Dead, Waiting int
	// MoreWait is whether there may be more than Waiting, which is counted up to a limit.
	MoreWait bool
	// Chain draws who triggers whom; nil where nobody does.
	Chain *chain
}

// runsFilter is the filter of runs in an address.
type runsFilter struct {
	All bool `form:"todas"`
}

func (s pages) automationList(c *web.Call, f runsFilter) error {
	data := automationsPage{All: f.All}
	all, err := s.Automations.Views(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	data.Paged = web.PageOf(c, "/automacoes", s.lines(c, all...), automationsShown)
	if data.Chain, err = s.chainOf(c, all, data.Paged); err != nil {
		return err
	}
	if data.Runs, err = s.Automations.RunViews(c.Ctx(), c.By, automation.JobFilter{}, f.All, runsShown); err != nil {
		return err
	}
	if data.Dead, err = s.Automations.CountFailed(c.Ctx(), c.By); err != nil {
		return err
	}
	if data.Waiting, err = s.Automations.CountWaiting(c.Ctx(), c.By); err != nil {
		return err
	}
	data.MoreWait = data.Waiting >= app.FailedAtOnce
	return c.Render("automacoes", web.Page{Title: "Automações", Nav: "automacoes", Data: data, Wide: true})
}

// automationPage is one automation with its runs, and a rehearsal of it.
type automationPage struct {
	line
	Runs     []automations.RunView
	All      bool
	Contacts []crm.Contact
	// Text is what contacts were searched by.
	Text      string
	Chosen    string
	Rehearsal *automations.Rehearsal
}

func (s pages) automationShow(c *web.Call, f struct {
	ContactID string `form:"contato"`
	Text      string `form:"procurar"`
	runsFilter
}) error {
	id, data := c.PathValue("id"), automationPage{All: f.All}
	shown, err := s.Automations.View(c.Ctx(), c.By, id)
	if err != nil {
		return err
	}
	data.line = s.lines(c, shown)[0]
	runs := automation.JobFilter{AutomationID: id}
	if data.Runs, err = s.Automations.RunViews(c.Ctx(), c.By, runs, f.All, runsShown); err != nil {
		return err
	}
	data.Text = f.Text
	if data.Contacts, err = s.tryWith(c, f.Text); err != nil {
		return err
	}
	if data.Chosen = f.ContactID; data.Chosen != "" {
		r, err := s.Automations.Rehearse(c.Ctx(), c.By, id, data.Chosen)
		if err != nil {
			return err
		}
		data.Rehearsal = &r
	}
	return c.Render("automacao", web.Page{Title: data.Name, Nav: "automacoes", Data: data, Wide: true})
}

// contactsToTry is how many contacts are offered for a rehearsal.
const contactsToTry = 20

// tryWith returns the newest contacts, or those that match a search.
func (s pages) tryWith(c *web.Call, text string) (matching []crm.Contact, err error) {
	if text == "" {
		return s.Automations.Newest(c.Ctx(), c.By, contactsToTry)
	}
	found, err := s.Contacts.Search(c.Ctx(), c.By, contacts.ContactSearch{Text: text}, "", "", contactsToTry)
	for _, v := range found.Contacts {
		matching = append(matching, v.Contact)
	}
	return matching, err
}

func (s pages) automationEnable(c *web.Call, f struct {
	Enabled bool `form:"ligada"`
}) error {
	if err := s.Automations.SetEnabled(c.Ctx(), c.By, c.PathValue("id"), f.Enabled); err != nil {
		return err
	}
	notice := "Automação desligada."
	if f.Enabled {
		notice = "Automação ligada."
	}
	return c.Done(c.CameFrom("/automacoes"), notice)
}

func (s pages) runAgain(c *web.Call) error {
	if _, err := s.Automations.RunAgain(c.Ctx(), c.By, c.PathValue("id")); err != nil {
		return err
	}
	return c.Done(c.CameFrom("/automacoes"), "Será refeita em instantes.")
}

// runDeadAgain runs again every run that was given up, or retries at once all that await their next attempt.
func (s pages) runDeadAgain(c *web.Call, f struct {
	Waiting bool `form:"esperam"`
}) error {
	if f.Waiting {
		n, err := s.Automations.RunWaitingNow(c.Ctx(), c.By)
		if err != nil {
			return err
		}
		return c.Done(c.CameFrom("/automacoes"), web.Plural(n, "execução será tentada", "execuções serão tentadas")+" em instantes.")
	}
	n, left, err := s.Automations.RunFailedAgain(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	said, stayed := web.Plural(n, "execução será refeita", "execuções serão refeitas")+" em instantes.", ""
	if left > 0 {
		stayed = web.Plural(left, "é de automação desabilitada e ficou", "são de automações desabilitadas e ficaram") + "."
	}
	return c.DoneExcept(c.CameFrom("/automacoes"), said, stayed)
}

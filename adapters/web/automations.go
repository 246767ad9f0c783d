package web

import (
	"fichario/app/automations"
	"fichario/app/contacts"
	"fichario/domain/automation"
	"fichario/domain/crm"
)

// runsShown is how many runs a page shows.
const runsShown = 30

// automationsPage is all automations with their newest runs.
type automationsPage struct {
	Automations []automations.View
	Runs        []automations.RunView
	// Dead is how many runs were given up, Waiting how many await their next attempt.
	Dead, Waiting int
}

func (s *server) automationList(c *call) error {
	var data automationsPage
	var err error
	if data.Automations, err = s.Automations.Views(c.ctx(), c.by, c.by.OrgID()); err != nil {
		return err
	}
	if data.Runs, err = s.Automations.RunViews(c.ctx(), c.by, automation.JobFilter{}, runsShown); err != nil {
		return err
	}
	if data.Dead, err = s.Automations.CountFailed(c.ctx(), c.by); err != nil {
		return err
	}
	if data.Waiting, err = s.Automations.CountWaiting(c.ctx(), c.by); err != nil {
		return err
	}
	return c.render("automacoes", page{Title: "Automações", Nav: "automacoes", Data: data})
}

// automationPage is one automation with its runs, and a rehearsal of it.
type automationPage struct {
	automations.View
	Runs     []automations.RunView
	Contacts []crm.Contact
	// Text is what contacts were searched by.
	Text      string
	Chosen    string
	Rehearsal *automations.Rehearsal
}

func (s *server) automationShow(c *call, f struct {
	ContactID string `form:"contato"`
	Text      string `form:"procurar"`
}) error {
	id := c.PathValue("id")
	var data automationPage
	var err error
	if data.View, err = s.Automations.View(c.ctx(), c.by, id); err != nil {
		return err
	}
	runs := automation.JobFilter{AutomationID: id}
	if data.Runs, err = s.Automations.RunViews(c.ctx(), c.by, runs, runsShown); err != nil {
		return err
	}
	data.Text = f.Text
	if data.Contacts, err = s.tryWith(c, f.Text); err != nil {
		return err
	}
	if data.Chosen = f.ContactID; data.Chosen != "" {
		r, err := s.Automations.Rehearse(c.ctx(), c.by, id, data.Chosen)
		if err != nil {
			return err
		}
		data.Rehearsal = &r
	}
	return c.render("automacao", page{Title: data.Name, Nav: "automacoes", Data: data})
}

// contactsToTry is how many contacts are offered for a rehearsal.
const contactsToTry = 20

// tryWith returns the newest contacts, or those that match a search.
func (s *server) tryWith(c *call, text string) (matching []crm.Contact, err error) {
	if text == "" {
		return s.Automations.Newest(c.ctx(), c.by, contactsToTry)
	}
	found, err := s.Contacts.Search(c.ctx(), c.by, contacts.ContactSearch{Text: text}, "", "", contactsToTry)
	for _, v := range found.Contacts {
		matching = append(matching, v.Contact)
	}
	return matching, err
}

func (s *server) automationEnable(c *call, f struct {
	Enabled bool `form:"ligada"`
}) error {
	if err := s.Automations.SetEnabled(c.ctx(), c.by, c.PathValue("id"), f.Enabled); err != nil {
		return err
	}
	notice := "Automação desligada."
	if f.Enabled {
		notice = "Automação ligada."
	}
	return c.done(c.cameFrom("/automacoes"), notice)
}

func (s *server) runAgain(c *call) error {
	if _, err := s.Automations.RunAgain(c.ctx(), c.by, c.PathValue("id")); err != nil {
		return err
	}
	return c.done(c.cameFrom("/automacoes"), "Será refeita em instantes.")
}

// runDeadAgain runs again every run that was given up, or retries at once all that await their next attempt.
func (s *server) runDeadAgain(c *call, f struct {
	Waiting bool `form:"esperam"`
}) error {
	if f.Waiting {
		n, err := s.Automations.RunWaitingNow(c.ctx(), c.by)
		if err != nil {
			return err
		}
		return c.done("/automacoes", plural(n, "execução será tentada", "execuções serão tentadas")+" em instantes.")
	}
	n, left, err := s.Automations.RunFailedAgain(c.ctx(), c.by)
	if err != nil {
		return err
	}
	said := plural(n, "execução será refeita", "execuções serão refeitas") + " em instantes."
	if left > 0 {
		said += " " + plural(left, "é de automação desabilitada e ficou", "são de automações desabilitadas e ficaram") + "."
	}
	return c.done("/automacoes", said)
}

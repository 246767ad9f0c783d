package intake

import (
	"time"

	"fichario/adapters/web"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// webhookLine is a webhook in the list.
type webhookLine struct {
	webhook.Webhook
	Origin  string
	Refused int
	Last    time.Time
}

// webhooksPage is all webhooks, and those that recently refused something.
type webhooksPage struct{ Lines, Refused []webhookLine }

func (s pages) webhookList(c *web.Call) error {
	hooks, err := s.Webhooks.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	origins, err := s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	now := s.Clock()
	day, err := s.Webhooks.Summaries(c.Ctx(), c.By, c.By.OrgID(), now.Add(-24*time.Hour))
	if err != nil {
		return err
	}
	month, err := s.Webhooks.Summaries(c.Ctx(), c.By, c.By.OrgID(), now.Add(-30*24*time.Hour))
	if err != nil {
		return err
	}
	var data webhooksPage
	for _, w := range hooks {
		line := webhookLine{
			Webhook: w, Origin: nameOfOrigin(origins, w.OriginID), Refused: day[w.ID].Refused, Last: month[w.ID].Last,
		}
		data.Lines = append(data.Lines, line)
		if line.Refused > 0 {
			data.Refused = append(data.Refused, line)
		}
	}
	return c.Render("webhooks", web.Page{Title: "Webhooks", Nav: "webhooks", Data: data, Wide: true})
}

func nameOfOrigin(all []crm.Origin, id string) string {
	for _, o := range all {
		if o.ID == id {
			return o.Name
		}
	}
	return ""
}

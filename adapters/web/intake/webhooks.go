package intake

import (
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// webhookLine is a webhook in the list.
type webhookLine struct {
	webhook.Webhook
	Origin string
	// Refused counts what was refused in the last 24 hours and did not become a contact; Month is of the last 30 days, in
	// which Last is the newest post; zero where none came.
	Refused int
	Month   webhook.Summary
	Last    time.Time
	Spark   web.Spark
	// Why is why the newest refused post was refused, at WhyAt; empty where none was in 30 days.
	Why   string
	WhyAt time.Time
}

// webhooksPage is a page of webhooks.
type webhooksPage struct {
	web.Paged[webhookLine]
	// Refused are those of all that refused most in the last 24 hours of what is no contact, MoreRefused how many others
	// refused something.
	Refused     []webhookLine
	MoreRefused int
}

// webhooksShown is how many webhooks a page has, refusalsShown how many of those that refused something it names.
const webhooksShown, refusalsShown = 15, 5

func (s pages) webhookList(c *web.Call) error {
	hooks, err := s.Webhooks.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	origins, err := s.Origins.List(c.Ctx(), c.By, c.By.OrgID())
	if err != nil {
		return err
	}
	open, err := s.Webhooks.Unsettled(c.Ctx(), c.By, c.By.OrgID(), s.Clock().Add(-24*time.Hour))
	if err != nil {
		return err
	}
	bounds := s.SparkDaysOf()
	daily, err := s.Webhooks.Days(c.Ctx(), c.By, c.By.OrgID(), "", bounds)
	if err != nil {
		return err
	}
	var data webhooksPage
	lines := make([]webhookLine, len(hooks))
	for i, w := range hooks {
		lines[i] = webhookLine{
			Webhook: w, Origin: nameOfOrigin(origins, w.OriginID), Refused: open[w.ID],
			Month: webhook.Sum(daily[w.ID]),
		}
		if lines[i].Refused > 0 {
			data.Refused = append(data.Refused, lines[i])
		}
	}
	slices.SortStableFunc(data.Refused, func(a, b webhookLine) int { return b.Refused - a.Refused })
	data.MoreRefused = max(0, len(data.Refused)-refusalsShown)
	data.Refused = data.Refused[:len(data.Refused)-data.MoreRefused]
	data.Paged = web.PageOf(c, "/webhooks", lines, webhooksShown)
	if err := s.showNewest(c, data.Items, bounds, daily); err != nil {
		return err
	}
	return c.Render("webhooks", web.Page{Title: "Webhooks", Nav: "webhooks", Data: data, Wide: true})
}

// showNewest completes the lines of a page with what each webhook received last, and refused last.
func (s pages) showNewest(
	c *web.Call, lines []webhookLine, bounds []time.Time, daily map[string][]webhook.Summary,
) error {
	hooks := make([]webhook.Webhook, len(lines))
	for i, line := range lines {
		hooks[i] = line.Webhook
	}
	last, err := s.Webhooks.Latest(c.Ctx(), c.By, c.By.OrgID(), hooks, "", bounds, daily)
	if err != nil {
		return err
	}
	refused, err := s.Webhooks.Latest(c.Ctx(), c.By, c.By.OrgID(), hooks, webhook.Refused, bounds, daily)
	if err != nil {
		return err
	}
	for i := range lines {
		line := &lines[i]
		line.Spark = s.sparkOf(bounds, daily[line.ID])
		line.Last, line.Why, line.WhyAt = last[line.ID].At, refused[line.ID].Reason, refused[line.ID].At
	}
	return nil
}

// sparkOf draws what a webhook received on each day.
func (s pages) sparkOf(bounds []time.Time, days []webhook.Summary) web.Spark {
	well, refused := make([]int, web.SparkDays), make([]int, web.SparkDays)
	for i, d := range days {
		well[i], refused[i] = d.Accepted+d.Repeated, d.Refused
	}
	return s.SparkOf(bounds, well, refused)
}

func nameOfOrigin(all []crm.Origin, id string) string {
	for _, o := range all {
		if o.ID == id {
			return o.Name
		}
	}
	return ""
}

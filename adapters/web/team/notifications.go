package team

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fichario/adapters/web"
	"fichario/app/contacts"
	"fichario/domain/crm"
)

// notificationsAtOnce is how many notifications the page shows.
const notificationsAtOnce = 50

// notificationDay is what the team was told on one day.
type notificationDay struct {
	Name string
	All  []crm.Notification
}

// notificationsPage is the newest notifications, by day.
type notificationsPage struct {
	Days []notificationDay
	// Newest is the id of the first one, up to which all can be marked as read.
	Newest string
	Unread int
	// Full is how many there are where there may be older ones, else 0.
	Full int
	// Before says, by contact id, which contacts had come before.
	Before map[string]contacts.CameBefore
}

func (s pages) notificationList(c *web.Call) error {
	all, err := s.Notifications.List(c.Ctx(), c.By, c.By.OrgID(), c.By.MemberID(), notificationsAtOnce)
	if err != nil {
		return err
	}
	var data notificationsPage
	if len(all) == notificationsAtOnce {
		data.Full = len(all)
	}
	var arrived []string
	for _, n := range all {
		n.ContactName = cmp.Or(n.ContactName, "um contato que saiu da lista")
		if n.Kind == crm.NewContact {
			arrived = append(arrived, n.ContactID)
		}
		name := s.dayName(n.At)
		at := slices.IndexFunc(data.Days, func(d notificationDay) bool { return d.Name == name })
		if at < 0 { // ordered by creation, which instances' clocks may disagree on
			at, data.Days = len(data.Days), append(data.Days, notificationDay{Name: name})
		}
		day := &data.Days[at]
		day.All = append(day.All, n)
	}
	if len(all) > 0 {
		data.Newest = all[0].ID
	}
	if data.Before, err = s.Contacts.CameBefore(c.Ctx(), c.By, arrived); err != nil {
		return err
	}
	if data.Unread, err = s.Notifications.Unread(c.Ctx(), c.By); err != nil {
		return err
	}
	return c.Render("notificacoes", web.Page{Title: "Notificações", Nav: "notificacoes", Data: data, Wide: true})
}

// dayName names the day of a time.
func (s pages) dayName(t time.Time) string {
	switch day := s.Date(t); day {
	case s.Date(s.Clock()):
		return "Hoje"
	case s.Date(s.Calendar.DaysBefore(s.Clock(), 1)):
		return "Ontem"
	default:
		return day
	}
}

func (s pages) notificationsRead(c *web.Call, f struct {
	Newest string `form:"ate"`
}) error {
	if err := s.Notifications.ReadUpTo(c.Ctx(), c.By, f.Newest); err != nil {
		return err
	}
	return c.Done("/notificacoes", "Tudo marcado como lido.")
}

// bellAnswer is the count of unread notifications, with a sentence to announce when it grows.
type bellAnswer struct {
	Unread int
	Say    string
}

// bell is polled by htmx: the count in both places, and a sentence for screen readers when there are more than before.
func (s pages) bell(c *web.Call, f struct {
	Before *int `form:"visto"`
}) error {
	unread, err := s.Notifications.Unread(c.Ctx(), c.By)
	if err != nil {
		return err
	}
	data := bellAnswer{Unread: unread}
	if f.Before != nil && unread > *f.Before {
		data.Say = fmt.Sprintf("%s. %s ao todo.", web.Plural(unread-*f.Before, "notificação nova", "notificações novas"),
			web.Plural(unread, "não lida", "não lidas"))
	}
	return c.RenderPart("notificacoes", "bells", data)
}

package web

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"fichario/app/contacts"
	"fichario/domain/crm"
)

// notificationsAtOnce is how many notifications the page shows.
const notificationsAtOnce = 100

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
	// Full says that there may be older ones.
	Full bool
	// Before says, by contact id, which contacts had come before.
	Before map[string]contacts.CameBefore
}

func (s *server) notificationList(c *call) error {
	all, err := s.Notifications.List(c.ctx(), c.by, c.by.OrgID(), c.by.MemberID(), notificationsAtOnce)
	if err != nil {
		return err
	}
	data := notificationsPage{Full: len(all) == notificationsAtOnce}
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
	if data.Before, err = s.Contacts.CameBefore(c.ctx(), c.by, arrived); err != nil {
		return err
	}
	if data.Unread, err = s.Notifications.Unread(c.ctx(), c.by); err != nil {
		return err
	}
	return c.render("notificacoes", page{Title: "Notificações", Nav: "notificacoes", Data: data})
}

// dayName names the day of a time.
func (s *server) dayName(t time.Time) string {
	switch day := s.date(t); day {
	case s.date(s.Clock()):
		return "Hoje"
	case s.date(s.Calendar.DaysBefore(s.Clock(), 1)):
		return "Ontem"
	default:
		return day
	}
}

func (s *server) notificationsRead(c *call, f struct {
	Newest string `form:"ate"`
}) error {
	if err := s.Notifications.ReadUpTo(c.ctx(), c.by, f.Newest); err != nil {
		return err
	}
	return c.done("/notificacoes", "Tudo marcado como lido.")
}

// bellAnswer is the count of unread notifications, with a sentence to announce when it grows.
type bellAnswer struct {
	Unread int
	Say    string
}

// bell is polled by htmx: the count in both places, and a sentence for screen readers when there are more than before.
func (s *server) bell(c *call, f struct {
	Before *int `form:"visto"`
}) error {
	unread, err := s.Notifications.Unread(c.ctx(), c.by)
	if err != nil {
		return err
	}
	data := bellAnswer{Unread: unread}
	if f.Before != nil && unread > *f.Before {
		data.Say = fmt.Sprintf("%s. %s ao todo.", plural(unread-*f.Before, "notificação nova", "notificações novas"),
			plural(unread, "não lida", "não lidas"))
	}
	return c.renderPart("notificacoes", "bells", data)
}

package products

import (
	"cmp"
	"strings"

	"fichario/domain/intake/tree"
)

// Cal.com has one id for all events of a booking, and for all who take a seat in it.
var calCom = Product{
	Name: "calcom",
	IDs: []ID{
		{Has: "triggerEvent payload.uid", From: "triggerEvent payload.uid", Shared: true},
	},
	Envelopes: []Envelope{{Marks: "attendees", Of: calComBooking}},
}

// calComBooking sets apart who is in the list of a booking beside the one who booked now: those who took its other
// seats before, with what they answered then.
func calComBooking(_ Walk, booking, attendees *tree.Node) *Members {
	if attendees.Kind != tree.Array || booking.Child("organizer") == nil {
		return nil
	}
	booker := cmp.Or(booking.Str("responses", "email", "value"), booking.Str("responses", "email"))
	seat := booking.Str("attendeeSeatId")
	list := *attendees
	list.Children = nil
	var others []tree.Node
	for _, a := range attendees.Children {
		its := a.Str("bookingSeat", "referenceUid")
		if booker != "" && !strings.EqualFold(a.Str("email"), booker) || booker == "" && its != "" && its != seat {
			a.Stranger = true
			others = append(others, a)
		} else {
			list.Children = append(list.Children, a)
		}
	}
	if len(others) == 0 || len(list.Children) == 0 || seat == "" {
		return nil
	}
	list.Children = append(list.Children, others...)
	return &Members{By: map[string]Reading{"attendees": func(w Walk, _ *tree.Node) bool {
		w.Read(&list, Answer)
		return true
	}}}
}

package products

import (
	"strings"

	"fichario/domain/intake/tree"
)

// RD Station sends conversions: the source is the name of the conversion, and the origin stands inside.
var rdStation = Product{
	Name: "rdstation",
	IDs: []ID{
		{Has: "leads.uuid", When: hasOriginalEvent, From: originalEvent},
		{Has: "leads.uuid", From: "leads.uuid leads.last_conversion.created_at"},
		{Has: "event_uuid contact", From: "event_uuid"},
	},
	Envelopes: []Envelope{
		{Marks: "conversion_origin", Of: when(isObject, map[string]Reading{
			"source": reads(NoteOnly), "conversion_origin": conversionOrigin,
		})},
		{Marks: "funnel", Of: when(ofContact, map[string]Reading{"funnel": funnelOfContact})},
	},
}

// originalEvent is where the id of the event stands that a conversion was made from.
const originalEvent = "leads.last_conversion.content.__cdp__original_event.event_uuid"

func hasOriginalEvent(n *tree.Node) bool { return n.Str(strings.Split(originalEvent, ".")...) != "" }

func isObject(_, mark *tree.Node) bool { return mark.Kind == tree.Object }

// conversionOrigin reads the origin, whose names are weak elsewhere.
func conversionOrigin(w Walk, k *tree.Node) bool {
	if k.Kind != tree.Object {
		return false
	}
	w.Read(k, StatedMembers)
	return true
}

func ofContact(_, funnel *tree.Node) bool { return funnel.Child("lifecycle_stage") != nil }

// funnelOfContact reads the funnel that the contact is in, whose origin is the contact's.
func funnelOfContact(w Walk, k *tree.Node) bool {
	for i := range k.Children {
		if c := &k.Children[i]; c.Key == "origin" {
			w.Read(c, Stated)
		} else {
			w.ReadInside(k.Key, c)
		}
	}
	return true
}

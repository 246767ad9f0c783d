// Package contacts is the suite of the repositories of contacts.
package contacts

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"funnels":                 funnels,
	"origins":                 origins,
	"contacts":                contacts,
	"pages of contacts":       contactPages,
	"edits of contacts":       contactEdits,
	"contacts that are alike": alikeContacts,
	"removed contacts":        removedContacts,
	"merged contacts":         mergedContacts,
	"first entries":           firstEntries,
	"stray contacts":          strayContacts,
	"told contacts":           toldContacts,
	"bulk actions":            bulks,
	"first answers":           firstAnswers,
	"rotations":               rotations,
	"taking in turn":          takingInTurn,
	"search of contacts":      contactSearch,
	"orders of contacts":      contactOrders,
	"contacts that are gone":  contactsGone,
	"contacts that change":    contactsEdited,
	"contact filters":         contactFilters,
	"totals of contacts":      contactTotals,
}

// Package portstest holds the suites that every implementation of a port must pass, so that both databases behave as
// one product.
package portstest

import (
	"testing"

	"fichario/ports"
)

// Store runs the suite of ports.Store. newStore returns an empty, migrated store.
func Store(t *testing.T, newStore func(t *testing.T) ports.Store) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, ports.Store){
		"clock":                   sharedClock,
		"organisations":           organisations,
		"members":                 members,
		"sessions":                sessions,
		"attempts to sign in":     attempts,
		"tickets":                 tickets,
		"second factors":          factors,
		"identities":              identities,
		"keys and secrets":        keys,
		"usage and caps":          usage,
		"caps under concurrency":  capsUnderConcurrency,
		"statement":               statement,
		"statement pages":         statementPages,
		"statement filters":       statementFilters,
		"statement by who asked":  statementByAsker,
		"settling":                settling,
		"lookups of contacts":     contactLookups,
		"history":                 history,
		"records of history":      historyRecords,
		"serving from history":    serving,
		"serving together":        servingTogether,
		"shared calls":            sharedCalls,
		"calls and history":       callsAndHistory,
		"calls under concurrency": callsUnderConcurrency,
		"calls of many":           callsOfMany,
		"ceilings":                ceilings,
		"changed ceilings":        changedCeilings,
		"agent sessions":          agentSessions,
		"batches":                 batches,
		"quotes of batches":       batchQuotes,
		"items of batches":        batchItems,
		"busy batches":            busyBatches,
		"fresh answers":           freshAnswers,
		"limits of batches":       batchLimits,
		"funnels":                 funnels,
		"origins":                 origins,
		"bundles":                 bundles,
		"purposes":                purposes,
		"restricted keys":         restrictedKeys,
		"history of purposes":     historyOfPurposes,
		"calls for purposes":      callsForPurposes,
		"contacts":                contacts,
		"pages of contacts":       contactPages,
		"edits of contacts":       contactEdits,
		"contacts that are alike": alikeContacts,
		"removed contacts":        removedContacts,
		"merged contacts":         mergedContacts,
		"bulk actions":            bulks,
		"first answers":           firstAnswers,
		"rotations":               rotations,
		"taking in turn":          takingInTurn,
		"search of contacts":      contactSearch,
		"orders of contacts":      contactOrders,
		"contacts that are gone":  contactsGone,
		"contact filters":         contactFilters,
		"totals of contacts":      contactTotals,
		"notifications":           notifications,
		"webhooks":                webhooks,
		"opening webhooks":        opening,
		"taking a contact":        taking,
		"taking once":             takingOnce,
		"taking together":         takingTogether,
		"taking several people":   takingSeveral,
		"taking several once":     takingSeveralOnce,
		"several at once":         severalAtOnce,
		"one of several fails":    oneOfSeveralFails,
		"forgetting":              forgetting,
		"deliveries":              deliveries,
		"figures of deliveries":   deliveryFigures,
		"automations":             automations,
		"jobs":                    jobs,
		"pages of jobs":           jobPages,
		"jobs and their workers":  workers,
		"traces of persons":       subjectTraces,
		"persons being erased":    subjectsBarred,
		"contacts of persons":     subjectContacts,
		"blocked persons":         subjectBlocks,
		"erasures":                erasures,
		"figures":                 figures,
		"figures of contacts":     contactFigures,
		"figures of lookups":      lookupFigures,
		"audit":                   auditChain,
		"pages of the audit":      auditPages,
		"erasures in the audit":   auditErasures,
		"what the audit forgets":  auditForgotten,
		"transactions":            transactions,
		"no id":                   noID,
		"refusals":                refusals,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newStore(t))
		})
	}
}

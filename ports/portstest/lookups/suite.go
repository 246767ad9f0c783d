// Package lookups is the suite of the repositories of lookups, their history and statement, keys.
package lookups

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"keys and secrets":        keys,
	"usage and caps":          usage,
	"caps under concurrency":  capsUnderConcurrency,
	"statement":               statement,
	"statement pages":         statementPages,
	"statement filters":       statementFilters,
	"statement by who asked":  statementByAsker,
	"statement by parts":      statementParts,
	"settling":                settling,
	"parts of answers":        partsOfAnswers,
	"answers that come later": laterAnswers,
	"lookups of contacts":     contactLookups,
	"history":                 history,
	"records of history":      historyRecords,
	"serving from history":    serving,
	"serving together":        servingTogether,
	"shared calls":            sharedCalls,
	"calls and history":       callsAndHistory,
	"calls begun again":       callsBegunAgain,
	"calls under concurrency": callsUnderConcurrency,
	"calls of many":           callsOfMany,
	"calls ended twice":       callsEndedTwice,
	"calls down a chain":      callsDownAChain,
	"calls gone on":           callsGoneOn,
	"ends after an erasure":   endsAfterErasure,
	"bureaus":                 bureaus,
	"comparisons":             comparisons,
	"ceilings":                ceilings,
	"changed ceilings":        changedCeilings,
	"changes under load":      changesUnderLoad,
	"agent sessions":          agentSessions,
	"idempotency keys":        lookupRequests,
	"bundles":                 bundles,
	"figures":                 figures,
	"figures of contacts":     contactFigures,
	"figures of lookups":      lookupFigures,
}

// Package privacy is the suite of the repositories of purposes, persons and the audit.
package privacy

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"purposes":               purposes,
	"restricted keys":        restrictedKeys,
	"history of purposes":    historyOfPurposes,
	"calls for purposes":     callsForPurposes,
	"traces of persons":      subjectTraces,
	"persons being erased":   subjectsBarred,
	"persons erased twice":   subjectsBarredTwice,
	"contacts of persons":    subjectContacts,
	"blocked persons":        subjectBlocks,
	"erasures":               erasures,
	"audit":                  auditChain,
	"pages of the audit":     auditPages,
	"erasures in the audit":  auditErasures,
	"what the audit forgets": auditForgotten,
}

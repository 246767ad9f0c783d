// Package intake is the suite of the repositories of webhooks and posts.
package intake

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"webhooks":              webhooks,
	"opening webhooks":      opening,
	"taking a contact":      taking,
	"taking once":           takingOnce,
	"a webhook's names":     renamed,
	"jobs that are heard":   jobsHeard,
	"taking together":       takingTogether,
	"taking several people": takingSeveral,
	"taking several once":   takingSeveralOnce,
	"several at once":       severalAtOnce,
	"one of several fails":  oneOfSeveralFails,
	"forgetting":            forgetting,
	"deliveries":            deliveries,
	"latest deliveries":     latestDeliveries,
	"unsettled deliveries":  unsettledDeliveries,
	"figures of deliveries": deliveryFigures,
	"lead sources":          leadSources,
	"leads":                 leads,
}

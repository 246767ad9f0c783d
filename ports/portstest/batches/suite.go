// Package batches is the suite of the repositories of batches.
package batches

import "fichario/ports/portstest/kit"

// Suite are the tests, by name.
var Suite = kit.Suite{
	"batches":           batches,
	"quotes of batches": batchQuotes,
	"items of batches":  batchItems,
	"refused items":     refusedItems,
	"retried items":     retriedItems,
	"unseen items":      unseenItems,
	"lookups of items":  anItemsLookup,
	"busy batches":      busyBatches,
	"fresh answers":     freshAnswers,
	"limits of batches": batchLimits,
}

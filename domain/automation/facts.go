package automation

import (
	"fmt"
	"strconv"
	"strings"

	"fichario/domain/batch"
	"fichario/domain/catalog"
	"fichario/domain/crm"
)

// Facts is what an event says as it was when it happened: ids and numbers, separated by commas. It is stored with the
// event's job, in the transaction of the change. Empty for an event of an earlier version, which tells the present
// state.
type Facts string

// FactsOf returns the facts of an event of a contact: its stage, assignee, origin, webhook and amount.
func FactsOf(c crm.Contact) Facts {
	return Facts(strings.Join([]string{
		c.StageID, c.AssigneeID, c.OriginID, c.WebhookID, strconv.FormatInt(int64(c.Amount), 10),
	}, ","))
}

// Apply gives a contact what it had when the event happened, and reports whether the facts are known.
func (f Facts) Apply(c *crm.Contact) bool {
	part := strings.Split(string(f), ",")
	if len(part) != 5 {
		return false
	}
	amount, err := strconv.ParseInt(part[4], 10, 64)
	if err != nil {
		return false
	}
	c.StageID, c.AssigneeID, c.OriginID, c.WebhookID, c.Amount = part[0], part[1], part[2], part[3], catalog.Money(amount)
	return true
}

const batchFacts = "%d,%d,%d,%d,%d,%d"

// FactsOfBatch returns the facts of a batch that has ended: its ceiling, the counts of its items, and what it was
// charged.
func FactsOfBatch(b batch.Batch, spent catalog.Money) Facts {
	return Facts(fmt.Sprintf(batchFacts, b.Limit(), b.Ended, b.Charged, b.Free, b.Failed, spent))
}

// ApplyToBatch is Apply for a batch.
func (f Facts) ApplyToBatch(b *BatchOutcome) bool {
	was := *b
	n, err := fmt.Sscanf(string(f), batchFacts, &was.Ceiling, &was.Ended, &was.Charged, &was.Free, &was.Failed, &was.Spent)
	if err != nil || n < 6 {
		return false
	}
	was.HasCeiling, *b = true, was
	return true
}

package intake

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"slices"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/adapters/gormstore/automations"
	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/webhook"
	"fichario/ports"
)

// errKnown rolls back a post with several people.
var errKnown = errors.New("a key is known")

// arrived is a post with several people, a replay, or a lead that was fetched. Where it has no people, job, if any,
// tells of its refusal. read is the delivery that a replay has read.
type arrived struct {
	delivery DeliveryRow
	others   []DeliveryContactRow
	people   []taken
	mails    bool
	job      automations.JobRow
	read     string
	lead     string // the platform's id of the lead that it is; empty for a post
	page     string
}

// takeSeveral writes a post with several people, or a replay, in a transaction of its own: its people share the commit,
// only written receipts show whether all of them are new, and what a replay has read must be there still. Once begun it
// runs to its end, so that the answer matches what happened.
func (r inbox) takeSeveral(ctx context.Context, a arrived) (kept bool, err error) {
	if err := ctx.Err(); err != nil {
		return false, err
	}
	const tries = 3
	for try, queued := 1, false; ; try++ {
		err = r.Exec(context.WithoutCancel(ctx), "inbox.take", func(db *gorm.DB) error {
			return db.Transaction(func(tx *gorm.DB) (err error) {
				queued, err = r.writeSeveral(tx, a)
				return err
			})
		})
		if try < tries && engine.Collided(err) {
			continue
		}
		if errors.Is(err, errKnown) {
			return false, nil
		}
		if err == nil && queued {
			r.MakeDue(automation.FanOut)
		}
		return err == nil, err
	}
}

// writeSeveral writes receipts first, in the order of their keys, and counters and figures last, like takeStatement. It
// reports whether it has written a job.
func (r inbox) writeSeveral(tx *gorm.DB, a arrived) (queued bool, err error) {
	if err := a.mayBeWritten(tx); err != nil {
		return false, err
	}
	delivery, people := a.delivery, a.people
	var receipts []receiptRow
	made, jobs := make([]contacts.ContactRow, len(people)), make([]automations.JobRow, len(people))
	for i, p := range people {
		made[i], jobs[i] = *p.contact, p.job
		if p.receipt != nil {
			receipts = append(append(receipts, *p.receipt), p.more...)
		}
	}
	if err := claim(tx, receipts); err != nil {
		return false, err
	}
	for i, p := range people {
		if p.turns != nil {
			member, err := p.turns.Take(tx)
			if err != nil {
				return false, err
			}
			made[i].AssigneeID = engine.Optional(member)
		}
		jobs[i].Facts = factsOf(&made[i])
	}
	if err := a.log(tx); err != nil {
		return false, err
	}
	if len(a.others) > 0 {
		if err := tx.Create(&a.others).Error; err != nil {
			return false, err
		}
	}
	if queued, err = tell(tx, a, jobs); err != nil {
		return false, err
	}
	if err := r.count(tx, delivery, len(people)); err != nil {
		return false, err
	}
	return queued, contacts.Insert(tx, r.slot, made)
}

// count counts a post, and the people that it brought.
func (r inbox) count(tx *gorm.DB, delivery DeliveryRow, people int) error {
	if people > 0 {
		received := counterRow{delivery.WebhookID, r.slot, int64(people), &delivery.OrgID}
		if err := engine.Through(tx)(receivedTally, &received); err != nil {
			return err
		}
	}
	hours := deliveryHours{}
	hours.add(delivery, r.slot)
	for _, hour := range hours {
		if err := engine.Through(tx)(hourTally, &hour); err != nil {
			return err
		}
	}
	return nil
}

// mayBeWritten returns ports.ErrErased for a replay of what is gone, and errKnown for a lead that was read before.
func (a arrived) mayBeWritten(tx *gorm.DB) error {
	if err := stillThere(tx, a.delivery.OrgID, a.read); err != nil {
		return err
	}
	return takeLead(tx, a)
}

// log writes the line of the log. The contacts of a replay are noted in what it has read, and in the post that this was
// a replay of, where they were refused.
func (a arrived) log(tx *gorm.DB) error {
	if err := tx.Create(&a.delivery).Error; err != nil || a.read == "" || a.delivery.ContactID == nil {
		return err
	}
	var were []DeliveryRow
	err := engine.Routed(string(a.delivery.OrgID))(tx.Model(&were)).
		Clauses(clause.Returning{Columns: []clause.Column{{Name: "id"}}}).
		Where("id IN ? AND contact_id IS NULL", []string{a.read, cmp.Or(a.delivery.ReplayOf.Text(), a.read)}).
		Where("outcome = "+engine.Literal(webhook.Refused)).Update("contact_id", a.delivery.ContactID).Error
	var others []DeliveryContactRow
	for _, was := range were {
		for _, other := range a.others {
			other.DeliveryID = was.ID
			others = append(others, other)
		}
	}
	if err != nil || len(others) == 0 {
		return err
	}
	return tx.Create(&others).Error
}

// claim writes receipts, in the order of their keys, or returns errKnown where one is there already.
func claim(tx *gorm.DB, receipts []receiptRow) error {
	if len(receipts) == 0 {
		return nil
	}
	slices.SortFunc(receipts, func(a, b receiptRow) int { return bytes.Compare(a.Key, b.Key) })
	claimed := tx.Clauses(clause.OnConflict{DoNothing: true}).Create(&receipts)
	if claimed.Error == nil && int(claimed.RowsAffected) < len(receipts) {
		return errKnown
	}
	return claimed.Error
}

// stillThere returns ports.ErrErased for a delivery that was emptied or removed, and keeps it as it is until the
// transaction ends: an erasure that comes then finds what was made of it.
func stillThere(tx *gorm.DB, orgID engine.UID, id string) error {
	if id == "" {
		return nil
	}
	var there []string
	err := engine.Locked("UPDATE", "")(tx).Model(&DeliveryRow{}).
		Where("id = ? AND org_id = ? AND NOT truncated", id, orgID).Pluck("id", &there).Error
	if err == nil && len(there) == 0 {
		err = ports.ErrErased
	}
	return err
}

// tell writes the jobs of new contacts, or that of a refused replay, where somebody hears of it, and reports whether it
// has.
func tell(tx *gorm.DB, a arrived, jobs []automations.JobRow) (heard bool, err error) {
	event := automation.ContactCreated
	heard = a.mails
	if len(jobs) == 0 {
		if a.job.ID == "" {
			return false, nil
		}
		jobs, event, heard = []automations.JobRow{a.job}, automation.DeliveryRefused, false
	}
	if !heard {
		err := tx.Raw("SELECT "+automations.Listening("?", "?"), jobs[0].OrgID, string(event)).Scan(&heard).Error
		if err != nil || !heard {
			return false, err
		}
	}
	return true, tx.Create(&jobs).Error
}

package lookups

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/automation"
	"fichario/domain/lookup"
	"fichario/ports"
)

type leaseRow struct {
	DocIndex  []byte     `gorm:"primaryKey"`
	CallID    engine.UID `gorm:"not null"`
	ExpiresAt time.Time  `gorm:"not null"`
	// OrgID is nil in what the version before has written, as in other rows of which the key says whose they are.
	OrgID *engine.UID
}

func (leaseRow) TableName() string { return "leases" }

type calls struct {
	engine.Conn
	vault *engine.Vault
	begin *engine.Together[beginning, begun]
	end   *engine.Together[ended, bool]
	// secret is the key of the hashes by which people are found.
	secret func(context.Context) ([]byte, error)
}

// beginning is a call about to be charged.
type beginning struct {
	ports.Charge
	entry LookupRow
	// indexes find its answers in the history, under the current data key first; nil where nothing is shared.
	indexes [][]byte
	// leases are the keys that calls sharing an answer have in common, one for each data key: while keys are rotated, each
	// instance may have another first.
	leases [][]byte
	// subject is the hash of the document's person, as blocks store it.
	subject []byte
	// request is the hash of the idempotency key; nil without one.
	request []byte
}

// begun is the outcome of a beginning.
type begun struct {
	ports.Begun
	refused error // by a cap, or the error that kept it from beginning
}

// writes reports whether the call may be made.
func (b begun) writes() bool { return b.Begun == (ports.Begun{}) && b.refused == nil }

// ended is the outcome of a call.
type ended struct {
	entry  LookupRow
	price  int64
	record *RecordRow
	parts  []RecordRow
	trail  automation.Trail
	took   time.Duration
	over   bool
	// matches are what it is compared with.
	matches []ports.BureauMatch
}

func (r calls) endedOf(o ports.Outcome) ended {
	e := ended{
		entry: lookupRowOf(r.vault, o.Entry), price: int64(o.Price), trail: automation.Trail(o.Entry.Trail), took: o.Took,
		over: o.Over, matches: o.Matches,
	}
	if o.Record != nil {
		record := recordRowOf(r.vault, *o.Record)
		e.record = &record
		e.parts = engine.Mapped(o.Parts, func(p lookup.Record) RecordRow { return recordRowOf(r.vault, p) })
	}
	return e
}

func (r calls) Begin(ctx context.Context, c ports.Charge) (ports.Begun, error) {
	const op = "calls.begin"
	if err := r.Outside(op); err != nil {
		return ports.Begun{}, err
	}
	secret, err := r.secret(ctx)
	if err != nil {
		return ports.Begun{}, err
	}
	b := beginning{
		Charge: c, entry: lookupRowOf(r.vault, c.Entry),
		subject: engine.DocumentHash(secret, c.Entry.OrgID, c.Entry.Document),
	}
	if c.RequestName != "" {
		b.request = requestHash(secret, c.Entry.KeyID, "name", c.RequestName)
	}
	if c.Shared {
		b.indexes, b.leases = sharedBy(r.vault, c.Entry, c.Only)
	}
	ctx, span := engine.Spanned(ctx, op)
	out, err := r.begin.Call(ctx, b)
	ports.EndSpan(span, err)
	if err == nil {
		err = engine.Classify(out.refused)
	}
	return out.Begun, engine.Named(op, err)
}

// sharedBy returns beginning.indexes and leases of a shared call.
func sharedBy(v *engine.Vault, e lookup.Entry, o ports.Only) (indexes, leases [][]byte) {
	shared := IndexText(e.OrgID, e.Product, e.Document, o.Inputs)
	indexes = v.Indexes(shared)
	if leases = indexes; o.Purpose != nil || o.Bureau != "" {
		leases = v.Indexes(shared + "|" + leaseText(o))
	}
	return indexes, leases
}

// question identifies, within an instance, the calls that share an answer; "" where nothing is shared.
func (b beginning) question() string {
	if len(b.leases) == 0 {
		return ""
	}
	return string(b.leases[0])
}

// leaseText tells apart the leases of questions that do not share answers.
func leaseText(o ports.Only) string {
	text := ""
	if o.Purpose != nil {
		text = *o.Purpose
	}
	if o.Bureau != "" {
		text += "|" + o.Bureau
	}
	return text
}

func (r calls) End(ctx context.Context, o ports.Outcome) (open bool, err error) {
	const op = "calls.end"
	if err := r.Outside(op); err != nil {
		return false, err
	}
	if o.Other != nil || o.Unmade != nil {
		return r.endOtherwise(ctx, op, o)
	}
	e := r.endedOf(o)
	ctx, span := engine.Spanned(ctx, op)
	open, err = r.end.Call(ctx, e)
	ports.EndSpan(span, err)
	return open, engine.Named(op, err)
}

// unfinished are the statuses of an entry that its owner may still settle.
var unfinished = engine.Literal(lookup.Running) + ", " + engine.Literal(lookup.NoAnswer)

// account is a counter of what a key, a member, a batch or an automation was charged; under engine.NoID, what the
// comparisons of bureaus were.
type account struct {
	key    engine.UID
	bucket string
}

// of is the count of an account that was charged nothing: that of an entry, whose organisation it has, or of none.
func (a account) of(row LookupRow) usageRow {
	if a.key == engine.NoID {
		return usageRow{KeyID: a.key, Bucket: a.bucket, OrgID: new(a.key)}
	}
	return usageRow{KeyID: a.key, Bucket: a.bucket, OrgID: new(row.OrgID)}
}

// limit is an account that a charge counts against, with the most it may hold.
type limit struct {
	account
	// count and amount are the maxima; full is the error returned where a charge would exceed them.
	count, amount int64
	full          error
}

// limitsOf returns the accounts of an entry in the order in which they are checked.
func limitsOf(row LookupRow, c ports.Charge) (out []limit) {
	const boundless = math.MaxInt64
	if row.KeyID != nil {
		out = append(out, limit{account{*row.KeyID, row.Month}, int64(c.Caps.PerMonth), boundless, ports.ErrMonthCap},
			limit{account{*row.KeyID, row.Day}, int64(c.Caps.PerDay), boundless, ports.ErrDayCap},
			limit{account{*row.KeyID, Total}, boundless, boundless, nil})
	}
	if row.MemberID != nil {
		budget := int64(boundless)
		if c.Budget != nil {
			budget = int64(*c.Budget)
		}
		out = append(out, limit{account{*row.MemberID, row.Month}, boundless, budget, ports.ErrBudget})
	}
	if row.BatchID != nil {
		out = append(out, limit{account{*row.BatchID, lookup.BatchBucket}, boundless, int64(c.Ceiling), ports.ErrCeiling})
	}
	if row.AutomationID != nil {
		out = append(out, limit{account{*row.AutomationID, row.Month}, boundless, int64(c.Ceiling), ports.ErrCeiling})
	}
	if row.Compared {
		of := account{engine.NoID, lookup.ComparedBucket(row.Month, row.Product)}
		out = append(out, limit{of, boundless, int64(c.Ceiling), ports.ErrCeiling})
	}
	return out
}

// accountsOf returns the accounts of an entry.
func accountsOf(row LookupRow) []account {
	return engine.Mapped(limitsOf(row, ports.Charge{}), func(l limit) account { return l.account })
}

// charges is what several calls add to, or take from, the counts and figures.
type charges struct {
	// counted is what each account held before.
	counted map[account]usageRow
	added   map[account]usageRow
	hours   map[lookupHourRow]lookupHourRow // keyed by the row without its numbers
	days    map[spendDayRow]spendDayRow
	parts   map[chargeDayRow]chargeDayRow // of days
	bureaus map[bureauDayRow]bureauDayRow
	matches map[bureauMatchRow]bureauMatchRow
	slot    int64
	reached []crossing
	// divided is whether the figures of bureaus are kept apart by organisation: where Citus divides the tables.
	divided bool
}

func newCharges(divided bool) *charges {
	return &charges{
		divided: divided,
		counted: map[account]usageRow{}, added: map[account]usageRow{}, hours: map[lookupHourRow]lookupHourRow{},
		days: map[spendDayRow]spendDayRow{}, parts: map[chargeDayRow]chargeDayRow{},
		bureaus: map[bureauDayRow]bureauDayRow{},
		matches: map[bureauMatchRow]bureauMatchRow{}, slot: engine.SomeSlot(),
	}
}

// admit returns the error of the first account that a call would exceed, counting those already added and what it
// reserves.
func (c *charges) admit(b beginning) error {
	calls, amount := 1+b.entry.SpareCalls, b.entry.Amount+b.entry.Spare
	for _, l := range limitsOf(b.entry, b.Charge) {
		had, more := c.counted[l.account], c.added[l.account]
		if had.Count+more.Count > l.count-calls || had.Amount+more.Amount > l.amount-amount {
			return l.full
		}
	}
	return nil
}

// begin counts a call that begins, with what it reserves.
func (c *charges) begin(row LookupRow) {
	c.account(row, 1+row.SpareCalls, row.Amount+row.Spare)
	c.figure(row, 1, row.Amount)
}

// end counts what a call cost in the end. price is what it was charged so far; row has what is still reserved.
func (c *charges) end(row LookupRow, price int64) {
	calls := chargedCalls(row) - 1
	c.account(row, calls-max(row.SpareCalls, 0), row.Amount-price-row.Spare)
	c.figure(row, calls, row.Amount-price)
}

func chargedCalls(row LookupRow) int64 {
	if row.Charged {
		return 1
	}
	return 0
}

// account adds to the accounts of an entry.
func (c *charges) account(row LookupRow, calls, amount int64) {
	if calls == 0 && amount == 0 {
		return
	}
	for _, a := range accountsOf(row) {
		sum := a.of(row)
		sum.Count, sum.Amount = c.added[a].Count+calls, c.added[a].Amount+amount
		c.added[a] = sum
	}
}

// figure adds to the figures of an entry's hour and day.
func (c *charges) figure(row LookupRow, calls, amount int64) {
	if calls == 0 && amount == 0 {
		return
	}
	hour := lookupHourRow{OrgID: row.OrgID, Hour: engine.HourOf(row.At), Product: row.Product, Slot: c.slot}
	sum := c.hours[hour]
	at := hour
	at.Charged, at.Amount = sum.Charged+calls, sum.Amount+amount
	c.hours[hour] = at
	day := spendDayRow{OrgID: row.OrgID, Day: row.Day, KeyID: engine.OrNoID(row.KeyID), Product: row.Product, Slot: c.slot}
	spent := c.days[day]
	on := day
	on.Charged, on.Amount = spent.Charged+calls, spent.Amount+amount
	c.days[day] = on
}

// inserted counts an entry that is written whole: what it costs, or that the history answered it.
func (c *charges) inserted(row LookupRow) {
	if row.Charged {
		c.figure(row, 1, row.Amount)
		c.charged(row)
	} else if row.Cache {
		hour := lookupHourRow{OrgID: row.OrgID, Hour: engine.HourOf(row.At), Product: row.Product, Slot: c.slot}
		at := hour
		at.Cached = c.hours[hour].Cached + 1
		at.Charged, at.Amount = c.hours[hour].Charged, c.hours[hour].Amount
		c.hours[hour] = at
	}
}

// fresh reports whether an answer in the history makes the call unnecessary.
func (b beginning) fresh(recordID engine.UID, answeredAt time.Time) bool {
	return answeredAt.After(b.After) && string(recordID) != b.Seen
}

// inOrder are counts in the order in which every transaction locks them.
func inOrder(counts map[account]usageRow) []usageRow {
	return slices.SortedFunc(maps.Values(counts), func(a, b usageRow) int {
		return cmp.Or(cmp.Compare(a.KeyID, b.KeyID), cmp.Compare(a.Bucket, b.Bucket))
	})
}

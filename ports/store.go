package ports

import (
	"context"
	"errors"
	"time"

	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
)

// ErrNotFound is returned by every repository method that looks for one thing
// and finds none.
var ErrNotFound = errors.New("not found")

// ErrExists is returned where a unique value is taken already.
var ErrExists = errors.New("exists already")

// ErrOutsideTx is returned by methods that are only for inside InTx, ErrInsideTx by those that are only for outside,
// InTx among them.
var (
	ErrOutsideTx = errors.New("only inside InTx")
	ErrInsideTx  = errors.New("only outside InTx")
)

// Store is the border to the database. Both databases behave alike; the suite in
// ports/portstest holds them to it.
//
// When the database cannot be reached, or does not answer in time, every method
// of the store and its repositories returns a fault.ServiceUnavailable.
type Store interface {
	// Repos gives repositories outside a transaction: each call is its own.
	Repos() Repos
	// InTx runs f in one transaction: all of it happens, or nothing. f may run
	// twice (the database may refuse a transaction that collides with another),
	// uses only the repositories that it is given, and never calls a bureau, sends
	// anything or waits. An error of f rolls back and is returned as it is.
	InTx(ctx context.Context, f func(Repos) error) error
}

// Repos are the repositories, each small enough to be read at a glance.
type Repos struct {
	Orgs      Orgs
	Members   Members
	Keys      Keys
	Usage     Usage
	Statement Statement
	History   History
	Leases    Leases

	Funnels       Funnels
	Origins       Origins
	Contacts      Contacts
	Notifications Notifications
	Webhooks      Webhooks
	Inbox         Inbox
	Deliveries    Deliveries
	Automations   Automations
	Jobs          Jobs

	Sessions Sessions
	Figures  Figures
}

// Orgs stores organisations.
type Orgs interface {
	Create(ctx context.Context, o crm.Organisation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Organisation, error)
	// List returns all of them, oldest first.
	List(ctx context.Context) ([]crm.Organisation, error)
	// Lock, inside InTx, keeps everybody else who locks the organisation waiting until
	// the transaction ends; ErrNotFound when there is none.
	Lock(ctx context.Context, id string) error
}

// Members stores the people of organisations.
type Members interface {
	// Create returns ErrExists when the e-mail is taken.
	Create(ctx context.Context, m crm.Member) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Member, error)
	// ByEmail returns the member with an e-mail address in lower case, or
	// ErrNotFound.
	ByEmail(ctx context.Context, email string) (crm.Member, error)
	// Update changes name, e-mail, role, activity and password hash; ErrNotFound when
	// there is none, ErrExists when the e-mail is taken.
	Update(ctx context.Context, m crm.Member) error
	// List returns the members of an organisation, active or not, oldest first.
	List(ctx context.Context, orgID string) ([]crm.Member, error)
}

// Keys stores API keys and the hashes of their secrets.
type Keys interface {
	Create(ctx context.Context, k access.Key) error
	// AddSecret gives the key a secret, which ends the ones it had at endOthers,
	// unless they end before. Its prefix becomes the key's. Where was is not empty, the
	// key's prefix must still be that one: ErrNotFound otherwise.
	AddSecret(ctx context.Context, keyID, was string, s access.Secret, endOthers time.Time) error
	// BySecret returns the key that a secret opens at now, or ErrNotFound. Whether
	// the key itself is revoked or expired is for the caller to see.
	BySecret(ctx context.Context, s access.Secret, now time.Time) (access.Key, error)
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (access.Key, error)
	// List returns the keys of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]access.Key, error)
	// Revoke ends a key for good; revoking it again keeps the first time.
	Revoke(ctx context.Context, id string, at time.Time) error
	// Touch notes when keys were last used.
	Touch(ctx context.Context, lastUse map[string]time.Time) error
}

// Usage counts what a key was charged, in the buckets of access.Calendar.
type Usage interface {
	// Charge counts one charged lookup of that amount in the day, the month and in
	// total, or nothing at all: when the month's cap is reached it returns
	// ErrMonthCap, when the day's is, ErrDayCap, the month first. Under any
	// concurrency no bucket exceeds its cap. Only inside InTx.
	Charge(ctx context.Context, keyID, day, month string, amount catalog.Money, caps access.Limits) error
	// Release takes one charge back. Only inside InTx.
	Release(ctx context.Context, keyID, day, month string, amount catalog.Money) error
	// Spent returns what the key was charged in the day, the month and in total.
	Spent(ctx context.Context, keyID, day, month string) (today, thisMonth, total lookup.Spent, err error)
	// SpentByKeys returns what several keys were charged in a bucket, by key; those
	// that were charged nothing are not there.
	SpentByKeys(ctx context.Context, keyIDs []string, bucket string) (map[string]lookup.Spent, error)
}

// ErrDayCap and ErrMonthCap say which cap a charge would exceed.
var (
	ErrDayCap   = errors.New("day cap reached")
	ErrMonthCap = errors.New("month cap reached")
)

// Statement stores what was asked. Documents are encrypted at rest.
type Statement interface {
	// Add writes an entry.
	Add(ctx context.Context, e lookup.Entry) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (lookup.Entry, error)
	// Finish gives an entry its outcome, with what was charged, and reports
	// whether it was still open: an entry is open while it is running, or was
	// settled without its owner.
	Finish(ctx context.Context, e lookup.Entry) (open bool, err error)
	// Settle marks every running entry with SettleAt before now as NoAnswer, and
	// frees its lease; it returns how many there were.
	Settle(ctx context.Context, now time.Time) (int, error)
	// Page returns entries, newest first, that come after the one with id after (""
	// starts at the newest).
	Page(ctx context.Context, by lookup.Asker, f lookup.Filter, after string, limit int) ([]lookup.Entry, error)
	// Asked returns the entries whose calls brought records, by the ids of the records.
	Asked(ctx context.Context, recordIDs []string) (map[string]lookup.Entry, error)
	// Spend returns what was charged on each day from one to another, both inclusive, by
	// product, oldest day first.
	Spend(ctx context.Context, by lookup.Asker, from, until string) ([]lookup.DaySpent, error)
	// OfContact returns the entries that an organisation tied to a contact, newest
	// first, each with when its answer was given.
	OfContact(ctx context.Context, orgID, contactID string, limit int) ([]ContactLookup, error)
}

// ContactLookup is a lookup about a contact.
type ContactLookup struct {
	lookup.Entry
	// AnsweredAt is when the bureau gave the answer; zero when there is none.
	AnsweredAt time.Time
}

// History stores what bureaus answered. Documents and answers are encrypted at
// rest and found by a keyed hash.
type History interface {
	// Serve answers a lookup from history in one step, with an entry that is done,
	// free and in no bucket: if the newest record of the
	// entry's document in its product was answered after that time, it writes the
	// entry, with the record's id, and returns the record when the entry is durable.
	// Otherwise it returns ErrNotFound and writes nothing; it may also do so for a
	// record that only Latest finds, because an older data key encrypted it. Many
	// calls may share one commit; one that fails does not spoil its neighbours. Only
	// outside InTx.
	Serve(ctx context.Context, e lookup.Entry, after time.Time) (lookup.Record, error)
	// Latest returns the newest record of a document in a product, or ErrNotFound.
	Latest(ctx context.Context, orgID, product string, d document.Document) (lookup.Record, error)
	Save(ctx context.Context, r lookup.Record) error
	// Records returns records by their ids; those that do not exist are not there.
	Records(ctx context.Context, ids []string) (map[string]lookup.Record, error)
	// Answers returns all records of a document in a product, newest first, without
	// their fields and bytes.
	Answers(ctx context.Context, orgID, product string, d document.Document, limit int) ([]lookup.Record, error)
}

// Leases stores who is asking the bureau about what.
type Leases interface {
	// Acquire takes the lease if nobody holds it, or if it has expired at now, and
	// returns "". Otherwise it returns the call that holds it. Only inside InTx.
	Acquire(ctx context.Context, l lookup.Lease, now time.Time) (holder string, err error)
	// Free ends the lease of a call; it is no error when there is none.
	Free(ctx context.Context, callID string) error
}

// Funnels stores funnels and their stages.
type Funnels interface {
	Create(ctx context.Context, f crm.Funnel) error
	// Update writes the name and the stages of a funnel: new ones are added, those that
	// are not there any more removed. From then on, until the transaction ends, nothing
	// is put into a removed one.
	Update(ctx context.Context, f crm.Funnel) error
	// List returns the funnels of an organisation, the default one first, each with
	// its stages in order.
	List(ctx context.Context, orgID string) ([]crm.Funnel, error)
}

// Origins stores where contacts come from.
type Origins interface {
	// Create returns ErrExists when the organisation has an origin whose name
	// differs at most by case or accents.
	Create(ctx context.Context, o crm.Origin) error
	// Rename changes a name; ErrExists as Create, ErrNotFound when there is none.
	Rename(ctx context.Context, o crm.Origin) error
	// Remove removes an origin that nothing is linked to; ErrExists when something is.
	Remove(ctx context.Context, o crm.Origin) error
	// List returns the origins of an organisation by name.
	List(ctx context.Context, orgID string) ([]crm.Origin, error)
}

// Contacts stores contacts and their history. Notes and attribution are encrypted
// at rest. Contacts that webhooks make are written by Inbox.
type Contacts interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (crm.Contact, error)
	// Page returns contacts of an organisation, newest first, that come after the
	// one with id after ("" starts at the newest).
	Page(ctx context.Context, orgID, after string, limit int) ([]crm.Contact, error)
	// SetStage, SetAssignee and AddNote change a contact and write the event of it;
	// ErrNotFound when there is no such contact, or no such stage. AddNote puts the
	// event's subject on new lines at the end of the note. Only inside InTx.
	SetStage(ctx context.Context, stageID string, e crm.Event) error
	SetAssignee(ctx context.Context, memberID string, e crm.Event) error
	AddNote(ctx context.Context, e crm.Event) error
	// Create writes a contact that a member made, with the event of it; ErrNotFound when
	// its stage does not exist. Only inside InTx.
	Create(ctx context.Context, c crm.Contact, e crm.Event) error
	// Lock is Find that keeps others from the contact until the transaction ends. Only
	// inside InTx.
	Lock(ctx context.Context, id string) (crm.Contact, error)
	// Edit changes name, e-mail, phone, company, amount, note and origin of a contact,
	// and writes the event of it; ErrNotFound when there is none. Only inside InTx.
	Edit(ctx context.Context, c crm.Contact, e crm.Event) error
	// Select returns contacts of an organisation that a query wants, without their
	// notes and attribution unless it asks for them.
	Select(ctx context.Context, orgID string, q ContactQuery) ([]crm.Contact, error)
	// Count counts those that a filter lets through, up to most.
	Count(ctx context.Context, orgID string, f ContactFilter, most int) (int, error)
	// Totals returns how many contacts of a filter are in each stage, and their value;
	// stages without any are not there.
	Totals(ctx context.Context, orgID string, f ContactFilter) (map[string]StageTotal, error)
	// InStage reports whether any contact is in a stage.
	InStage(ctx context.Context, stageID string) (bool, error)
	// Events returns the history of a contact, oldest first.
	Events(ctx context.Context, contactID string) ([]crm.Event, error)
}

// ContactFilter chooses contacts. Zero values do not filter.
type ContactFilter struct {
	// Words are in the form of text.Fold. Each is somewhere in the name, e-mail
	// address, company or digits of the phone.
	Words                                    []string
	StageID, OriginID, AssigneeID, WebhookID string
	// Stages are the only ones wanted, when there are any.
	Stages []string
	// Since is when the first one wanted came.
	Since time.Time
}

// ContactOrder is what contacts are ordered by; those that are equal in it by their
// ids.
type ContactOrder string

// The orders.
const (
	// ByArrival is the order of their ids, which begin with their time.
	ByArrival ContactOrder = ""
	ByName    ContactOrder = "name"
	ByAmount  ContactOrder = "amount"
)

// ContactQuery chooses a page of contacts.
type ContactQuery struct {
	ContactFilter
	Order ContactOrder
	// Ascending puts the oldest, first in the alphabet or smallest first.
	Ascending bool
	// After is the id of the contact that the page comes after; "" or the id of none
	// starts at the first.
	After string
	Limit int
	// Whole asks for notes and attribution too.
	Whole bool
}

// StageTotal is what a stage holds.
type StageTotal struct {
	Count int
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
}

// Notifications stores what the team is told in the interface.
type Notifications interface {
	Create(ctx context.Context, n crm.Notification) error
	// List returns notifications of an organisation, newest first; Read is that of
	// the member.
	List(ctx context.Context, orgID, memberID string, limit int) ([]crm.Notification, error)
	// Unread counts those that the member has not read, up to a hundred.
	Unread(ctx context.Context, orgID, memberID string) (int, error)
	// ReadAll marks all notifications of the member's organisation, up to and with
	// the one with that id, as read by the member.
	ReadAll(ctx context.Context, orgID, memberID, upTo string) error
}

// Hook is a webhook with what a post to it needs to know.
type Hook struct {
	webhook.Webhook
	// Funnel is the name of the organisation's default funnel, Entry its entry stage.
	Funnel string
	Entry  crm.Stage
	// Members are the active members of the organisation.
	Members []crm.Member
	Origins []crm.Origin
}

// Webhooks stores webhooks. Tokens are kept as hashes, and once more encrypted, to
// be shown again to those who may see them; so are the secrets of signatures.
type Webhooks interface {
	Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error
	// Find returns a webhook and its newest token, or ErrNotFound. Inside InTx nobody
	// else changes the webhook until it ends.
	Find(ctx context.Context, id string) (webhook.Webhook, webhook.Token, error)
	// List returns the webhooks of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]webhook.Webhook, error)
	// Open returns the webhook that a token opens at now as it is in this moment, or
	// ErrNotFound. Many calls may share one reading. Only outside InTx.
	Open(ctx context.Context, t webhook.Token, now time.Time) (Hook, error)
	// HookOf is Open by the webhook's id; the token and the counter are not read.
	HookOf(ctx context.Context, id string) (Hook, error)
	// Update changes everything but the counter and the tokens.
	Update(ctx context.Context, w webhook.Webhook) error
	// SetToken gives a webhook a new token, which ends the ones it had at endOthers,
	// unless they end before. Only inside InTx.
	SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error
}

// Arrival is a post that is to be kept: a new contact with all that belongs to it,
// or a refusal, which leaves a line in the delivery log and nothing else.
type Arrival struct {
	// Delivery is its line in the log, whose time is that of everything else.
	Delivery webhook.Delivery
	// Contact is the contact to be made; nil for a refusal.
	Contact *crm.Contact
	// Webhook is the name that the history entry and the notification give.
	Webhook string
	// EventID, NotificationID and JobID are those of what is written with a contact.
	EventID, NotificationID, JobID string
	// Key identifies the post among those of the webhook, so that it is done once;
	// empty when nothing does.
	Key string
	// Fingerprint is what tells whether two posts with one key are the same.
	Fingerprint []byte
	// Mismatch is the refusal of a post whose key was used with another fingerprint;
	// nil where that does not matter.
	Mismatch *fault.Error
}

// Receipt is what became of an arrival.
type Receipt struct {
	// ContactID is the contact that was made now, or by the first post with the same
	// key; empty for a refusal.
	ContactID string
	// Repeated is true when an earlier post had the same key: nothing was made now.
	Repeated bool
	// Same is whether that post had the same fingerprint.
	Same bool
}

// Inbox takes what webhooks received.
type Inbox interface {
	// Take keeps an arrival: the contact with its history entry, notification, job
	// and delivery, and one more on the webhook's counter; all of it or nothing, and
	// on disk when Take returns. Of any number of arrivals with one key only the
	// first makes a contact. Many calls may share one commit; one that fails does not
	// spoil its neighbours. Where the fingerprint is not that of the first post, it
	// returns the arrival's Mismatch. Only outside InTx.
	Take(ctx context.Context, a Arrival) (Receipt, error)
	// Known returns the receipt of the post that had this key, or ErrNotFound.
	Known(ctx context.Context, webhookID, key string, fingerprint []byte) (Receipt, error)
	// Forget removes deliveries and keys of before that time, some at a time, and
	// returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// Deliveries is the delivery log. Headers and bodies are encrypted at rest.
type Deliveries interface {
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (webhook.Delivery, error)
	// Page returns deliveries of a webhook, newest first, that come after the one with
	// id after ("" starts at the newest); outcome is the only one wanted, or "".
	Page(ctx context.Context, webhookID string, outcome webhook.Outcome, after string, limit int) ([]webhook.Delivery, error)
	// Summaries returns what the webhooks of an organisation got since a time, by
	// webhook; those that got nothing are not there.
	Summaries(ctx context.Context, orgID string, since time.Time) (map[string]DeliverySummary, error)
}

// DeliverySummary is what a webhook got in a period.
type DeliverySummary struct {
	Accepted, Repeated, Refused int
	// Last is when the last post came.
	Last time.Time
}

// Automations stores automations. Actions are encrypted at rest.
type Automations interface {
	Create(ctx context.Context, a automation.Automation) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (automation.Automation, error)
	// List returns the automations of an organisation, oldest first.
	List(ctx context.Context, orgID string) ([]automation.Automation, error)
	// Update writes its name, conditions and action; ErrNotFound when there is none.
	Update(ctx context.Context, a automation.Automation) error
	// SetEnabled switches one on or off; ErrNotFound when there is none.
	SetEnabled(ctx context.Context, id string, enabled bool) error
}

// Jobs is the durable queue.
type Jobs interface {
	Add(ctx context.Context, jobs ...automation.Job) error
	// Claim leases up to limit jobs of a kind that may run at now, oldest first, until
	// a time: no other worker gets them before. Jobs of the automations in without are
	// left. Each counts an attempt.
	Claim(ctx context.Context, kind automation.JobKind, lease string, now, until time.Time, without []string, limit int) ([]automation.Job, error)
	// Finish writes state, run time, result and end of jobs, and ends their leases.
	// It does nothing for a job that somebody else has leased since, and returns how
	// many it wrote.
	Finish(ctx context.Context, jobs ...automation.Job) (int, error)
	// Lock returns up to limit jobs of a kind that may run at now, oldest first, and
	// keeps others from them until the transaction ends. Only inside InTx.
	Lock(ctx context.Context, kind automation.JobKind, now time.Time, limit int) ([]automation.Job, error)
	// Remove removes jobs.
	Remove(ctx context.Context, jobs ...automation.Job) error
	// Find returns ErrNotFound when there is none.
	Find(ctx context.Context, id string) (automation.Job, error)
	// Page returns jobs of an organisation but for fan-outs, newest first, that come
	// after the one with id after ("" starts at the newest).
	Page(ctx context.Context, orgID string, f JobFilter, after string, limit int) ([]automation.Job, error)
	// Revive makes a dead job ready again, with its attempts forgotten, and reports
	// whether it was dead.
	Revive(ctx context.Context, id string, now time.Time) (bool, error)
	// Forget removes jobs that were done before that time, some at a time, and
	// returns how many there were.
	Forget(ctx context.Context, before time.Time) (int, error)
}

// JobFilter says which jobs are wanted.
type JobFilter struct {
	AutomationID, ContactID string
	State                   automation.JobState
}

// Sessions stores who is signed in, by hashes of tokens, and failed attempts to sign
// in, by keyed hashes of e-mail addresses.
type Sessions interface {
	Create(ctx context.Context, t access.SessionToken, s access.Session) error
	// Find returns a session with its member, or ErrNotFound.
	Find(ctx context.Context, t access.SessionToken) (access.Session, crm.Member, error)
	// Touch notes that a session was used.
	Touch(ctx context.Context, t access.SessionToken, at time.Time) error
	// End ends one session; EndAll ends those of a member.
	End(ctx context.Context, t access.SessionToken) error
	EndAll(ctx context.Context, memberID string) error
	// Attempt counts one more attempt to sign in with an e-mail address, unless pause,
	// which gets the number of those before, says that it comes too early after the last
	// of them: then it returns that number and how long there is to wait. Attempts that
	// come together are counted one after the other.
	Attempt(ctx context.Context, email string, at time.Time, pause func(before int) time.Duration) (before int, wait time.Duration, err error)
	// Clear forgets the attempts.
	Clear(ctx context.Context, email string) error
	// Forget removes sessions not seen since a time, and older failures.
	Forget(ctx context.Context, before time.Time) error
}

package automation

import (
	"strings"
	"time"
)

// JobKind is what a job does.
type JobKind string

// The kinds of jobs.
const (
	// FanOut determines what an event triggers, and makes the jobs for it.
	FanOut JobKind = "contact.created"
	// RunAutomation runs one automation for one event.
	RunAutomation JobKind = "automation"
	// MailMember tells one member of a new contact by e-mail.
	MailMember JobKind = "notification.email"
)

// JobState is where a job stands.
type JobState string

// The states of a job.
const (
	// Ready: it waits for its time, or runs now.
	Ready JobState = "ready"
	// Done: it succeeded, or there was nothing to do.
	Done JobState = "done"
	// Dead: it was given up, and waits for a person to run it again.
	Dead JobState = "dead"
)

// Job is one piece of work that is done after the request was answered, at least once. It holds ids only, no personal
// data.
type Job struct {
	// ID is a UUIDv7. It is the `webhook-id` of an HTTP action, in every attempt.
	ID    string
	OrgID string
	Kind  JobKind
	// Event is what happened; empty for ContactCreated.
	Event EventName
	// SubjectID is what the event is about besides the contact: the stage that was left, the assignee that was replaced,
	// the lookup, the batch, the key or the delivery.
	SubjectID string
	// Facts is what was so when the event happened.
	Facts Facts
	// Place is the place of the event among those of its contact that have not ended.
	Place int
	// Detail says more without personal data: the fields that were changed, or which cap was reached.
	Detail string
	// Trail lists the automations that led to the event; for RunAutomation it ends with its own.
	Trail Trail
	// ContactID is the contact that it is about; empty when there is none.
	ContactID string
	// AutomationID is set for RunAutomation.
	AutomationID string
	// MemberID is the recipient of MailMember and, for FanOut, the member who made the contact by hand; empty for a
	// contact that came in by a webhook.
	MemberID string
	State    JobState
	// Attempts counts how often it was begun.
	Attempts int
	// RunAt is when it may run next.
	RunAt time.Time
	// Result says in Portuguese how the last attempt ended; empty before the first.
	Result    string
	CreatedAt time.Time
	// EndedAt is when the last attempt ended; zero before the first.
	EndedAt time.Time
	// Lookups holds the ids of its lookups by the position of the document. An empty one is Derived from the job's id.
	Lookups []string
	// Lease identifies the worker that runs it now; empty for none.
	Lease string
}

// delays is how long a job waits after each failed attempt. It is given up after
// the last, about a day after it was made.
var delays = []time.Duration{
	time.Second, 5 * time.Second, 30 * time.Second, 2 * time.Minute, 10 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 4 * time.Hour, 8 * time.Hour, 8 * time.Hour,
}

// Next returns how long a job waits after so many failed attempts, and how much longer it may wait, so that many do not
// come back at once; false when it is given up.
func Next(attempts int) (delay, spread time.Duration, more bool) {
	if attempts < 1 || attempts > len(delays) {
		return 0, 0, false
	}
	d := delays[attempts-1]
	return d, d / 5, true
}

// JobFilter says which jobs are wanted.
type JobFilter struct {
	AutomationID, ContactID string
	State                   JobState
	// Without lists automations whose jobs are left out.
	Without []string
}

// NotHeld is the result of a run whose expression did not give true. Those of runs that are kept from doing anything
// begin with ChainCut, where automations answered each other, or with Withheld, where a person does not consent.
const (
	NotHeld  = "a condição não vale para este evento"
	ChainCut = "cadeia interrompida: "
	Withheld = "nada enviado: "
)

// Skipped reports whether the run was done by doing nothing: its expression did not give true, or it was kept from it.
func (j Job) Skipped() bool {
	return j.State == Done &&
		(j.Result == NotHeld || strings.HasPrefix(j.Result, ChainCut) || strings.HasPrefix(j.Result, Withheld))
}

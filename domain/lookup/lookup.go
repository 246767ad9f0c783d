// Package lookup holds the values of a lookup: the record of a bureau's answer, which is history, and the statement's
// entry for each request.
package lookup

import (
	"cmp"
	"slices"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// Status is what became of a lookup, in the words of the statement.
type Status string

// The statuses of a statement's entry.
const (
	// Running: the call is at the bureau, charged already.
	Running Status = "em_andamento"
	// Done: answered, by the bureau or from history.
	Done Status = "concluida"
	// Failed: the bureau was reached and failed; charged.
	Failed Status = "falhou"
	// NoAnswer: the bureau may have been reached and did not answer; charged.
	NoAnswer Status = "sem_resposta"
	// NotSent: the call cannot have reached the bureau, or the bureau refused it and
	// does not charge for that; not charged.
	NotSent Status = "nao_enviada"
)

// Charged reports whether a call to the bureau with this outcome costs money
// (specification, 8.1.4: every call that the bureau may have served is charged).
func (s Status) Charged() bool { return s != NotSent }

// About is what a question asks about: a document, and what its product needs beside it (catalog.InputsText).
type About struct {
	Document document.Document
	Inputs   string
}

// Entry is one line of a statement. Requests that are refused with 400, 403 or
// 429 leave none.
type Entry struct {
	// ID is a UUIDv7; it is the `consultaId` of the answer.
	ID string
	// OrgID is the organisation that asked.
	OrgID string
	// KeyID is the key that asked; empty when a member asked in the interface.
	KeyID string
	// MemberID is the member that asked; empty when a key asked.
	MemberID string
	// ContactID is the contact that it is about; empty when there is none.
	ContactID string
	// BatchID and AutomationID are the batch or automation that asked in the name of KeyID or MemberID; empty for none.
	BatchID, AutomationID string

	// Trail lists the automations that led to the lookup, the first one first; it is not stored.
	Trail string
	// Since is when whoever asks read the document that is asked about, by the clock of this instance; it is not stored.
	// Nothing is charged or written if the person was erased after that. Zero for now.
	Since time.Time

	// Purpose is the code of the purpose that it stated; empty where the organisation has none.
	Purpose string

	Product  string
	Document document.Document
	// Inputs is catalog.InputsText of what was asked beside the document; empty for nothing.
	Inputs string
	// Bureau is the name of the bureau that was asked, or whose answer history gave; empty for entries of before there
	// were several.
	Bureau string
	// FollowedID is the entry of the call that answered the question in place of this one; empty for that entry itself.
	FollowedID string
	// Compared is true for a call that was only made to compare a bureau's answers with another's.
	Compared bool
	// At is when it was asked, UTC.
	At time.Time
	// Cache is true when history answered.
	Cache bool
	// Charged is whether Amount was charged.
	Charged bool
	// Amount is in ten-thousandths of a real; zero when not charged.
	Amount catalog.Money
	// Others is what the question's other calls cost, in ten-thousandths of a real; they have entries of their own.
	Others catalog.Money
	// Spare is what is reserved while the call runs, for further calls about the same question: money in ten-thousandths
	// of a real beside Amount, and calls beside this one.
	Spare  Spent
	Status Status
	// RecordID is the record that was answered; empty when there is none.
	RecordID string
	// Day and Month are the buckets of the caps that a charge is counted in; empty
	// for answers from history, which are counted in none.
	Day, Month string
	// SettleAt is when a Running entry that nobody finished is settled as
	// NoAnswer, by any instance. Zero for entries that never ran.
	SettleAt time.Time
	// Unreadable is true where what is stored cannot be opened: Document and Inputs are then zero values.
	Unreadable bool
	// Erased is true where the person's data were erased: Document is then the zero value, and there is no record.
	Erased bool
}

// Record is an answer of a bureau as history keeps it. It belongs to the
// organisation and is shared by its keys and members.
type Record struct {
	// ID is a UUIDv7.
	ID       string
	OrgID    string
	Product  string
	Document document.Document
	// Inputs is that of the question's entry.
	Inputs string
	// Purpose is the code of the purpose that it was bought for; empty where the organisation had none.
	Purpose string
	// AnsweredAt is when the bureau answered, UTC.
	AnsweredAt time.Time
	// Found is false when the bureau had no record.
	Found bool
	// Bureau is the name of the bureau that answered; empty for records of before there were several.
	Bureau string
	// Sources are the fields that an earlier bureau of the chain answered, with its name and when; nil where all are
	// this bureau's.
	Sources map[string]Source
	// OfID is the record of the product that was asked about, where the same answer gave this one too; empty for that one.
	OfID string
	// Schema is catalog.Product.Schema at the time of the answer.
	Schema string
	// Fields is the JSON object of the named fields.
	Fields []byte
	// Raw is the bureau's answer, byte for byte.
	Raw []byte
	// Unreadable is true where what is stored cannot be opened: Document, Fields and Raw are then zero values.
	Unreadable bool
}

// Source is where a field is from.
type Source struct {
	Bureau string
	// At is when that bureau answered, UTC.
	At time.Time
}

// FreshAt reports whether the record may answer a lookup at now without asking the bureau (specification, 8.1.5). A
// record of exactly maxAge is too old.
func (r Record) FreshAt(now time.Time, maxAge time.Duration) bool {
	return now.Sub(r.AnsweredAt) < maxAge
}

// AskedBy returns the id of the key, member or automation that asked.
func (e Entry) AskedBy() string {
	return cmp.Or(e.KeyID, e.MemberID, e.AutomationID)
}

// BatchBucket is the bucket for what a batch was charged, beside the days and months of access.Calendar.
const BatchBucket = "lote"

// AgentBucket is the bucket for what an agent's session was charged, or has reserved.
const AgentBucket = "sessao"

// ComparedBucket is the bucket for what the comparisons of a product cost in a month, on all of the instance.
func ComparedBucket(month, product string) string { return Comparisons + month + ":" + product }

// Comparisons is what ComparedBucket begins with.
const Comparisons = "comparado:"

// EndedBucket is the bucket that marks an agent's session as ended.
const EndedBucket = "encerrada"

// Most is the most that a running question may still cost: its call, and what is reserved for the others.
func (e Entry) Most() catalog.Money { return e.Amount + e.Spare.Amount }

// Cost is what the question cost, all its calls together.
func (e Entry) Cost() catalog.Money { return e.Amount + e.Others }

// AnyCharged reports whether any call of the question was charged.
func (e Entry) AnyCharged() bool { return e.Charged || e.Others > 0 }

// Asker chooses lookups of an organisation by who asked: KeyID wants one key only, MemberID one member, Members leaves
// out those of keys but keeps those of automations; with none of them set, everybody's are wanted.
type Asker struct {
	OrgID, KeyID, MemberID string
	Members                bool
}

// Filter chooses entries of a statement. Zero values do not filter.
type Filter struct {
	Product string
	// From is inclusive, Until exclusive; UTC instants.
	From, Until time.Time
	Cache       *bool
	Purpose     string
	// Brief leaves out the fields of entries that no list shows: organisation, contact, record, buckets and SettleAt.
	Brief bool
}

// WithoutAnswer are the outcomes of calls that brought no answer.
var WithoutAnswer = []Status{Failed, NoAnswer, NotSent}

// Unanswered reports whether the question has ended without an answer of any bureau. A call that another entry stands
// for says nothing of that.
func (e Entry) Unanswered() bool {
	return e.FollowedID == "" && slices.Contains(WithoutAnswer, e.Status)
}

// DaySpent is what was charged for a product on a day.
type DaySpent struct {
	// Day is a bucket of access.Calendar.
	Day, Product string
	Spent
}

// Part is what charges are told apart by.
type Part string

// The parts of a charge. The values of ByKey, ByPerson, ByAutomation and ByBatch are ids.
const (
	ByDay        Part = "day"
	ByProduct    Part = "product"
	ByKey        Part = "key"
	ByPerson     Part = "person"
	ByPurpose    Part = "purpose"
	ByAutomation Part = "automation"
	ByBatch      Part = "batch"
	ByBureau     Part = "bureau"
)

// PartSpent is what was charged with two values of two parts; empty where a charge has none.
type PartSpent struct {
	Of [2]string
	Spent
}

// Forecast is what a month will have cost, if it goes on as it has until now: what was spent since it began, over the
// whole of it. On its first day nothing can be said, and the forecast is zero.
func Forecast(spent catalog.Money, begin, now, end time.Time) catalog.Money {
	gone := int64(now.Sub(begin).Minutes())
	if gone < int64((24 * time.Hour).Minutes()) {
		return 0
	}
	return spent * catalog.Money(end.Sub(begin).Minutes()) / catalog.Money(gone)
}

// Spent is a number of charged lookups and what they cost.
type Spent struct {
	Count int
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
}

// Add adds o.
func (s *Spent) Add(o Spent) { s.Count, s.Amount = s.Count+o.Count, s.Amount+o.Amount }

// Pace says about how long a call took: each step is the square root of two times the one before, the first is up to a
// millisecond.
func Pace(took time.Duration) int {
	pace := 0
	for most := time.Millisecond; most < took && pace < paces; pace++ {
		most = PaceTime(pace + 1)
	}
	return pace
}

// paces is the slowest pace, of some 2 minutes and more.
const paces = 34

// PaceTime is the longest time of a pace.
func PaceTime(pace int) time.Duration {
	most := time.Millisecond << (pace / 2)
	if pace%2 == 1 {
		most = most * 1_414 / 1_000
	}
	return most
}

// Package batch holds one question about many documents: its quote, ceiling and items, and how an uploaded table is
// read as one. Whatever applies to a single lookup applies to each item.
package batch

import (
	"slices"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/domain/lookup"
)

// MaxItems is the most rows of a batch, its header not counted.
const MaxItems = 50_000

// QuoteLasts is how long a quote may be confirmed.
const QuoteLasts = 7 * 24 * time.Hour

// Burst is how much unused time may be made up for at once with a rate-limited bureau: enough for a worker that wakes
// late, and too little for a bureau that counts to notice.
const Burst = 50 * time.Millisecond

// Status is where a batch is, in the words of the contract.
type Status string

// The statuses of a batch.
const (
	// Preparing: its items are being written; nobody sees it.
	Preparing Status = "preparando"
	Quoted    Status = "orcado"
	Running   Status = "em_andamento"
	Paused    Status = "pausado"
	Done      Status = "concluido"
	Cancelled Status = "cancelado"
	Expired   Status = "expirado"
)

// Ended reports whether the batch is done, cancelled or expired.
func (s Status) Ended() bool { return s == Done || s == Cancelled || s == Expired }

// Reason is why a batch is paused, in the words of the contract.
type Reason string

// The reasons for a pause. The batch resumes by itself after BureauAway, and after DailyLimit unless that is zero.
const (
	Ceiling      Reason = "teto"
	DailyLimit   Reason = "limite_diario"
	MonthlyLimit Reason = "limite_mensal"
	BureauAway   Reason = "bureau_indisponivel"
	Asked        Reason = "pedido"
)

// Batch is one question about many documents.
type Batch struct {
	// ID is a UUIDv7.
	ID, OrgID string
	// KeyID or MemberID is who made it.
	KeyID, MemberID string
	// PayerKeyID or PayerMemberID is who confirmed or last resumed it, in whose name its items are looked up: by their
	// rights, and charged to them. Both are empty where that is who made it.
	PayerKeyID, PayerMemberID string
	Name, Product             string
	// Purpose is the code of the purpose of its lookups; empty where the organisation has none.
	Purpose string
	// Refresh asks the bureau even where history has an answer.
	Refresh bool
	Status  Status
	// Reason is why it is paused, and Note says more where the reason does not; both empty otherwise.
	Reason Reason
	Note   string
	// ResumeAt is when a pause ends by itself; zero when somebody has to end it.
	ResumeAt time.Time
	// Columns are the names of the columns of the table that was sent.
	Columns []string
	// Tab is the sheet of the workbook that they are from, and OtherTabs are the visible ones that are not read; both
	// empty for anything but a workbook.
	Tab       string
	OtherTabs []string

	// Total counts all items: Valid ones (each document once), Repeated and Invalid ones.
	Total, Valid, Repeated, Invalid int
	// FromHistory counts the valid items that history could answer when it was quoted.
	FromHistory int
	// Price is that of the product when it was quoted, in ten-thousandths of a real.
	Price catalog.Money
	// Ceiling is the most that it may be charged, and HasCeiling whether one was set.
	Ceiling    catalog.Money
	HasCeiling bool

	// Ended counts the valid items that have an outcome: Charged those that cost something, Free those that did not.
	// Failed counts those of either kind without an answer.
	Ended, Charged, Free, Failed int
	// RunFrom is when it last began to run, and RunEnded how many items had ended then.
	RunFrom  time.Time
	RunEnded int

	CreatedAt, ExpiresAt time.Time
	// StartedAt is when it was confirmed, EndedAt when it was done, cancelled or expired; zero before.
	StartedAt, EndedAt time.Time
	// RequestKey is the idempotency key of the request that made it, RequestBody what it asked; both empty without a key,
	// and in a batch read from the store.
	RequestKey  string
	RequestBody []byte
}

// ToAsk is how many documents the bureau is to be asked about.
func (b Batch) ToAsk() int {
	if b.Refresh {
		return b.Valid
	}
	return b.Valid - b.FromHistory
}

// MaxCost is what it costs if the bureau has to be asked about all of them.
func (b Batch) MaxCost() catalog.Money { return catalog.Money(b.ToAsk()) * b.Price }

// Payer returns the key or the member in whose name its items are looked up.
func (b Batch) Payer() (keyID, memberID string) {
	if b.PayerKeyID != "" || b.PayerMemberID != "" {
		return b.PayerKeyID, b.PayerMemberID
	}
	return b.KeyID, b.MemberID
}

// PaidBy makes a key or a member pay for it from now on, and reports whether somebody else did before.
func (b *Batch) PaidBy(keyID, memberID string) bool {
	wasKey, wasMember := b.Payer()
	b.PayerKeyID, b.PayerMemberID = keyID, memberID
	return wasKey != keyID || wasMember != memberID
}

// Limit is the most that it may be charged.
func (b Batch) Limit() catalog.Money {
	if b.HasCeiling {
		return b.Ceiling
	}
	return b.MaxCost()
}

// PerSecond is how many items a running batch ends in a second; zero when that is not known yet.
func (b Batch) PerSecond(now time.Time) float64 {
	took := now.Sub(b.RunFrom).Seconds()
	if b.Status != Running || b.Ended <= b.RunEnded || took < 0.5 {
		return 0
	}
	return float64(b.Ended-b.RunEnded) / took
}

// EndsAt is when a running batch will be done at its present rate; zero when that is not known.
func (b Batch) EndsAt(now time.Time) time.Time {
	rate := b.PerSecond(now)
	if rate == 0 {
		return time.Time{}
	}
	return now.Add(time.Duration(float64(b.Valid-b.Ended) / rate * float64(time.Second)))
}

// Pause stops a running batch. The first reason stays, except that BureauAway replaces a ceiling or a limit: nothing
// was sent, so the reservations were returned and there is something left to spend.
func (b *Batch) Pause(r Reason, note string, resumeAt time.Time) {
	again, more := b.Status == Paused && b.Reason == r, b.Status == Paused && b.Reason != Asked && r == BureauAway
	if b.Status != Running && !again && !more {
		return
	}
	if !again {
		b.ResumeAt = time.Time{}
	}
	b.Status, b.Reason, b.Note = Paused, r, note
	if b.ResumeAt.IsZero() || resumeAt.After(b.ResumeAt) {
		b.ResumeAt = resumeAt
	}
}

// PauseText says in Portuguese why a paused batch waits, and what to do where it does not go on by itself.
func (b Batch) PauseText() string {
	switch b.Reason {
	case Ceiling:
		return "O lote chegou ao teto e espera por você: retome-o com um teto maior, ou cancele o resto."
	case MonthlyLimit:
		if key, _ := b.Payer(); key != "" {
			return "O limite mensal da chave que paga o lote foi atingido. Retome-o no mês que vem, aumente o limite dela, " +
				"ou retome-o por outra pessoa, que passa a pagar o resto."
		}
		return "O orçamento do mês de quem paga o lote foi atingido. Aumente-o, em Equipe, e retome o lote; " +
			"ou outra pessoa o retoma e paga o resto."
	case DailyLimit:
		if b.ResumeAt.IsZero() { // a limit of zero, which no day changes
			return "O limite diário da chave que paga o lote não permite nenhuma consulta. Aumente o limite dela, ou retome o " +
				"lote por outra pessoa, que passa a pagar."
		}
		return "O limite diário de consultas da chave foi atingido."
	case BureauAway:
		return "O bureau está indisponível. Nada foi cobrado pelo que não foi enviado."
	case Asked:
		return "O lote está pausado. Nada é consultado até alguém o retomar."
	}
	return ""
}

// Run sets a batch running, or ends it where nothing is left to do.
func (b *Batch) Run(now time.Time) {
	b.Status, b.Reason, b.Note, b.ResumeAt = Running, "", "", time.Time{}
	b.RunFrom, b.RunEnded = now, b.Ended
	b.Finish(now)
}

// Finish ends a running or paused batch whose items all have an outcome, and reports whether it did.
func (b *Batch) Finish(now time.Time) bool {
	if b.Status != Running && b.Status != Paused || b.Ended < b.Valid {
		return false
	}
	b.Status, b.Reason, b.Note, b.ResumeAt, b.EndedAt = Done, "", "", time.Time{}, now
	return true
}

// State is what became of an item, in the words of the contract: one of these, or a lookup.Status.
type State string

// The states of an item; one with an outcome has the status of its lookup.
const (
	Pending  State = "pendente"
	InFlight State = State(lookup.Running)
	Answered State = State(lookup.Done)
	Failed   State = State(lookup.Failed)
	NoAnswer State = State(lookup.NoAnswer)
	// Repeat is an item whose document came before, and which shares that item's outcome.
	Repeat State = "repetido"
	// Invalid is an item without a valid document.
	Invalid State = "invalido"
)

// States returns those that results can be filtered by.
func States() []State { return []State{Pending, InFlight, Answered, Failed, NoAnswer, Invalid} }

// Valid reports whether results can be filtered by it.
func (s State) Valid() bool { return slices.Contains(States(), s) }

// Item is a row of a batch.
type Item struct {
	// ID is a UUIDv7; the ids of a batch sort in the order of its lines.
	ID, BatchID, OrgID string
	// Line is its number in the file, or its place in the list that was sent, from 1 on.
	Line  int
	State State
	// Document is zero for an invalid item.
	Document document.Document
	// Cells holds the row as it was sent, by the batch's Columns; it may be shorter. At is the cell with the document.
	Cells []string
	At    int
	// RepeatOf is the line that had the document first; zero for the first itself.
	RepeatOf int
	// Message says what is wrong with an invalid item, in Portuguese.
	Message string
	// Code is the contract's word for why there is no answer; empty otherwise.
	Code string
	// SeenID is the answer that history had when the batch was quoted; empty without one, and where that answer was found
	// to be too old or gone.
	SeenID string
	// LookupID is the statement entry that says what became of it; empty before, and where it failed with a call that
	// somebody else made.
	LookupID string
	// Owner is the instance that holds it while it is in flight, until LeaseUntil.
	Owner      string
	LeaseUntil time.Time
	// Refused is when it was first asked and nobody answered, perhaps for a reason of its own, and free of charge: the
	// others of its batch are asked before it is asked once more. Zero where that was not so.
	Refused time.Time
	// Queued is whether it waits at the owner for another of its items to end, whose place it then takes.
	Queued bool
	// Unreadable is true where what is stored cannot be opened: Document and Cells are then zero.
	Unreadable bool
}

// Outcome is the outcome of an item in flight.
type Outcome struct {
	ItemID, BatchID string
	// LookupID is the id that its lookup was made under, and Kept whether the statement has an entry with that id.
	LookupID string
	Kept     bool
	// State is Pending where the item is to be retried, and InFlight where the outcome is not known: then it is checked
	// again after Until.
	State State
	Code  string
	// Refused is the item's, where it is Pending or InFlight.
	Refused time.Time
	// Unseen is true where history no longer has the answer that it had when the batch was quoted: the item has no SeenID
	// from now on.
	Unseen bool
	// Charged is whether it cost something.
	Charged bool
	Until   time.Time
}

// Count adds an item's outcome to the counters of the batch.
func (b *Batch) Count(o Outcome) {
	if o.State == Pending || o.State == InFlight {
		return
	}
	b.Ended++
	if o.State != Answered {
		b.Failed++
	}
	if o.Charged {
		b.Charged++
	} else {
		b.Free++
	}
}

// Text returns the document as it was sent.
func (i Item) Text() string {
	if i.At < len(i.Cells) {
		return i.Cells[i.At]
	}
	return i.Document.Value()
}

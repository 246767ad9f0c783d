package gormstore

import "time"

type funnelRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	Name      string    `gorm:"not null"`
	IsDefault bool      `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (funnelRow) TableName() string { return "funnels" }

type stageRow struct {
	ID       uid    `gorm:"primaryKey"`
	FunnelID uid    `gorm:"not null"`
	Name     string `gorm:"not null"`
	Position int    `gorm:"not null"`
}

func (stageRow) TableName() string { return "stages" }

type originRow struct {
	ID     uid    `gorm:"primaryKey"`
	OrgID  uid    `gorm:"not null"`
	Name   string `gorm:"not null"`
	Folded string `gorm:"not null"`
}

func (originRow) TableName() string { return "origins" }

type webhookRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	Name      string `gorm:"not null"`
	Kind      string `gorm:"not null"`
	Band      string `gorm:"not null"`
	Enabled   bool   `gorm:"not null"`
	OriginID  *uid
	Scheme    string    `gorm:"not null"`
	Secret    []byte    `gorm:"not null"`
	Token     []byte    `gorm:"not null"`
	ThanksURL string    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (webhookRow) TableName() string { return "webhooks" }

type tokenRow struct {
	Hash      []byte `gorm:"primaryKey"`
	WebhookID uid    `gorm:"not null"`
	EndsAt    *time.Time
}

func (tokenRow) TableName() string { return "webhook_tokens" }

type counterRow struct {
	WebhookID uid   `gorm:"primaryKey"`
	Slot      int64 `gorm:"primaryKey;autoIncrement:false"`
	Received  int64 `gorm:"not null"`
}

func (counterRow) TableName() string { return "webhook_counters" }

type contactRow struct {
	ID          uid `gorm:"primaryKey"`
	OrgID       uid `gorm:"not null"`
	WebhookID   *uid
	Name        string `gorm:"not null"`
	Email       string `gorm:"not null"`
	Phone       string `gorm:"not null"`
	PhoneE164   string `gorm:"column:phone_e164;not null"`
	Company     string `gorm:"not null"`
	Amount      int64  `gorm:"not null"`
	Note        []byte `gorm:"not null"`
	OriginID    *uid
	Attribution []byte
	StageID     uid `gorm:"not null"`
	AssigneeID  *uid
	CreatedAt   time.Time `gorm:"not null"`
	Search      string
}

func (contactRow) TableName() string { return "contacts" }

type eventRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	ContactID uid    `gorm:"not null"`
	Kind      string `gorm:"not null"`
	Actor     string `gorm:"not null"`
	Subject   []byte
	At        time.Time `gorm:"not null"`
}

func (eventRow) TableName() string { return "contact_events" }

type notificationRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	Kind      string    `gorm:"not null"`
	ContactID uid       `gorm:"not null"`
	Subject   string    `gorm:"not null"`
	At        time.Time `gorm:"not null"`
}

func (notificationRow) TableName() string { return "notifications" }

type markRow struct {
	MemberID uid `gorm:"primaryKey"`
	UpTo     uid `gorm:"not null"`
}

func (markRow) TableName() string { return "notification_marks" }

type deliveryRow struct {
	ID        uid       `gorm:"primaryKey"`
	OrgID     uid       `gorm:"not null"`
	WebhookID uid       `gorm:"not null"`
	At        time.Time `gorm:"not null"`
	Outcome   string    `gorm:"not null"`
	Code      string    `gorm:"not null"`
	Reason    string    `gorm:"not null"`
	ContactID *uid
	Content   []byte `gorm:"not null"`
	Truncated bool   `gorm:"not null"`
	ReplayOf  *uid
}

func (deliveryRow) TableName() string { return "deliveries" }

type receiptRow struct {
	WebhookID uid       `gorm:"primaryKey"`
	Key       []byte    `gorm:"primaryKey"`
	Body      []byte    `gorm:"not null"`
	ContactID uid       `gorm:"not null"`
	At        time.Time `gorm:"not null"`
}

func (receiptRow) TableName() string { return "receipts" }

type automationRow struct {
	ID        uid    `gorm:"primaryKey"`
	OrgID     uid    `gorm:"not null"`
	Name      string `gorm:"not null"`
	Event     string `gorm:"not null"`
	Enabled   bool   `gorm:"not null"`
	OriginID  *uid
	WebhookID *uid
	MinAmount int64     `gorm:"not null"`
	Action    []byte    `gorm:"not null"`
	CreatedAt time.Time `gorm:"not null"`
}

func (automationRow) TableName() string { return "automations" }

type jobRow struct {
	ID           uid    `gorm:"primaryKey"`
	OrgID        uid    `gorm:"not null"`
	Kind         string `gorm:"not null"`
	ContactID    uid    `gorm:"not null"`
	AutomationID *uid
	MemberID     *uid
	State        string    `gorm:"not null"`
	Attempts     int       `gorm:"not null"`
	RunAt        time.Time `gorm:"not null"`
	Result       string    `gorm:"not null"`
	CreatedAt    time.Time `gorm:"not null"`
	EndedAt      *time.Time
	Lease        string `gorm:"not null"`
	LeaseUntil   *time.Time
}

func (jobRow) TableName() string { return "jobs" }

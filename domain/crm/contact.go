package crm

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// Origin is where an organisation's contacts come from. Two origins of one
// organisation never have names that differ only by case or accents.
type Origin struct {
	ID    string
	OrgID string
	Name  string
}

// Attribute is one fact about how a contact came: a UTM parameter, a click id, a
// page.
type Attribute struct{ Key, Value string }

// attributeTitles are the keys that people do not know by their names, as they know utm_source and gclid.
var attributeTitles = map[string]string{
	"campaign_name": "Campanha", "adset_name": "Conjunto de anúncios", "ad_name": "Anúncio", "form_name": "Formulário",
	"platform": "Plataforma", "lead_id": "Lead na Meta", "page_url": "Página", "landing_url": "Página de entrada",
	"referrer": "Página anterior",
}

// Title is the key in Portuguese, or itself where that is what people call it.
func (a Attribute) Title() string { return cmp.Or(attributeTitles[a.Key], a.Key) }

// platformNames are the platforms of advertisements by the words that stand for them.
var platformNames = map[string]string{
	"fb": "Facebook", "facebook": "Facebook", "ig": "Instagram", "instagram": "Instagram", "msg": "Messenger",
	"messenger": "Messenger", "an": "Audience Network", "wa": "WhatsApp", "whatsapp": "WhatsApp", "tiktok": "TikTok",
	"linkedin": "LinkedIn", "google": "Google", "youtube": "YouTube",
}

// Text is the value as people say it.
func (a Attribute) Text() string {
	if a.Key == "platform" {
		return cmp.Or(platformNames[strings.ToLower(a.Value)], a.Value)
	}
	return a.Value
}

// clickIDs are the keys of ids of clicks that do not end as others do.
var clickIDs = []string{"wbraid", "gbraid", "fbc", "fbp", "epik", "gclsrc", "igshid", "srsltid"}

// Code reports whether it is an id that only the platform of an advertisement understands.
func (a Attribute) Code() bool {
	return strings.HasSuffix(a.Key, "_id") || strings.HasSuffix(a.Key, "clid") || slices.Contains(clickIDs, a.Key)
}

// Consent is what a form says of a consent, or of anything else that is answered by yes or no: only "sim" and true
// give it. Or it is what a person told a member.
type Consent struct {
	// Key is the field's key, Title its question or label, if it has one.
	Key, Title string
	Given      bool
	// At is when it was said, UTC.
	At time.Time
	// By is the name of the member who recorded it by hand; empty for a form's.
	By string
}

// Contact is a lead of an organisation.
type Contact struct {
	// ID is a UUIDv7; it is the `leadId` of the webhook's answer.
	ID    string
	OrgID string
	// WebhookID is the webhook that it came by; empty for one made by hand.
	WebhookID string
	Name      string
	// Email is as sent.
	Email string
	// Phone is as sent; PhoneE164 is the same in E.164 ("+5511987654321"), empty
	// when it is no valid number.
	Phone, PhoneE164 string
	Company          string
	// Documents are the CPFs and CNPJs that it is known by, each once.
	Documents []document.Document
	// Amount is in ten-thousandths of a real.
	Amount catalog.Money
	// Note is free text, of several lines.
	Note string
	// OriginID is empty when the contact is linked to no origin.
	OriginID string
	// Attribution is what the sender said about campaign and page.
	Attribution []Attribute
	// Consents are the yes and no of its forms; they allow what others are told of it.
	Consents []Consent
	StageID  string
	// AssigneeID is empty in an organisation without active members.
	AssigneeID string
	// Waiting is true from its arrival until a member first answers, by a note, a call or a move.
	Waiting   bool
	CreatedAt time.Time
	// Unreadable is true where the note, the documents or the attribution cannot be opened and is left out. The stored
	// ones stay.
	Unreadable bool
}

// FirstAssignee returns the member that a new contact goes to: the first active
// one, preferring owner, then administrator, then the oldest (specification,
// 4.5.3). It reports false when nobody is active.
func FirstAssignee(members []Member) (Member, bool) {
	var active []Member
	for _, m := range members {
		if m.Active {
			active = append(active, m)
		}
	}
	if len(active) == 0 {
		return Member{}, false
	}
	rank := map[Role]int{Owner: 0, Admin: 1, Common: 2}
	return slices.MinFunc(active, func(a, b Member) int {
		return cmp.Or(cmp.Compare(rank[a.Role], rank[b.Role]), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), true
}

// TextMax is how many characters a note, and a text that an automation writes, may have.
const TextMax = 10_000

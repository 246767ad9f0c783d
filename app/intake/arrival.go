package intake

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"mime"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/app"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/intake/fields"
	"fichario/domain/webhook"
	"fichario/ports"
)

// identity holds what a repeated post is recognised by, so that a retry makes no second contact.
type identity struct {
	// keys are the idempotency keys of its people; one is empty where nothing identifies the person's submission.
	keys []string
	// earlier are keys without what an id needs beside it (intake.IDNeeds), as older receipts have them; empty where the
	// key needs nothing. The post before them must have had the same body.
	earlier     []string
	fingerprint []byte
	// strict says that a repeat with another fingerprint is an error.
	strict bool
}

// identify takes the sender's Idempotency-Key, which is strict, or the product's own id of the submission. An id for
// the whole post is numbered for the second and later people; an id of a person's own takes precedence over one in the
// headers. usedKey says that the Idempotency-Key was another post's, as that of a sender with one for everybody: a
// person who replays such a post means this one, and the body tells it from the other.
func identify(d webhook.Delivery, drafts []intake.Draft, usedKey bool) (identity, error) {
	known, sent := identity{fingerprint: fingerprint(d)}, d.Header("idempotency-key")
	switch long := utf8.RuneCountInString(sent) > app.RequestKeyMax; {
	case long && d.ReplayOf == "":
		return known, app.Invalid("Idempotency-Key", fmt.Sprintf("A Idempotency-Key pode ter até %d caracteres.", app.RequestKeyMax))
	case long: // it was refused for that, and is this person's post all the same
		sent, usedKey = fmt.Sprintf("%x", sha256.Sum256([]byte(sent))), true
	}
	known.strict = sent != ""
	for i, draft := range drafts {
		number := ""
		if i > 0 {
			number = "\n" + strconv.Itoa(i+1) // no header contains a line break
		}
		own := len(drafts) > 1 && draft.DeliveryID != "" && !draft.SharedID
		key, earlier := "", ""
		switch {
		case sent != "" && usedKey:
			key = fmt.Sprintf("key:%s\n%x", sent, sha256.Sum256(known.fingerprint)) + number
		case sent != "":
			key = "key:" + sent + number
		case d.HeaderID() != "" && !own:
			key = "id:" + d.HeaderID() + number
		case draft.DeliveryID != "":
			key = "id:" + draft.DeliveryID
			if more := known.beside(draft); more != "" {
				key, earlier = key+more, key
			}
		case d.AmbiguousID() != "":
			key = fmt.Sprintf("id:x-webhook-id:%s\n%x", d.AmbiguousID(), sha256.Sum256(known.fingerprint)) + number
		case d.ReplayOf != "":
			key = "replay:" + d.ReplayOf + number
		}
		known.keys, known.earlier = append(known.keys, key), append(known.earlier, earlier)
	}
	return known, nil
}

// beside is what a key holds beside a product's id that may be shared by several people. A post without an address,
// which somebody may complete, is told from another's by all of it.
func (k identity) beside(draft intake.Draft) string {
	switch {
	case draft.IDNeeds == intake.IDAlone:
		return ""
	case draft.IDNeeds == intake.IDAndEmail && draft.Email != "":
		return "\n" + strings.ToLower(draft.Email)
	}
	return fmt.Sprintf("\n%x", sha256.Sum256(k.fingerprint))
}

// fingerprint is what two posts are compared by: the body, without the boundary of a multipart one, which senders
// generate anew for each try.
func fingerprint(d webhook.Delivery) []byte {
	if _, params, err := mime.ParseMediaType(d.Header("content-type")); err == nil && params["boundary"] != "" {
		return bytes.ReplaceAll(d.Body, []byte(params["boundary"]), nil)
	}
	return d.Body
}

// arrivalOf returns an accepted post with the contacts that it makes and all that belongs to them.
func arrivalOf(hook webhook.Hook, drafts []intake.Draft, d webhook.Delivery, known identity) ports.Arrival {
	d.Outcome = webhook.Accepted
	var sequence []string
	if hook.RotationID != "" {
		sequence = hook.Rotation.Sequence(hook.Members, d.At)
	}
	a := ports.Arrival{Delivery: d, Fingerprint: known.fingerprint, People: make([]ports.Newcomer, len(drafts))}
	for i, draft := range drafts {
		c := contactOf(hook, draft, d.At)
		a.People[i] = ports.Newcomer{
			Contact: c, Key: known.keys[i], RotationID: hook.RotationID, Sequence: sequence,
			Job: automation.Job{
				ID: app.NewID(), OrgID: c.OrgID, ContactID: c.ID, Kind: automation.FanOut, State: automation.Ready,
				RunAt: d.At, CreatedAt: d.At,
			},
		}
	}
	return a
}

// dateConsents says when the people of an arrival consented: a post may be read long after it came.
func dateConsents(a ports.Arrival, at time.Time) {
	for _, one := range a.People {
		for n := range one.Contact.Consents {
			one.Contact.Consents[n].At = at
		}
	}
}

// contactOf makes the contact of a draft: its stage, assignee and origin (specification, 4.5.2 to 4.5.4).
func contactOf(hook webhook.Hook, draft intake.Draft, at time.Time) crm.Contact {
	c := crm.Contact{
		ID: app.NewID(), OrgID: hook.OrgID, WebhookID: hook.ID, Name: draft.DisplayName(hook.Kind), Email: draft.Email,
		Phone: draft.Phone, PhoneE164: draft.PhoneE164, Company: draft.Company, Documents: draft.Documents,
		Amount:  catalog.Money(draft.Amount),
		StageID: hook.Entry.ID, Waiting: true, CreatedAt: at,
	}
	for _, a := range draft.Attribution {
		c.Attribution = append(c.Attribution, crm.Attribute(a))
	}
	for _, said := range draft.Consents {
		c.Consents = append(c.Consents, crm.Consent{Key: said.Key, Title: said.Title, Given: said.Given, At: at})
	}
	if m, ok := crm.FirstAssignee(hook.Members); ok {
		c.AssigneeID = m.ID
	}
	var stated bool
	c.OriginID, stated = originOf(hook, draft)
	if draft.Origin != "" && !stated {
		// A stated origin that no field holds must not be lost.
		draft.Leftover = append(draft.Leftover, intake.Pair{Key: "Origem informada", Value: draft.Origin})
	}
	c.Note = draft.Note()
	return c
}

// originOf returns the origin that a contact is linked to, and whether it is the one that the sender stated, be it in
// an advertiser's abbreviation ("fb"). A fixed origin wins; a campaign's source counts only where the sender states
// none.
func originOf(hook webhook.Hook, draft intake.Draft) (id string, stated bool) {
	raw := draft.Origin
	if raw == "" {
		raw = draft.FallbackOrigin
	}
	best := fields.Unlike
	for _, o := range hook.Origins {
		if like := fields.OriginLikeness(raw, o.Name); like > best {
			id, best = o.ID, like
		}
	}
	if hook.OriginID != "" {
		return hook.OriginID, id == hook.OriginID
	}
	return id, id != ""
}

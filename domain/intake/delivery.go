package intake

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"slices"
	"strings"
)

// deliveryRule says where a product puts its own id of a submission, the same in every retry. Keys are joined with
// dots.
type deliveryRule struct {
	product         string
	has             string                // the members that identify the product, separated by spaces
	when            func(*tree.Node) bool // what else must hold; nil for nothing
	id              string                // the members that make the id, separated by spaces
	hasPath, idPath [][]string
}

// deliveryRules are tried in order; the first whose members are all there gives the id.
var deliveryRules = compileDeliveryRules([]deliveryRule{
	{product: "typeform", has: "form_response.token", id: "form_response.token"},
	{product: "tally", has: "eventType data.submissionId data.formId", id: "data.submissionId"},
	{product: "respondi", has: "respondent.respondent_id form.form_id", id: "form.form_id respondent.respondent_id"},
	{product: "jotform", has: "submissionID rawRequest", id: "submissionID"},
	{product: "jotform", has: "submissionID formID", id: "submissionID"},
	{product: "googleads", has: "user_column_data lead_id", id: "lead_id"},
	{product: "meta", has: "leadgen_id", id: "leadgen_id"},
	{product: "meta", has: "id form_id", when: fromMetaSheet, id: "id"},
	{product: "pubsub", has: "subscription message.messageId", id: "message.messageId"},
	{product: "salesforce", has: "OrganizationId ActionId Notification.Id", id: "Notification.Id"},
	{product: "wix", has: "data.submissionId", id: "data.submissionId"},
	{product: "webflow", has: "triggerType payload.id", id: "payload.id"},
	{product: "formbricks", has: "webhookId data.surveyId data.id", id: "data.id"},
	{product: "netlify", has: "id form_id site_url", id: "id"},
	{product: "netlify", has: "id form_id human_fields", id: "id"},
	{product: "kommo", has: "unsorted.add.uid", id: "unsorted.add.uid"},
	{product: "olx", has: "originLeadId", when: fromOLX, id: "originLeadId"},
	{product: "rdstation", has: "leads.uuid", when: hasOriginalEvent, id: originalEvent},
	{product: "rdstation", has: "leads.uuid", id: "leads.uuid leads.last_conversion.created_at"},
	{product: "rdstation", has: "event_uuid contact", id: "event_uuid"},
	{product: "surveymonkey", has: "filter_id event_id", id: "event_id"},
	{product: "fillout", has: "submission.submissionId", id: "submission.submissionId"},
	{product: "stripe", has: "id object type data.object", id: "id"},
	{product: "heyform", has: "id formId formName answers", id: "id"},
	{product: "hasura", has: "id delivery_info trigger.name event.data", id: "id"},
	{product: "calcom", has: "triggerEvent payload.uid", id: "triggerEvent payload.uid"},
	{product: "calendly", has: "event payload.uri", id: "event payload.uri"},
	{product: "directus", has: "event collection key", when: creates, id: "event collection key"},
	{product: "strapi", has: "event model entry.id", when: creates, id: "event model entry.id"},
	{product: "formstack", has: "FormID UniqueID", id: "FormID UniqueID"},
	{product: "gravity", has: "entry.form_id entry.id", id: "entry.form_id entry.id"},
	{product: "fluentforms", has: "__submission.form_id __submission.id", id: "__submission.form_id __submission.id"},
	{product: "cognito", has: "Form.Id Entry.Number", id: "Form.Id Entry.Number"},
	{product: "jotform", has: "id form_id answers", id: "id"},
	{product: "surveymonkey", has: "id survey_id collector_id", id: "id"},
	{product: "linkedin", has: "id leadType formResponse", id: "id"},
	{product: "tiktok", has: "entry.lead_id entry.changes", id: "entry.lead_id"},
	{product: "kommo", has: "leads.add.id", id: "leads.add.id"},
	{product: "bitrix24", has: "event data.FIELDS.ID ts", id: "event data.FIELDS.ID ts"},
	{product: "woocommerce", has: "order_key id status", id: "id status"},
	{product: "eduzz", has: "trans_cod trans_status", id: "trans_cod trans_status"},
	{product: "perfectpay", has: "code sale_status_enum", id: "code sale_status_enum"},
})

func compileDeliveryRules(rules []deliveryRule) []deliveryRule {
	for i := range rules {
		rules[i].hasPath, rules[i].idPath = paths(rules[i].has), paths(rules[i].id)
	}
	return rules
}

// deliveryKeys are the first members that the rules look for. Most bodies have none of them.
var deliveryKeys = func() map[string]bool {
	keys := map[string]bool{}
	for _, rule := range deliveryRules {
		keys[rule.hasPath[0][0]] = true
	}
	return keys
}()

func mayTellDelivery(n tree.Node) bool { return deliveryKeys[n.Key] }

func paths(list string) [][]string {
	var out [][]string
	for p := range strings.FieldsSeq(list) {
		out = append(out, strings.Split(p, "."))
	}
	return out
}

// originalEvent is where RD Station puts the id of the event that a conversion was made from.
const originalEvent = "leads.last_conversion.content.__cdp__original_event.event_uuid"

func hasOriginalEvent(n *tree.Node) bool { return n.Str(strings.Split(originalEvent, ".")...) != "" }

// fromOLX recognises the portals of one group, whose lead id names a lead; other portals' ids name a person and repeat.
func fromOLX(n *tree.Node) bool {
	switch names.Of(n.Str("leadOrigin")) {
	case "grupoolx", "olx", "vivareal", "zap", "zapimoveis", "grupozap":
		return true
	}
	return false
}

// fromMetaSheet recognises a lead of Meta as it stands in a sheet and in Zapier: its ids have a letter before them.
func fromMetaSheet(n *tree.Node) bool {
	return strings.HasPrefix(n.Str("id"), "l:") && len(n.Str("id")) > len("l:") && n.Path("leadgenId") == nil
}

// deliveryID returns the sender's own id of a submission, or "". A bare "id" of an unknown sender does not count: two
// posts with it are two contacts.
func deliveryID(n *tree.Node) string {
	n = n.First()
	if n == nil || n.Kind != tree.Object {
		return ""
	}
	if sent := n.Path("body"); sent != nil && sent.Kind == tree.Object {
		if n.Child("headers") != nil || n.Child("webhookUrl") != nil {
			n = sent // n8n puts what was sent under "body"
		}
	}
	if slices.ContainsFunc(n.Children, mayTellDelivery) {
		for i := range deliveryRules {
			if rule := &deliveryRules[i]; rule.fits(n) {
				return rule.idOf(n)
			}
		}
	}
	return idByName(n)
}

func (d *deliveryRule) fits(n *tree.Node) bool {
	for _, p := range d.hasPath {
		if n.Path(p...) == nil {
			return false
		}
	}
	return d.when == nil || d.when(n)
}

func (d *deliveryRule) idOf(n *tree.Node) string {
	var id strings.Builder
	id.WriteString(d.product)
	for _, p := range d.idPath {
		s := n.Str(p...)
		if !usableID(s) {
			return ""
		}
		id.WriteString(":" + s)
	}
	return id.String()
}

// isTest reports whether the sender says that a submission is a test.
func isTest(n *tree.Node) bool {
	n = n.First()
	if n == nil || n.Kind != tree.Object {
		return false
	}
	for _, k := range [...]string{"is_test", "isTest", "test_lead", "is_test_lead"} {
		if c := n.Path(k); c != nil && (c.Text == "true" || c.Text == "1") {
			return true
		}
	}
	return false
}

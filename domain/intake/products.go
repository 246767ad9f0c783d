package intake

import (
	"strings"

	"fichario/domain/text"
)

// hints is what the neighbours of a member tell about it: special knowledge of a product's envelope, where the shape alone misleads.
type hints struct {
	jotform    bool            // rawRequest holds the answers; beside it stand the form's and the owner's data
	definition bool            // Typeform: the questions, which the answers refer to
	asked      bool            // questions beside answers, which refer to them
	netlify    bool            // number and summary are the service's own
	conversion bool            // RD Station: source is the name of the conversion
	titled     map[string]bool // Respondi: titles that raw_answers answers better
	contacts   bool            // leads beside contacts are deals (Kommo)
	cents      bool            // amounts are in cents: Stripe, Pagar.me
	graphQL    bool            // the variables of a query are what it sends
	mail       bool            // an e-mail, whose sender is the contact
	structure  bool            // Wufoo: the questions, in a JSON text
}

// hints looks at the members of an object once.
func (r *reader) hints(n *node) hints {
	var h hints
	if len(n.children) > 200 {
		return h
	}
	for i := range n.children {
		k := &n.children[i]
		switch k.key {
		case "rawRequest":
			h.jotform = k.kind == isString && looksJSON(k.text)
			if h.jotform {
				r.pretty = n.str("pretty")
			}
		case "human_fields", "ordered_human_fields":
			h.netlify = true
		case "conversion_origin":
			h.conversion = k.kind == isObject
		case "from":
			h.mail = k.kind == isString && strings.IndexByte(k.text, '@') > 0 && n.str("subject") != "" && n.str("to") != ""
		case "charges":
			h.cents = k.kind == isArray
		case "livemode":
			h.cents = n.child("object") != nil
		case "query":
			h.graphQL = k.kind == isString && n.child("variables") != nil
		case "FieldStructure":
			if fields, ok, _ := embeddedJSON(k.text, 1); ok {
				r.learnTitles(fields.child("Fields"))
				h.structure = true
			}
		case "contacts":
			h.contacts = !k.scalar()
		case "definition":
			if fields := k.child("fields"); fields != nil && n.child("answers") != nil {
				r.learnTitles(fields)
				h.definition = true
			}
		case "questions", "fields":
			if n.child("answers") != nil {
				r.learnTitles(k)
				h.asked = unanswered(k)
			}
		case "raw_answers":
			if n.child("answers") != nil {
				h.titled = r.humanAnswers(k, n.child("answers"))
			}
		}
	}
	return h
}

// learnTitles remembers which question an id stands for. Typeform may put fields inside a group.
func (r *reader) learnTitles(fields *node) {
	if fields == nil || fields.scalar() {
		return
	}
	if r.titles == nil {
		r.titles = map[string]string{}
	}
	for i := range fields.children {
		f := &fields.children[i]
		title := ""
		for _, k := range []string{"title", "label", "question", "name", "Title", "Label"} {
			if title = f.str(k); title != "" {
				break
			}
		}
		for _, k := range []string{"id", "ref", "ID"} {
			if id := f.str(k); id != "" && title != "" {
				r.titles[id] = title
			}
		}
		if group := f.path("properties"); group != nil {
			r.learnTitles(group.child("fields"))
		}
		r.learnTitles(f.child("SubFields"))
	}
}

// unanswered reports whether a list holds questions only.
func unanswered(list *node) bool {
	for i := range list.children {
		if _, ok := dissect(&list.children[i]); ok || list.children[i].kind != isObject {
			return false
		}
	}
	return true
}

// humanAnswers puts the words of a consent in place of "yes", and returns the titles that need not be read twice.
func (r *reader) humanAnswers(raw, answers *node) map[string]bool {
	titled := map[string]bool{}
	for i := range raw.children {
		item := &raw.children[i]
		title, value := item.str("question", "question_title"), item.child("answer")
		human := answers.child(title)
		if title == "" || value == nil || human == nil {
			continue
		}
		if human.kind == isString && value.kind == isString && (value.text == "yes" || value.text == "no") {
			r.drop("mirror", &node{kind: isString, text: value.text})
			value.text = human.text
		}
		titled[title] = human.kind != isString || sameAnswer(value, human.text)
	}
	return titled
}

// sameAnswer reports whether a structured answer says what its text says.
func sameAnswer(value *node, raw string) bool {
	if value.scalar() {
		return text.Fold(value.text) == text.Fold(raw)
	}
	rest := text.Fold(raw)
	for i := range value.children {
		if k := &value.children[i]; k.scalar() {
			rest = strings.Replace(rest, text.Fold(k.text), "", 1)
		}
	}
	return strings.Trim(rest, " ,;/+-()") == ""
}

// special handles a member that its neighbours explain, and reports whether it did.
func (r *reader) special(h hints, k *node, s scope) bool {
	switch {
	case h.jotform && k.key != "rawRequest" && k.key != "formTitle":
		r.drop("jotform envelope", k)
		return true
	case h.definition && k.key == "definition":
		for i := range k.children {
			if c := &k.children[i]; c.key == "title" {
				r.member(c, s.within("form", closedTree))
			} else {
				r.drop("definition", c)
			}
		}
		return true
	case h.asked && (k.key == "questions" || k.key == "fields"):
		r.drop("definition", k)
		return true
	case h.netlify && k.key == "number":
		r.drop("netlify envelope", k)
		return true
	case h.titled != nil && k.key == "answers" && k.kind == isObject:
		for i := range k.children {
			if c := &k.children[i]; h.titled[c.key] {
				r.drop("mirror", c)
			} else {
				r.member(c, s)
			}
		}
		return true
	case h.conversion && k.key == "source":
		s.closed = true
		r.member(k, s)
		return true
	case h.conversion && k.key == "conversion_origin":
		// Its source is the origin, however weak the word is elsewhere.
		if k.kind == isObject {
			s.stated = true
			r.object(k, s)
			return true
		}
	case h.contacts && (k.key == "leads" || k.key == "lead") && !k.scalar():
		sub := r.into(k.key, entry{tree: dealTree}, s)
		if k.kind == isArray {
			r.list(k, sub)
		} else {
			r.object(k, sub)
		}
		return true
	case h.graphQL && k.key == "variables" && k.kind == isObject:
		r.object(k, s)
		return true
	case h.graphQL && (k.key == "query" || k.key == "operationName"):
		r.drop("graphql", k)
		return true
	case h.cents && k.kind == isNumber && (k.key == "amount" || k.key == "amount_total"):
		cents := *k
		cents.key = "amount_cents"
		r.member(&cents, s)
		return true
	case h.mail && k.key == "from":
		ans := answer{key: k.key, typ: emailType, values: r.one(scalarText(k)), scope: s}
		r.keep(&ans)
		return true
	case h.structure && k.key == "FieldStructure":
		r.drop("definition", k)
		return true
	case k.key == "data.xml":
		r.drop("data.xml", k) // Unbounce: data.json says the same
		return true
	}
	return false
}

// siblingsPrefix marks the answers that repeat one option of a sibling as a boolean: question_x beside question_x_<option> (Tally).
func siblingsPrefix(n *node) []bool {
	marks := make([]bool, len(n.children))
	var keys map[string]bool
	for i := range n.children {
		k := &n.children[i]
		v := k.child("value")
		if v == nil || v.kind != isBool && v.kind != isNull {
			continue
		}
		if keys == nil {
			keys = make(map[string]bool, len(n.children))
			for j := range n.children {
				if o := n.children[j].child("value"); o != nil && o.kind == isArray || n.children[j].child("options") != nil {
					keys[n.children[j].str("key")] = true
				}
			}
		}
		key := k.str("key")
		for c, tries := len(key), 0; c > 0 && tries < 6; tries++ {
			if c = strings.LastIndexByte(key[:c], '_'); c > 0 && keys[key[:c]] {
				marks[i] = true
				break
			}
		}
	}
	return marks
}

// formMarks are the neighbours that make a name that of a form or of the hook itself.
var formMarks = words(`formid formname formtitle siteid site sitename surveyid triggertype filterid formelementid d`)

// envelopeOf looks whether the answers stand in a container of an object rather than in the object itself.
func envelopeOf(n *node) envelope {
	container, mark, name := false, false, false
	for i := range n.children {
		k := &n.children[i]
		var buf [64]byte
		w := appendName(buf[:0], k.key)
		e := vocabulary[string(w)]
		switch {
		case e.field == fieldEmail && k.scalarList() && len(k.children) > 0:
			return noEnvelope
		case k.scalar():
			if e.field == fieldEmail && strings.Contains(k.text, "@") {
				return noEnvelope
			}
			name = name || e.field == fieldName
			mark = mark || formMarks[string(w)]
		case e.tree == containerTree || e.tree == personTree:
			container = true
		}
	}
	switch {
	case !name:
		return noEnvelope
	case mark:
		return formEnvelope
	case container:
		return maybeEnvelope
	}
	return noEnvelope
}

// prettyTitle finds the label of a Jotform answer, whose key holds only the first words of it, in the text that repeats all of them.
func (r *reader) prettyTitle(k *node) string {
	if r.pretty == "" || k.kind != isString || len(k.text) < 2 || len(k.key) < 3 || k.key[0] != 'q' || k.key[1] < '0' || k.key[1] > '9' {
		return ""
	}
	value, _, _ := strings.Cut(text.OneLine(text.Clean(k.text)), "\n")
	i := strings.Index(r.pretty, ":"+value)
	if i < 0 || strings.Count(r.pretty, ":"+value) > 1 {
		return ""
	}
	label := r.pretty[:i]
	label = label[strings.LastIndex(label, ", ")+1:]
	label = strings.TrimSpace(strings.TrimPrefix(label, ","))
	// Only a label that begins as the key does is surely this answer's.
	_, rest, _ := strings.Cut(k.key, "_")
	if rest = nameOf(rest); len(rest) < 2 || !strings.HasPrefix(nameOf(label), rest) {
		return ""
	}
	return label
}

// deliveryID returns the product's own id of a submission, the same in every retry of it, or "". A bare "id" of an unknown sender is none:
// two posts of it are two contacts.
func deliveryID(n *node) string {
	n = n.first()
	if n == nil || n.kind != isObject {
		return ""
	}
	if in := n.path("body"); in != nil && in.kind == isObject && (n.child("headers") != nil || n.child("webhookUrl") != nil) {
		n = in
	}
	id := func(product string, parts ...string) string {
		for _, p := range parts {
			if p == "" || len(p) > 200 {
				return ""
			}
		}
		return product + ":" + strings.Join(parts, ":")
	}
	has := func(keys ...string) bool { return n.path(keys...) != nil }
	switch {
	case has("form_response", "token"):
		return id("typeform", n.str("form_response", "token"))
	case has("eventType") && has("data", "submissionId") && has("data", "formId"):
		return id("tally", n.str("data", "submissionId"))
	case has("respondent", "respondent_id") && has("form", "form_id"):
		return id("respondi", n.str("form", "form_id"), n.str("respondent", "respondent_id"))
	case has("submissionID") && (has("rawRequest") || has("formID")):
		return id("jotform", n.str("submissionID"))
	case has("user_column_data") && has("lead_id"):
		return id("googleads", n.str("lead_id"))
	case has("entry", "changes", "value", "leadgen_id"):
		return id("meta", n.str("entry", "changes", "value", "leadgen_id"))
	case has("leadgen_id"):
		return id("meta", n.str("leadgen_id"))
	case has("data", "submissionId"):
		return id("wix", n.str("data", "submissionId"))
	case has("triggerType") && has("payload", "id"):
		return id("webflow", n.str("payload", "id"))
	case has("webhookId") && has("data", "surveyId") && has("data", "id"):
		return id("formbricks", n.str("data", "id"))
	case has("id") && has("form_id") && (has("site_url") || has("human_fields")):
		return id("netlify", n.str("id"))
	case has("unsorted", "add", "uid"):
		return id("kommo", n.str("unsorted", "add", "uid"))
	case has("originLeadId") && fromOLX(n.str("leadOrigin")):
		return id("olx", n.str("originLeadId"))
	case has("leads", "uuid"):
		content := n.path("leads", "last_conversion", "content")
		if event := content.str("__cdp__original_event", "event_uuid"); event != "" {
			return id("rdstation", event)
		}
		return id("rdstation", n.str("leads", "uuid"), n.str("leads", "last_conversion", "created_at"))
	case has("event_uuid") && has("contact"):
		return id("rdstation", n.str("event_uuid"))
	case has("filter_id") && has("event_id"):
		return id("surveymonkey", n.str("event_id"))
	case has("submission", "submissionId"):
		return id("fillout", n.str("submission", "submissionId"))
	}
	return ""
}

// fromOLX tells the portals of one group, whose lead id names a lead, from those whose id names a person and repeats.
func fromOLX(origin string) bool {
	switch nameOf(origin) {
	case "grupoolx", "olx", "vivareal", "zap", "zapimoveis", "grupozap":
		return true
	}
	return false
}

// isTest reports whether the sender says that a submission is a test.
func isTest(n *node) bool {
	n = n.first()
	if n == nil || n.kind != isObject {
		return false
	}
	for _, k := range []string{"is_test", "isTest", "test_lead", "is_test_lead"} {
		if c := n.path(k); c != nil && (c.text == "true" || c.text == "1") {
			return true
		}
	}
	return false
}

package intake

import (
	"cmp"
	"slices"
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/products"
	"fichario/domain/intake/tree"
)

// deliveryRule says where a product puts its own id of a submission, the same in every retry.
type deliveryRule struct {
	product         string
	when            func(*tree.Node) bool // what else must hold; nil for nothing
	hasPath, idPath [][]string            // the members that identify the product, and that make the id
	shared          bool                  // posts of several people have the same
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

// IDNeeds is what must be equal, beside their DeliveryID, for two posts to be one submission. Where more is needed, the
// id may be shared: the number of a record, which another site counts too, or something that many people ask about.
type IDNeeds uint8

// What is needed.
const (
	IDAlone IDNeeds = iota
	IDAndEmail
	IDAndBody
)

// postID is a sender's own id of a submission; the zero value for none.
type postID struct {
	id    string
	needs IDNeeds
}

// deliveryID returns the sender's own id of a submission. A bare "id" of an unknown sender does not count: two posts
// with it are two contacts.
func deliveryID(n *tree.Node) postID {
	n = n.First()
	if n == nil || n.Kind != tree.Object {
		return postID{}
	}
	n = asSent(n)
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

func (d *deliveryRule) idOf(n *tree.Node) postID {
	var id strings.Builder
	id.WriteString(d.product)
	parts := make([]string, len(d.idPath))
	for i, p := range d.idPath {
		parts[i] = n.Str(p...)
		if !usableID(parts[i]) {
			return postID{}
		}
		id.WriteString(":" + parts[i])
	}
	if d.shared {
		return postID{id.String(), IDAndEmail}
	}
	return postID{id.String(), needsOfParts(parts)}
}

// needsOfParts tells ids that are unique from the numbers that a program counts up: on two sites it counts the same.
func needsOfParts(parts []string) IDNeeds {
	counted := false
	for _, s := range parts {
		switch n := names.CountDigits(s); {
		case n == 0: // a state or an event
		case n == len(s) && n < 12:
			counted = true
		default:
			return IDAlone
		}
	}
	if counted {
		return IDAndEmail
	}
	return IDAlone
}

// isTest reports whether the sender says that a submission is a test.
func isTest(n *tree.Node) bool {
	if n = n.First(); n == nil || n.Kind != tree.Object {
		return false
	}
	return slices.ContainsFunc(n.Children, func(k tree.Node) bool {
		return saysTest(k) || k.Kind == tree.Object && idPlaces[k.Key] && slices.ContainsFunc(k.Children, saysTestInside)
	})
}

// saysTestInside is saysTest for a member of an envelope, where the words of an event are about the lead.
func saysTestInside(k tree.Node) bool { return !eventTypes[names.Of(k.Key)] && saysTest(k) }

// saysTest reports whether a member says that its post is a test. A word that forms ask about too counts only as a
// program writes it.
func saysTest(k tree.Node) bool {
	if !k.Scalar() || len(k.Text) > 20 || k.Text == "" || len(k.Key) > 20 {
		return false
	}
	var buf [64]byte
	name := names.Append(buf[:0], k.Key)
	yes, no := k.Kind == tree.Bool && k.Text == "true", k.Kind == tree.Bool && k.Text == "false"
	switch string(name) {
	case "istest", "testlead", "istestlead", "testmode", "testipn":
		return yes || k.Text == "true" || k.Text == "1"
	case "test", "sandbox", "issandbox", "ping":
		return yes || k.Text == "true"
	case "livemode":
		return no
	case "mode", "environment", "env":
		return k.Text == "test" || k.Text == "sandbox"
	}
	return eventTypes[string(name)] && k.Kind == tree.String && testEvents[names.Of(k.Text)]
}

// testEvents are what products call the event of a test, in normal form.
var testEvents = names.Set(`test teste ping webhooktest testwebhook webhookping testevent eventtest testping testnotification`)

// The id of a post whose sender has no rule is recognised by its name. An id counts when it stands for the delivery or
// the submission, because only a retry repeats it. One that stands for the person, the form, the webhook or the visit
// comes again with the next submission, and never counts.

// idKind is what an id stands for, and thus what else must be there.
type idKind uint8

const (
	_            idKind = iota
	deliveryName        // the delivery or the event: enough alone
	recordName          // the submission: with the person's address, qualified by its form and event
	resultName          // the submission, or its outcome, which others have too
	eventName           // an event of the webhook, or one that people attend: only with the event's type
	orderName           // an order, which has many events: only with the event's type, and its state
)

// idNames are the names of ids, in normal form.
var idNames = names.ByWord(map[idKind]string{
	deliveryName: `
		deliveryid webhookdeliveryid webhookeventid eventuuid transactionuuid notificationid idempotencykey dedupeid
		messageid`,
	recordName: `
		submissionid submissionuuid submissionguid formsubmissionid responseid responseuuid responseguid formresponseid
		entryid formentryid leadid leadgenid leaduuid leadgenleadid idlead facebookleadid`,
	resultName: `resultid`,
	eventName:  `eventid`,
	orderName: `
		orderid orderuuid ordercode orderref ordernumber transactionid transactioncode saleid salecode purchaseid paymentid
		invoiceid bookingid bookinguid appointmentid`,
})

// eventTypes name the members that say what happened, orderStates the state of an order, formIDs the form that was
// sent; all in normal form.
var (
	eventTypes = names.Set(`
		event eventtype type topic trigger triggerevent webhookeventtype eventname action hookevent eventkey tipoevento`)
	orderStates = names.Set(`status orderstatus state paymentstatus financialstatus salestatus transactionstatus`)
	formIDs     = names.Set(`formid formuuid formkey surveyid formslug idform`)
)

// idPlaces are the envelopes that are searched, one level deep.
var idPlaces = names.Set(`data payload body entry submission response form_response lead record`)

// idLists are lists of people, of which the first is searched.
var idLists = names.Set(`
	leads contacts contatos people pessoas customers clientes subscribers items itens rows records results data submissions
	responses entries`)

// facts is what an object says about the post.
type facts struct {
	name, id           string // of the best id
	kind               idKind
	bare               string // the value of "id" or "uuid"
	event, state, form string
	person, envelope   bool // it has an address; it has objects
}

func factsOf(n *tree.Node) facts {
	var f facts
	for i := range n.Children {
		k := &n.Children[i]
		var buf [64]byte
		name := names.Append(buf[:0], k.Key)
		if !k.Scalar() {
			f.envelope = f.envelope || k.Kind == tree.Object || k.Kind == tree.Array && len(k.Children) > 0
			continue
		}
		switch {
		case string(name) == "id" || string(name) == "uuid":
			f.bare = n.Str(k.Key)
		case idNames[string(name)] != 0:
			if kind := idNames[string(name)]; usableID(k.Text) && (f.kind == 0 || kind < f.kind) {
				f.name, f.id, f.kind = string(name), n.Str(k.Key), kind
			}
		case eventTypes[string(name)] && k.Kind == tree.String && f.event == "":
			f.event = n.Str(k.Key)
		case orderStates[string(name)]:
			f.state = n.Str(k.Key)
		case formIDs[string(name)]:
			f.form = n.Str(k.Key)
		}
		f.person = f.person || vocabulary[string(name)].field == fieldEmail
	}
	return f
}

// idByName returns the id of a post that is recognised by its name, after that name.
func idByName(n *tree.Node) postID {
	var f facts
	if slices.ContainsFunc(n.Children, mayBeID) {
		f = factsOf(n)
		if id := f.named(); id.id != "" {
			return id
		}
		if f.event != "" && f.envelope && !f.person && usableID(f.bare) && (!changes(f.event) || drawn(f.bare)) {
			return bareID(f.event, f.bare)
		}
	}
	for i := range n.Children {
		k := &n.Children[i]
		if k.Scalar() {
			continue
		}
		if p := eventOf(k.Key); p != nil && usableID(k.Str(p.EventID...)) {
			id := k.Str(p.EventID...)
			return postID{p.Name + ":" + k.Key + ":" + id, needsOfParts([]string{id})}
		}
		var id postID
		switch {
		case k.Kind == tree.Object && idPlaces[k.Key]:
			id = idInside(n, k)
		case k.Kind == tree.Array && idLists[k.Key]:
			id = idOfPerson(n, k.First())
		}
		if id.id != "" {
			return id
		}
	}
	return postID{}
}

// bareID is an "id" beside an event's type, which may be what many people's events are about.
func bareID(event, id string) postID { return postID{"id:" + join(event, id), needsOf(id)} }

// idInside is idByName for an envelope inside the body.
func idInside(n, envelope *tree.Node) postID {
	f, inner := factsOf(n), factsOf(envelope)
	inner.event, inner.form = cmp.Or(inner.event, f.event), cmp.Or(inner.form, f.form)
	if id := inner.named(); id.id != "" {
		return id
	}
	if f.event != "" && products.Created(f.event) && usableID(inner.bare) {
		return bareID(f.event, inner.bare)
	}
	return postID{}
}

// idOfPerson is idByName for the first of a list of people.
func idOfPerson(n, person *tree.Node) postID {
	if person == nil || person.Kind != tree.Object || !slices.ContainsFunc(person.Children, mayBeID) {
		return postID{}
	}
	f, inner := factsOf(n), factsOf(person)
	if !inner.person || inner.kind == 0 || inner.kind > resultName {
		return postID{}
	}
	inner.event, inner.form = cmp.Or(inner.event, f.event), cmp.Or(inner.form, f.form)
	return inner.named()
}

// mayBeID reports whether a key is worth a closer look: most bodies have none.
func mayBeID(n tree.Node) bool {
	key := n.Key
	for i := 0; i+1 < len(key); i++ {
		if key[i]|0x20 == 'i' && key[i+1]|0x20 == 'd' {
			return true
		}
	}
	return slices.ContainsFunc(idEndings[:], func(ending string) bool { return strings.HasSuffix(key, ending) })
}

// idEndings are the endings of id names without "id" in them.
var idEndings = [...]string{"ref", "code", "Code", "number", "Number", "key", "Key"}

// named returns the id with a name of its own, when what it needs beside it is there.
func (f *facts) named() postID {
	switch {
	case f.kind == 0, f.kind >= eventName && f.event == "":
		return postID{}
	case f.kind == deliveryName:
		return postID{f.name + ":" + f.id, needsOfParts([]string{f.id})} // a chat counts its messages, as another does
	case f.kind == orderName:
		return postID{f.name + ":" + join(f.event, f.state, f.id), IDAndEmail}
	}
	id := postID{f.name + ":" + join(f.event, f.form, f.id), IDAndEmail}
	if f.kind != recordName {
		id.needs = needsOf(f.id)
	}
	return id
}

// needsOf tells an id that was drawn for one event from one that somebody gave to what the event is about: a workshop,
// a form, an outcome.
func needsOf(id string) IDNeeds {
	if len(id) >= 16 && names.CountDigits(id) >= 4 && strings.IndexByte(id, ' ') < 0 {
		return IDAndEmail
	}
	return IDAndBody
}

// usableID rejects what stands for a missing id.
func usableID(s string) bool {
	switch strings.TrimSpace(s) {
	case "", "0", "null", "undefined", "true", "false":
		return false
	}
	return len(s) <= 200
}

// drawn reports whether an id was generated for the event, rather than the number of a record, which comes again when
// the record changes.
func drawn(id string) bool { return names.CountDigits(id) < len(id) && len(id) >= 8 || len(id) >= 16 }

// changes reports whether an event changes a record.
func changes(event string) bool { return names.HasAny(names.Words(event), changing) }

var changing = names.Set(`update updated change changed edit edited status move moved`)

package intake

import "strings"

// Whose a part of a body is. A post often names several people: who asked, and who serves them, owns the account or gets
// the mail. The names of keys and what records say about themselves tell them apart (docs/leads.md, "Who is the lead").

// side is whose a part of a body is.
type side uint8

const (
	neutral side = iota // nothing says whose
	ours                // our people, accounts and machines
	leads               // the person who asked
)

// sideWords are the words that tell the side, in normal form. Of several in a name the last counts: the agent of
// "customer_agent" is ours.
var sideWords = map[string]side{}

func init() {
	for s, list := range map[side]string{
		ours: `
			organizer organizers organiser organisers organizador organizadora host hosts cohost cohosts anfitriao owner owners
			agent agents agente agentes operator operators operador operadora operadores atendente atendentes assignee assignees
			assigned seller sellers vendedor vendedora vendedores corretor corretora corretores consultor consultora salesperson
			salesrep rep reps staff staffs team teams admin admins administrator administrador moderator moderators
			cc bcc merchant producer producers produtor produtora affiliate affiliates affiliations afiliado
			afiliados creator interviewer recruiter practitioner teammate teammates geoip geolocation isp`,
		leads: `
			customer customers client clients cliente clientes visitor visitors visitante visitantes invitee invitees attendee
			attendees lead leads buyer buyers comprador compradora subscriber subscribers requester requesters solicitante
			applicant applicants candidate candidato candidata prospect prospects registrant registrants booker scheduler payer
			pagador guest`,
	} {
		for w := range strings.FieldsSeq(list) {
			sideWords[w] = s
		}
	}
}

// recordNouns may follow the word for a side in the key of a record: "customer_details", "ToFull".
var recordNouns = words(`
	info information data details detail profile full record records list dados user users person people member members
	contact contacts account to recipient recipients response responses fields email emails address addresses s`)

// ourNumbers are keys of our own lines and mailboxes, in normal form.
var ourNumbers = words(`
	displayphonenumber connectedphone businessphonenumber phonenumberid botnumber tonumber callednumber dialednumber
	originalrecipient deliveredto envelopeto toemails toname toemail toaddress tofull tophone`)

// sideOfName returns the side that a machine's key names. rest is what follows the word that decides.
func sideOfName(key string) (s side, rest []string) {
	if len(key) > 80 {
		return neutral, nil
	}
	w := wordsOf(key)
	for i := len(w) - 1; i >= 0; i-- {
		if found := sideWords[w[i]]; found != neutral {
			return found, w[i+1:]
		}
	}
	if len(w) > 0 && w[0] == "to" && (len(w) == 1 || ourNumbers[strings.Join(w, "")] || recordNouns[w[1]]) {
		return ours, w[1:]
	}
	if ourNumbers[strings.Join(w, "")] {
		return ours, nil
	}
	return neutral, nil
}

// sideOfTree returns the side of the record under a key that no table knows: the key ends in the word for the side, or
// a noun for a record follows it.
func sideOfTree(key string) side {
	s, rest := sideOfName(key)
	for _, w := range rest {
		if !recordNouns[w] {
			return neutral
		}
	}
	return s
}

// ofOurs reports whether a machine's key says that its answer names, or reaches, one of ours. A question that a person
// wrote may well ask for the owner's name.
func (a *answer) ofOurs() bool {
	if a.title != "" {
		return false
	}
	s, _ := sideOfName(a.key)
	return s == ours
}

// personal are the fields that tell who somebody is: our own people never feed them.
var personal = [fieldCount]bool{
	fieldEmail: true, fieldPhone: true, fieldCompany: true, fieldName: true, fieldFirst: true, fieldLast: true,
	fieldArea: true, fieldCountry: true,
}

// sideWordsOfMarks are what records say that they are, beside the words for sides.
var sideWordsOfMarks = map[string]side{
	"bot": ours, "system": ours, "internal": ours, "employee": ours, "host": ours, "support": ours, "to": ours,
	"messagetovisitor": ours, "outgoing": ours, "outbound": ours, "teammate": ours, "coach": ours, "provider": ours,
	"from": leads, "contact": leads, "enduser": leads, "messagetooperator": leads, "offlinemessage": leads,
	"incoming": leads, "inbound": leads,
}

// markOf returns the side that a record claims for itself: {"type": "agent"}, {"is_organizer": true}.
func markOf(n *node) side {
	for i := range n.children {
		k := &n.children[i]
		switch k.key {
		case "type", "kind", "role", "user_type", "userType", "author_type", "authorType", "sender_type", "senderType",
			"participant_type", "member_type", "direction", "Type", "Kind", "Role", "tipo", "papel":
			if k.kind != isString || len(k.text) > 30 {
				continue
			}
			word := nameOf(k.text)
			if s := sideWordsOfMarks[word]; s != neutral {
				return s
			}
			if s := sideWords[word]; s != neutral {
				return s
			}
		case "is_organizer", "isOrganizer", "organizer", "self", "is_host", "isHost", "is_agent", "isAgent", "is_staff",
			"isStaff", "is_bot", "isBot", "is_owner", "isOwner", "is_operator", "from_me", "fromMe", "is_internal":
			if k.kind == isBool && k.text == "true" {
				return ours
			}
		}
	}
	return neutral
}

// closeStaff closes the answers of records that call themselves ours, if another person of the body has an address:
// who signs up alone may well be an "admin".
func (r *reader) closeStaff() {
	staff, other := false, false
	for i := range r.answers {
		a := &r.answers[i]
		staff = staff || a.staff
		other = other || !a.staff && !a.closed && !a.ofOurs() && strings.IndexByte(a.values[0], '@') > 0 &&
			findEmail(a.values[:1]) != "" && (meansOfContact(a.name()) || a.typ == emailType || a.lead)
	}
	if !staff || !other {
		return
	}
	for i := range r.answers {
		if a := &r.answers[i]; a.staff {
			a.closed = true
		}
	}
}

package intake

import (
	"slices"
	"strings"

	"fichario/domain/text"
)

// The members of an e-mail as its parsers name them, in normal form.
var (
	mailSenders = words(`from sender mailfrom fromfull fromemail fromaddress fromfield`)
	mailTargets = words(`
		to recipient torecipients tofull rcptto originalrecipient toaddress toemail cc bcc ccfull bccfull
		ccrecipients bccrecipients envelope deliveredto tofields ccfields bccfields`)
	mailHTML    = words(`html htmlbody bodyhtml strippedhtml`)
	mailHeaders = words(`headers messageheaders rawheaders headerlines receivedlines`)
	// mailTexts are the texts of an e-mail, what its sender wrote anew before what they also quote.
	mailTexts = strings.Fields(`
		strippedtextreply strippedtext replyplain replytext textbody bodyplain plainbody plaintext plain text textplain body`)
)

// mail is what is known of the object that holds an e-mail: its sender is the contact, its recipients are us.
type mail struct {
	message  *node // the text of it
	reply    bool  // a machine sent it, and the answer goes to the contact
	mandrill bool  // "email" is the mailbox that got it
	headers  bool  // the sender stands among the headers
}

// mailOf reports whether an object is an e-mail: it has a sender with an address, a recipient, and a subject or a text.
func mailOf(n *node) *mail {
	m := &mail{}
	parts := n
	if h := n.child("headers"); h != nil && h.kind == isObject && senderOf(h) != "" {
		parts, m.headers = h, true
	}
	from := senderOf(parts)
	if from == "" || !slices.ContainsFunc(parts.children, isTarget) && !slices.ContainsFunc(n.children, isTarget) {
		return nil
	}
	m.message, m.mandrill = textOfMail(n), n.child("raw_msg") != nil
	if !betweenTwo(parts) && m.message == nil && memberNamed(parts, "subject") == nil {
		return nil
	}
	if reply := memberNamed(parts, "replyto"); reply != nil && strings.IndexByte(reply.text, '@') > 0 {
		m.reply = sentByMachine(from)
	}
	return m
}

// betweenTwo reports whether an object says from whom and to whom, with addresses, in these very words.
func betweenTwo(n *node) bool {
	from, to := memberNamed(n, "from"), memberNamed(n, "to")
	return from != nil && to != nil && strings.IndexByte(from.text, '@') > 0 && strings.IndexByte(to.text, '@') > 0
}

// senderOf returns the sender of an e-mail as it was written, or "".
func senderOf(n *node) string {
	for i := range n.children {
		k := &n.children[i]
		if !mailSenders[nameOf(k.key)] {
			continue
		}
		if k.kind == isString && strings.IndexByte(k.text, '@') > 0 {
			return k.text
		}
		if address := addressInside(k, 0); address != "" {
			return address
		}
	}
	return ""
}

// addressInside finds the first whole address in a record of an e-mail's sender or recipients.
func addressInside(n *node, depth int) string {
	if n.scalar() {
		if n.kind == isString && len(n.text) <= maxEmail && wholeAddress(findEmail([]string{n.text})) {
			return n.text
		}
		return ""
	}
	for i := range n.children {
		if depth > 2 || i > 4 {
			break
		}
		if address := addressInside(&n.children[i], depth+1); address != "" {
			return address
		}
	}
	return ""
}

func isTarget(k node) bool {
	return mailTargets[nameOf(k.key)] && (strings.IndexByte(k.text, '@') > 0 || addressInside(&k, 0) != "")
}

// memberNamed returns the first member that is a text, by the normal form of its name.
func memberNamed(n *node, name string) *node {
	for i := range n.children {
		if k := &n.children[i]; k.kind == isString && nameOf(k.key) == name {
			return k
		}
	}
	return nil
}

func textOfMail(n *node) *node {
	for _, name := range mailTexts {
		if k := memberNamed(n, name); k != nil && !k.empty() {
			return k
		}
	}
	return nil
}

// sentByMachine reports whether nobody reads the answers to an address.
func sentByMachine(address string) bool {
	local, _, _ := strings.Cut(findEmail([]string{address}), "@")
	name := nameOf(local)
	for _, machine := range [...]string{"noreply", "donotreply", "naoresponda", "naoresponder", "wordpress", "mailerdaemon"} {
		if strings.HasPrefix(name, machine) {
			return true
		}
	}
	return false
}

// mailMember reads a member of an e-mail, and reports whether it was a part of one.
func (r *reader) mailMember(m *mail, k *node, s scope) bool {
	name := nameOf(k.key)
	switch {
	case m.headers && k.key == "headers":
		for i := range k.children {
			h := &k.children[i]
			if headerName := nameOf(h.key); mailSenders[headerName] || mailTargets[headerName] || headerName == "subject" {
				if !r.mailMember(m, h, s) {
					r.member(h, s)
				}
			} else {
				r.drop("mail header", h)
			}
		}
	case mailSenders[name]:
		r.mailSender(m, k, s)
	case name == "replyto" && m.reply && k.scalar():
		r.keep(&answer{key: k.key, typ: emailType, values: r.single(scalarText(k)), scope: s})
	case mailTargets[name], m.mandrill && name == "email":
		r.within(true, closedTree, k, s)
	case mailHeaders[name]:
		r.drop("mail header", k)
	case k == m.message:
		r.at, s.prefix = r.place(k, s), ""
		r.keep(&answer{key: k.key, entry: entry{field: fieldMessage}, values: r.single(scalarText(k)), scope: s})
	case mailHTML[name] && m.message != nil && k.kind == isString:
		return r.dropIf(text.Fold(withoutTags(k.text)) == text.Fold(m.message.text), "mirror", k)
	default:
		return false
	}
	return true
}

// mailSender reads who sent an e-mail. A machine's address is not the contact's where an answer would go elsewhere.
func (r *reader) mailSender(m *mail, k *node, s scope) {
	r.at = r.place(k, s)
	if k.scalarList() && len(k.children) == 1 {
		only := k.children[0]
		only.key, k = k.key, &only
	}
	switch {
	case k.scalar() && !m.reply && strings.IndexByte(k.text, '@') > 0:
		r.keep(&answer{key: k.key, typ: emailType, values: r.single(scalarText(k)), scope: s})
	case m.reply:
		r.within(true, closedTree, k, s)
	case k.scalar():
		r.leaf(k, lookup(k.key), s)
	default:
		s.lead = true
		sender := withAddressAsEmail(*k, 0)
		r.within(true, personTree, &sender, s)
	}
}

// withAddressAsEmail gives the "address" of a sender the name of what it is.
func withAddressAsEmail(n node, depth int) node {
	if n.kind == isString && nameOf(n.key) == "address" && wholeAddress(n.text) {
		n.key = fieldNames[fieldEmail]
	}
	if n.scalar() || depth > 2 {
		return n
	}
	n.children = slices.Clone(n.children)
	for i := range n.children {
		n.children[i] = withAddressAsEmail(n.children[i], depth+1)
	}
	return n
}

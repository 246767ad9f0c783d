package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// The members of an e-mail as its parsers name them, in normal form.
var (
	mailSenders = names.Set(`from sender mailfrom fromfull fromemail fromaddress fromfield`)
	mailTargets = names.Set(`
		to recipient torecipients tofull rcptto originalrecipient toaddress toemail cc bcc ccfull bccfull
		ccrecipients bccrecipients envelope deliveredto tofields ccfields bccfields`)
	mailHTML    = names.Set(`html htmlbody bodyhtml strippedhtml`)
	mailHeaders = names.Set(`headers messageheaders rawheaders headerlines receivedlines`)
	// mailTexts are the texts of an e-mail, what its sender wrote anew before what they also quote.
	mailTexts = strings.Fields(`
		strippedtextreply strippedtext replyplain replytext textbody bodyplain plainbody plaintext plain text textplain body`)
)

// mail is what is known of the object that holds an e-mail: its sender is the contact, its recipients are us.
type mail struct {
	message  *tree.Node // the text of it
	reply    bool       // a machine sent it, and the answer goes to the contact
	mandrill bool       // "email" is the mailbox that got it
	headers  bool       // the sender stands among the headers
}

// mailOf reports whether an object is an e-mail: it has a sender with an address, a recipient, and a subject or a text.
func mailOf(n *tree.Node) *mail {
	m := &mail{}
	parts := n
	if h := n.Child("headers"); h != nil && h.Kind == tree.Object && senderOf(h) != "" {
		parts, m.headers = h, true
	}
	from := senderOf(parts)
	if from == "" || !slices.ContainsFunc(parts.Children, isTarget) && !slices.ContainsFunc(n.Children, isTarget) {
		return nil
	}
	m.message, m.mandrill = textOfMail(n), n.Child("raw_msg") != nil
	if !betweenTwo(parts) && m.message == nil && memberNamed(parts, "subject") == nil {
		return nil
	}
	if reply := memberNamed(parts, "replyto"); reply != nil && strings.IndexByte(reply.Text, '@') > 0 {
		m.reply = sentByMachine(from)
	}
	return m
}

// betweenTwo reports whether an object says from whom and to whom, with addresses, in these very words.
func betweenTwo(n *tree.Node) bool {
	from, to := memberNamed(n, "from"), memberNamed(n, "to")
	return from != nil && to != nil && strings.IndexByte(from.Text, '@') > 0 && strings.IndexByte(to.Text, '@') > 0
}

// senderOf returns the sender of an e-mail as it was written, or "".
func senderOf(n *tree.Node) string {
	for i := range n.Children {
		k := &n.Children[i]
		if !mailSenders[names.Of(k.Key)] {
			continue
		}
		if k.Kind == tree.String && strings.IndexByte(k.Text, '@') > 0 {
			return k.Text
		}
		if address := addressInside(k, 0); address != "" {
			return address
		}
	}
	return ""
}

// addressInside finds the first whole address in a record of an e-mail's sender or recipients.
func addressInside(n *tree.Node, depth int) string {
	if n.Scalar() {
		if n.Kind == tree.String && len(n.Text) <= fields.MaxEmail &&
			fields.WholeAddress(fields.FindEmail([]string{n.Text})) {
			return n.Text
		}
		return ""
	}
	for i := range n.Children {
		if depth > 2 || i > 4 {
			break
		}
		if address := addressInside(&n.Children[i], depth+1); address != "" {
			return address
		}
	}
	return ""
}

func isTarget(k tree.Node) bool {
	return mailTargets[names.Of(k.Key)] && (strings.IndexByte(k.Text, '@') > 0 || addressInside(&k, 0) != "")
}

// memberNamed returns the first member that is a text, by the normal form of its name.
func memberNamed(n *tree.Node, name string) *tree.Node {
	for i := range n.Children {
		if k := &n.Children[i]; k.Kind == tree.String && names.Of(k.Key) == name {
			return k
		}
	}
	return nil
}

func textOfMail(n *tree.Node) *tree.Node {
	for _, name := range mailTexts {
		if k := memberNamed(n, name); k != nil && !k.Empty() {
			return k
		}
	}
	return nil
}

// sentByMachine reports whether nobody reads the answers to an address.
func sentByMachine(address string) bool {
	local, _, _ := strings.Cut(fields.FindEmail([]string{address}), "@")
	name := names.Of(local)
	for _, machine := range [...]string{"noreply", "donotreply", "naoresponda", "naoresponder", "wordpress", "mailerdaemon"} {
		if strings.HasPrefix(name, machine) {
			return true
		}
	}
	return false
}

// mailMember reads a member of an e-mail, and reports whether it was a part of one.
func (r *reader) mailMember(m *mail, k *tree.Node, s scope) bool {
	name := names.Of(k.Key)
	switch {
	case m.headers && k.Key == "headers":
		for i := range k.Children {
			h := &k.Children[i]
			if headerName := names.Of(h.Key); mailSenders[headerName] || mailTargets[headerName] || headerName == "subject" {
				if !r.mailMember(m, h, s) {
					r.member(h, s)
				}
			} else {
				r.drop("mail header", h)
			}
		}
	case mailSenders[name]:
		r.mailSender(m, k, s)
	case name == "replyto" && m.reply && k.Scalar():
		r.keep(&answer{key: k.Key, typ: emailType, values: r.single(tree.ScalarText(k)), scope: s})
	case mailTargets[name], m.mandrill && name == "email":
		r.within(true, closedTree, k, s)
	case mailHeaders[name]:
		r.drop("mail header", k)
	case k == m.message:
		r.mailMessage(k, s)
	case mailHTML[name] && m.message != nil && k.Kind == tree.String:
		return r.dropIf(text.Fold(fields.WithoutTags(k.Text)) == text.Fold(m.message.Text), "mirror", k)
	default:
		return false
	}
	return true
}

// mailMessage reads the text of an e-mail.
func (r *reader) mailMessage(k *tree.Node, s scope) {
	if r.linesLeaf(k, s) {
		return
	}
	r.at, s.prefix = k.At, ""
	r.keep(&answer{key: k.Key, entry: entry{field: fieldMessage}, values: r.single(tree.ScalarText(k)), scope: s})
}

// mailSender reads who sent an e-mail. A machine's address is not the contact's where an answer would go elsewhere.
func (r *reader) mailSender(m *mail, k *tree.Node, s scope) {
	r.at = k.At
	if k.ScalarList() && len(k.Children) == 1 {
		only := k.Children[0]
		only.Key, k = k.Key, &only
	}
	switch {
	case m.reply, r.openLines && k.Scalar() && sentByMachine(k.Text):
		r.within(true, closedTree, k, s)
	case k.Scalar() && strings.IndexByte(k.Text, '@') > 0:
		r.keep(&answer{key: k.Key, typ: emailType, values: r.single(tree.ScalarText(k)), scope: s})
	case k.Scalar():
		r.leaf(k, lookup(k.Key), s)
	default:
		s.lead = true
		sender := withAddressAsEmail(*k, 0)
		r.within(true, personTree, &sender, s)
	}
}

// withAddressAsEmail gives the "address" of a sender the name of what it is.
func withAddressAsEmail(n tree.Node, depth int) tree.Node {
	if n.Kind == tree.String && names.Of(n.Key) == "address" && fields.WholeAddress(n.Text) {
		n.Key = fieldNames[fieldEmail]
	}
	if n.Scalar() || depth > 2 {
		return n
	}
	n.Children = slices.Clone(n.Children)
	for i := range n.Children {
		n.Children[i] = withAddressAsEmail(n.Children[i], depth+1)
	}
	return n
}

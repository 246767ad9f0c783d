package notifier

import (
	"context"
	"crypto/x509"
	"net"
	netmail "net/mail"
	"strings"
	"time"
	"unicode"

	gomail "github.com/wneessen/go-mail"

	"fichario/ports"
)

const (
	// sendTime bounds one message, from name resolution to the server's last reply. reasonLate repeats it. It is less than
	// an attempt of a job may take, which would end the message without saying that the server is to blame.
	sendTime = 20 * time.Second
	// quitTime bounds the QUIT after that.
	quitTime = 2 * time.Second
	// maxSubject is in characters. A word too long for a line cannot be folded, and mail servers refuse lines of more than
	// 998 bytes.
	maxSubject = 200
)

// Mailer sends through one mail server. It is safe for concurrent use, and opens one connection for each message:
// callers limit their number.
type Mailer struct {
	settings
	timeout time.Duration
	roots   *x509.CertPool // nil for the system's
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ ports.Mailer = (*Mailer)(nil)

// New returns a mailer for the mail server at an address such as
//
//	smtp://user:password@host:587?from=Name <a@b>
//	smtps://user:password@host:465
//
// With smtp:// the connection is encrypted when the server offers STARTTLS; `tls=required` insists on it and `tls=none`
// does without. `from` is the sender, by default the user when that is an address, else fichario@host
// (fichario@localhost when the host is an IP address). The error for an invalid address does not repeat it.
func New(smtpURL string) (*Mailer, error) {
	s, err := parse(smtpURL)
	if err != nil {
		return nil, err
	}
	return &Mailer{settings: s, timeout: sendTime, dial: new(net.Dialer).DialContext}, nil
}

// Send hands one message to the mail server. A nil error means that the server has accepted it; otherwise the error is
// a *ports.SendError.
func (m *Mailer) Send(ctx context.Context, mail ports.Mail) error {
	to, err := recipient(mail.To)
	if err != nil {
		return err
	}
	parent := ctx
	ctx, cancel := context.WithTimeout(ctx, m.timeout)
	defer cancel()
	d := &delivery{Mailer: m, ctx: ctx}
	defer d.close()
	if err := d.run(m.compose(mail, to), to); err != nil {
		return d.outcome(parent, err)
	}
	return nil
}

// recipient parses a bare address: no name, comment, group or list.
func recipient(s string) (*netmail.Address, error) {
	s = strings.Trim(s, " ")
	a, err := netmail.ParseAddress(s)
	if err != nil || envelope(a) != "<"+s+">" {
		return nil, permanent("endereço de e-mail inválido")
	}
	return a, nil
}

// compose makes the message. The library encodes subject and body, so that lines stay short and leading dots survive.
func (m *Mailer) compose(mail ports.Mail, to *netmail.Address) *gomail.Msg {
	msg := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	msg.FromMailAddress(&m.from)
	msg.ToMailAddress(to)
	msg.Subject(oneLine(mail.Subject))
	msg.SetMessageIDWithValue(strings.Map(idRune, mail.ID) + "@" + m.domain())
	msg.SetDate()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(gomail.TypeTextPlain, mail.Text)
	return msg
}

// domain is the sender's.
func (m *Mailer) domain() string {
	return m.from.Address[strings.LastIndexByte(m.from.Address, '@')+1:]
}

// oneLine makes a subject a single line. It also collapses runs of white space: the library folds at spaces, and two in
// a row would make a blank line.
func oneLine(s string) string {
	s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) }), " ")
	// The library leaves ASCII unencoded, and readers would decode what merely looks like an encoded word: a zero-width
	// character makes the library encode it.
	s = strings.ReplaceAll(s, "=?", "=\u200b?")
	if r := []rune(s); len(r) > maxSubject {
		return string(r[:maxSubject-1]) + "…"
	}
	return s
}

// idRune keeps the characters that an identifier may have without quotes.
func idRune(r rune) rune {
	if notASCII(r) || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r) {
		return '-'
	}
	return r
}

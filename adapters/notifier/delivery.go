package notifier

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	netmail "net/mail"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

var (
	errNoAuth = errors.New("the mail server offers no supported authentication method")
	errUTF8   = errors.New("the mail server accepts no address with accents")
)

// stage is how far a delivery has got, which gives a server's answer its meaning.
type stage int

const (
	connecting stage = iota
	authenticating
	naming  // the sender
	handing // the recipient and the message
)

// delivery is the delivery of one message, over its own connection.
type delivery struct {
	*Mailer
	ctx   context.Context // bounded by sendTime
	stage stage
	conn  net.Conn    // below TLS; nil until connected
	stop  func() bool // stops watching ctx
}

// run connects and hands over the message. It speaks SMTP step by step, because the library's send would report a
// failed RSET or QUIT after the message as a failure of the message, and hides the server's answer.
func (d *delivery) run(msg *gomail.Msg, to *netmail.Address) error {
	c, err := d.connect()
	if err != nil {
		return err
	}
	ascii := !strings.ContainsFunc(to.Address, notASCII)
	if ok, _ := c.Extension("SMTPUTF8"); !ascii && !ok {
		return errUTF8
	}
	c.SkipSMTPUTF8(ascii) // or relays without SMTPUTF8 would refuse an ordinary message
	d.stage = naming
	if err := c.Mail(envelope(&d.from)); err != nil {
		return err
	}
	d.stage = handing
	if err := c.Rcpt(envelope(to)); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	// Close the writer only after a complete message: closing sends the final dot.
	if _, err := msg.WriteTo(w); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	// The server has the message. Nothing from here on makes it fail.
	_ = d.conn.SetDeadline(time.Now().Add(quitTime))
	_ = c.Quit()
	return nil
}

// connect returns a connection after greeting, STARTTLS and authentication.
func (d *delivery) connect() (*smtp.Client, error) {
	secure := &tls.Config{ServerName: d.host, MinVersion: tls.VersionTLS12, RootCAs: d.roots}
	options := []gomail.Option{
		gomail.WithTimeout(d.timeout),
		gomail.WithHELO(d.domain()), // not the name of this machine
		gomail.WithTLSPolicy(d.startTLS),
		gomail.WithTLSConfig(secure),
		// The library's own dialler cannot handle IPv6 literals, and does not hand out the connection.
		gomail.WithDialContextFunc(func(ctx context.Context, network, _ string) (net.Conn, error) {
			return d.open(ctx, network, secure)
		}),
	}
	if d.user != "" {
		options = append(options, gomail.WithSMTPAuthCustom(&login{delivery: d}))
	}
	c, err := gomail.NewClient(d.host, options...)
	if err != nil {
		return nil, err
	}
	return c.DialToSMTPClientWithContext(d.ctx)
}

// open connects; from then on the connection ends with the context, which the library watches only while dialling.
func (d *delivery) open(ctx context.Context, network string, secure *tls.Config) (net.Conn, error) {
	conn, err := d.dial(ctx, network, net.JoinHostPort(d.host, d.port))
	if err != nil {
		return nil, err
	}
	d.conn = conn
	d.stop = context.AfterFunc(d.ctx, func() { conn.Close() })
	if !d.implicitTLS {
		return conn, nil
	}
	// The library detects encryption by this type.
	encrypted := tls.Client(conn, secure)
	return encrypted, encrypted.HandshakeContext(ctx)
}

// close ends the connection, which the library leaves open when something fails.
func (d *delivery) close() {
	if d.conn != nil {
		d.stop()
		d.conn.Close()
	}
}

// envelope formats an address for MAIL and RCPT, without the display name.
func envelope(a *netmail.Address) string { return (&netmail.Address{Address: a.Address}).String() }

// login authenticates with PLAIN, else with LOGIN. The library's implementations refuse to send a password without TLS
// to another machine.
type login struct {
	*delivery
	smtp.Auth
}

// Start chooses the mechanism.
func (l *login) Start(server *smtp.ServerInfo) (string, []byte, error) {
	switch {
	case slices.Contains(server.Auth, "PLAIN"):
		l.Auth = smtp.PlainAuth("", l.user, l.password, l.host, false)
	case slices.Contains(server.Auth, "LOGIN"):
		l.Auth = smtp.LoginAuth(l.user, l.password, l.host, false)
	default:
		return "", nil, errNoAuth
	}
	l.stage = authenticating
	return l.Auth.Start(server)
}

package intaketest

import (
	"bytes"
	"io"
	"log"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-smtp"
)

// Mail is a message that a mail server accepted.
type Mail struct {
	From, To      string
	Subject, Text string
	ID            string // Message-ID
}

// Mailbox is a mail server that keeps its messages.
type Mailbox struct {
	// URL is for FICHARIO_SMTP_URL.
	URL string

	mu   sync.Mutex
	all  []Mail
	errs []error
}

// StartMailServer starts a mail server.
func StartMailServer(tb testing.TB) *Mailbox {
	tb.Helper()
	b := &Mailbox{}
	server := smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{box: b}, nil }))
	server.Domain, server.MaxLineLength, server.ErrorLog = "correio.example", 998, log.New(io.Discard, "", 0)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	b.URL = "smtp://" + l.Addr().String() + "?from=Fichario%20<avisos@servico.example>"
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(l) })
	tb.Cleanup(func() {
		_ = server.Close()
		serving.Wait()
		for _, err := range b.errs {
			tb.Errorf("a message cannot be read: %v", err)
		}
	})
	return b
}

// To returns the messages to an address.
func (b *Mailbox) To(address string) (mails []Mail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.all {
		if strings.EqualFold(m.To, address) {
			mails = append(mails, m)
		}
	}
	return mails
}

type session struct {
	box      *Mailbox
	from, to string
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error { s.from = from; return nil }
func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error   { s.to = to; return nil }
func (*session) Reset()                                        {}
func (*session) Logout() error                                 { return nil }

func (s *session) Data(r io.Reader) error {
	raw, err := io.ReadAll(r)
	if err != nil {
		return err // cut off, so no message
	}
	m, err := parseMail(raw)
	m.From, m.To = s.from, s.to
	s.box.mu.Lock()
	defer s.box.mu.Unlock()
	if err != nil {
		s.box.errs = append(s.box.errs, err)
	}
	s.box.all = append(s.box.all, m)
	return nil
}

func parseMail(raw []byte) (Mail, error) {
	msg, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return Mail{}, err
	}
	subject, err := new(mime.WordDecoder).DecodeHeader(msg.Header.Get("Subject"))
	if err != nil {
		return Mail{}, err
	}
	body := msg.Body
	if strings.EqualFold(msg.Header.Get("Content-Transfer-Encoding"), "quoted-printable") {
		body = quotedprintable.NewReader(body)
	}
	text, err := io.ReadAll(body)
	return Mail{Subject: subject, Text: strings.ReplaceAll(string(text), "\r\n", "\n"),
		ID: msg.Header.Get("Message-Id")}, err
}

// StartMuteServer starts a server that accepts connections and says nothing, and returns its address, for
// FICHARIO_SMTP_URL and others.
func StartMuteServer(tb testing.TB) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var (
		mu    sync.Mutex
		conns []net.Conn
		work  sync.WaitGroup
	)
	work.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			conns = append(conns, c)
			mu.Unlock()
		}
	})
	tb.Cleanup(func() {
		_ = l.Close()
		work.Wait()
		for _, c := range conns {
			_ = c.Close()
		}
	})
	return l.Addr().String()
}

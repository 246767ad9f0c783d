package notifier

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
	"go.uber.org/goleak"

	"fichario/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var letter = ports.Mail{ID: "env_7f3a", To: "ana@destino.example", Subject: "Novo contato", Text: "Olá"}

// mailServer is a real SMTP server that keeps its messages.
type mailServer struct {
	*smtp.Server
	address  string
	password string // for the user "ana@exemplo.com.br"; no password when empty
	rcpt     func(to string) error

	mu     sync.Mutex
	logins int
	from   []string
	to     []string
	data   []string
}

type session struct {
	s        *mailServer
	loggedIn bool
}

// serve starts a mail server; with implicit, it uses TLS from the start.
func serve(t testing.TB, implicit bool, change func(*mailServer)) *mailServer {
	t.Helper()
	m := &mailServer{}
	m.Server = smtp.NewServer(smtp.BackendFunc(func(*smtp.Conn) (smtp.Session, error) { return &session{s: m}, nil }))
	m.Domain, m.MaxLineLength, m.ErrorLog = "correio.example", 998, log.New(io.Discard, "", 0)
	if change != nil {
		change(m)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	m.address = l.Addr().String()
	if implicit {
		l = tls.NewListener(l, m.TLSConfig)
	}
	done := make(chan struct{})
	go func() { defer close(done); _ = m.Serve(l) }()
	t.Cleanup(func() { m.Close(); <-done })
	return m
}

func (s *session) AuthMechanisms() []string {
	if s.s.password == "" {
		return nil
	}
	return []string{sasl.Plain}
}

func (s *session) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, user, password string) error {
		s.s.mu.Lock()
		defer s.s.mu.Unlock()
		s.s.logins++
		if user != "ana@exemplo.com.br" || password != s.s.password {
			return smtp.ErrAuthFailed
		}
		s.loggedIn = true
		return nil
	}), nil
}

func (s *session) Mail(from string, _ *smtp.MailOptions) error {
	if s.s.password != "" && !s.loggedIn {
		return &smtp.SMTPError{Code: 530, Message: "log in"}
	}
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	s.s.from = append(s.s.from, from)
	return nil
}

func (s *session) Rcpt(to string, _ *smtp.RcptOptions) error {
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	s.s.to = append(s.s.to, to)
	if s.s.rcpt != nil {
		return s.s.rcpt(to)
	}
	return nil
}

func (s *session) Data(r io.Reader) error {
	b, err := io.ReadAll(r)
	s.s.mu.Lock()
	defer s.s.mu.Unlock()
	s.s.data = append(s.s.data, string(b))
	return err
}

func (*session) Reset()        {}
func (*session) Logout() error { return nil }

// script is a server that greets and answers each command with reply's text: an empty one hangs, "close" closes. It
// reads a message after 354, and then calls reply with ".".
func script(t testing.TB, greeting string, reply func(command string) string) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	t.Cleanup(func() { l.Close(); wg.Wait() })
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() { defer c.Close(); talk(c, greeting, reply) })
		}
	})
	return l.Addr().String()
}

func talk(c net.Conn, greeting string, reply func(string) string) {
	say := func(s string) {
		if s != "" {
			fmt.Fprintf(c, "%s\r\n", s)
		}
	}
	say(greeting)
	message := false
	for lines := bufio.NewScanner(c); lines.Scan(); {
		line := lines.Text()
		if message && line != "." {
			continue
		}
		answer := reply(line)
		if answer == "close" {
			return
		}
		message = strings.HasPrefix(answer, "354")
		say(answer)
	}
}

// polite accepts everything, except for the commands in others.
func polite(others map[string]string) func(string) string {
	return func(command string) string {
		verb, _, _ := strings.Cut(command, " ")
		if answer, ok := others[verb]; ok {
			return answer
		}
		switch verb {
		case "DATA":
			return "354 go on"
		case "QUIT":
			return "221 bye"
		}
		return "250 ok"
	}
}

func mailer(t testing.TB, address string) *Mailer {
	t.Helper()
	m, err := New(address)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// fails wants exactly this error, so that a complete text contains nothing else.
func fails(t testing.TB, err error, reason string, permanent bool) {
	t.Helper()
	var e *ports.SendError
	if !errors.As(err, &e) || *e != (ports.SendError{Reason: reason, Permanent: permanent}) {
		t.Fatalf("got %#v, want %q, permanent %t", err, reason, permanent)
	}
}

func send(t testing.TB, m *Mailer, mail ports.Mail) {
	t.Helper()
	if err := m.Send(context.Background(), mail); err != nil {
		t.Fatal(err)
	}
}

// certificate is a self-signed one for example.com and 127.0.0.1.
func certificate(t testing.TB) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	defer s.Close()
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates}, pool
}

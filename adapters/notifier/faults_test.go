package notifier

import (
	"context"
	"crypto/x509"
	"encoding/base64"
	"net"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/emersion/go-smtp"
)

const user = "ana%40exemplo.com.br:s3gr3d0@"

// elsewhere makes connections to a remote host reach a local server.
func elsewhere(m *Mailer, address string) *Mailer {
	m.dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	return m
}

func secured(t testing.TB, s *mailServer) *x509.CertPool {
	config, pool := certificate(t)
	s.TLSConfig, s.password = config, "s3gr3d0"
	return pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	var pool *x509.CertPool
	start := serve(t, false, func(s *mailServer) { pool = secured(t, s) })
	implicit := serve(t, true, func(s *mailServer) { s.TLSConfig, s.password = start.TLSConfig, start.password })
	for address, s := range map[string]*mailServer{
		"smtp://" + user + start.address:                   start,
		"smtp://" + user + start.address + "?tls=required": start,
		"smtps://" + user + implicit.address:               implicit,
	} {
		m := mailer(t, address)
		fails(t, m.Send(context.Background(), letter), "falha de TLS", false)
		if s.logins != 0 {
			t.Fatal("the password went to a server that nobody knows")
		}
		m.roots = pool
		send(t, m, letter)
		if s.logins != 1 || len(s.data) != 1 {
			t.Errorf("%d logins, %d messages", s.logins, len(s.data))
		}
		s.logins, s.data = 0, nil
	}
	// The certificate is for example.com and loopback.
	for _, address := range []string{"smtp://" + user + "outro.example", "smtps://" + user + "outro.example"} {
		to := start.address
		if strings.HasPrefix(address, "smtps:") {
			to = implicit.address
		}
		m := elsewhere(mailer(t, address), to)
		m.roots = pool
		fails(t, m.Send(context.Background(), letter), "falha de TLS", false)
	}
	m := elsewhere(mailer(t, "smtps://"+user+"example.com"), implicit.address)
	m.roots = pool
	send(t, m, letter)

	plain := serve(t, false, nil)
	fails(t, mailer(t, "smtps://"+plain.address).Send(context.Background(), letter), "falha de TLS", false)
	fails(t, mailer(t, "smtp://"+plain.address+"?tls=required").Send(context.Background(), letter),
		"o servidor de e-mail não oferece TLS", false)
	send(t, mailer(t, "smtp://"+plain.address+"?tls=none"), letter)
	if start.logins+len(start.data) != 0 {
		t.Error("the wrong server was used")
	}
}

// commands records what a scripted server receives.
type commands struct {
	mu  sync.Mutex
	all []string
}

func (c *commands) note(reply func(string) string) func(string) string {
	return func(s string) string {
		c.mu.Lock()
		c.all = append(c.all, s)
		c.mu.Unlock()
		return reply(s)
	}
}

func (c *commands) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return strings.Join(c.all, "\n")
}

// TestPasswordNeedsTLS: a remote server without TLS gets no password, whatever it offers.
func TestPasswordNeedsTLS(t *testing.T) {
	t.Parallel()
	for _, mechanisms := range []string{"PLAIN", "LOGIN", "PLAIN LOGIN", "CRAM-MD5 LOGIN"} {
		told := &commands{}
		address := script(t, "220 correio.example", told.note(polite(map[string]string{
			"EHLO": "250-ola\r\n250 AUTH " + mechanisms,
		})))
		m := elsewhere(mailer(t, "smtp://"+user+"example.com"), address)
		fails(t, m.Send(context.Background(), letter), "o servidor de e-mail não oferece TLS: a senha não foi enviada", false)
		if s := told.String(); strings.Contains(s, "AUTH") || strings.Contains(s, "MAIL") {
			t.Errorf("%s:\n%s", mechanisms, s)
		}
	}
}

func TestPasswords(t *testing.T) {
	t.Parallel()
	s := serve(t, false, func(s *mailServer) { s.password, s.AllowInsecureAuth = "s3gr3d0", true })
	send(t, mailer(t, "smtp://"+user+s.address), letter)
	if s.logins != 1 || s.from[0] != "ana@exemplo.com.br" {
		t.Errorf("%d logins, from %v", s.logins, s.from)
	}
	fails(t, mailer(t, "smtp://ana%40exemplo.com.br:errada@"+s.address).Send(context.Background(), letter),
		"autenticação recusada pelo servidor de e-mail", false)
	// 530
	fails(t, mailer(t, "smtp://"+s.address).Send(context.Background(), letter),
		"autenticação recusada pelo servidor de e-mail", false)
	open := serve(t, false, nil)
	fails(t, mailer(t, "smtp://"+user+open.address).Send(context.Background(), letter),
		"o servidor de e-mail não oferece autenticação por PLAIN ou LOGIN", false)
}

func TestLogin(t *testing.T) {
	t.Parallel()
	told := &commands{}
	encoded := func(s string) string { return base64.StdEncoding.EncodeToString([]byte(s)) }
	login := polite(map[string]string{
		"EHLO": "250-ola\r\n250 AUTH LOGIN", "AUTH": "334 " + encoded("Username:"),
		encoded("ana@exemplo.com.br"): "334 " + encoded("Password:"), encoded("s3gr3d0"): "235 ok",
	})
	send(t, mailer(t, "smtp://"+user+script(t, "220 ola", told.note(login))), letter)
	if !strings.Contains(told.String(), "AUTH LOGIN\n") {
		t.Error(told)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	at := func(verb, answer string) map[string]string { return map[string]string{verb: answer} }
	for _, c := range []struct {
		answers   map[string]string
		reason    string
		permanent bool
	}{
		{at("RCPT", "550 5.1.1 <ana@destino.example> unknown"), "o servidor de e-mail recusou a mensagem (550)", true},
		{at("RCPT", "451 4.7.1 greylisted"), "o servidor de e-mail adiou a mensagem (451)", false},
		{at("RCPT", "421 bye"), "o servidor de e-mail adiou a mensagem (421)", false},
		{at("RCPT", "530 5.7.0 log in"), "autenticação recusada pelo servidor de e-mail", false},
		{at("DATA", "554 no"), "o servidor de e-mail recusou a mensagem (554)", true},
		{at("DATA", "250 what"), "resposta inesperada do servidor de e-mail (250)", false},
		{at(".", "552 too large"), "o servidor de e-mail recusou a mensagem (552)", true},
		{at(".", "452 disk full"), "o servidor de e-mail adiou a mensagem (452)", false},
		{at(".", "close"), "a conexão falhou", false},
		{at("MAIL", "550 not you"), "o servidor de e-mail recusou o remetente (550)", false},
		{at("MAIL", "450 later"), "o servidor de e-mail adiou a mensagem (450)", false},
		{at("EHLO", "close"), "a conexão falhou", false},
		{map[string]string{"EHLO": "502 what", "HELO": "554 go away"}, "o servidor de e-mail recusou a conexão (502)", false},
		{map[string]string{
			"EHLO": "250-ola\r\n250 STARTTLS", "STARTTLS": "454 no",
		}, "o servidor de e-mail recusou a conexão (454)", false},
		{map[string]string{"EHLO": "250-ola\r\n250 STARTTLS", "STARTTLS": "220 go"}, "falha de TLS", false},
	} {
		address := script(t, "220 correio.example", polite(c.answers))
		fails(t, mailer(t, "smtp://"+address).Send(context.Background(), letter), c.reason, c.permanent)
	}
	for greeting, reason := range map[string]string{
		"554 no": "o servidor de e-mail recusou a conexão (554)", "421 busy": "o servidor de e-mail recusou a conexão (421)",
		"HTTP/1.1 400 Bad Request": "a conexão falhou",
	} {
		address := script(t, greeting, polite(nil))
		fails(t, mailer(t, "smtp://"+address).Send(context.Background(), letter), reason, false)
	}
}

func TestRealRefusals(t *testing.T) {
	t.Parallel()
	for code, reason := range map[int]string{
		550: "o servidor de e-mail recusou a mensagem (550)", 451: "o servidor de e-mail adiou a mensagem (451)",
	} {
		s := serve(t, false, func(s *mailServer) {
			s.rcpt = func(to string) error { return &smtp.SMTPError{Code: code, Message: to} }
		})
		fails(t, mailer(t, "smtp://"+s.address).Send(context.Background(), letter), reason, code == 550)
	}
}

// TestTakenMeansSent: once the server has accepted the message, nothing counts as a failure: the message would be sent
// again.
func TestTakenMeansSent(t *testing.T) {
	t.Parallel()
	for _, farewell := range []string{"close", "", "500 what"} {
		told := &commands{}
		m := mailer(t, "smtp://"+script(t, "220 ola", told.note(polite(map[string]string{
			"QUIT": farewell, "RSET": "close", "NOOP": "close",
		}))))
		m.timeout = time.Second
		send(t, m, letter)
		if n := strings.Count(told.String(), "DATA"); n != 1 {
			t.Errorf("%q: %d messages", farewell, n)
		}
	}
}

func TestSilentServer(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"greeting", "EHLO", "MAIL", "RCPT", "DATA", ".", "AUTH", "TLS"} {
		greeting, scheme := "220 ola", "smtp://"
		reply := polite(map[string]string{"EHLO": "250-ola\r\n250 AUTH PLAIN", "AUTH": "235 ok", verb: ""})
		switch verb {
		case "greeting":
			greeting = ""
		case "TLS":
			greeting, scheme, reply = "", "smtps://", func(string) string { return "" }
		}
		m := mailer(t, scheme+user+script(t, greeting, reply))
		m.timeout = 100 * time.Millisecond
		fails(t, m.Send(context.Background(), letter), "o servidor de e-mail não respondeu em 20 s", false)
	}
}

// TestAServerThatHangsIsToBlame: within the 25 s of an attempt of a job the message is given up, and why.
func TestAServerThatHangsIsToBlame(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		m := mailer(t, "smtp://correio.example")
		m.dial = func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			t.Cleanup(func() { theirs.Close() })
			return ours, nil
		}
		ctx, cancel := context.WithTimeout(context.Background(), 25*time.Second)
		defer cancel()
		fails(t, m.Send(ctx, letter), "o servidor de e-mail não respondeu em 20 s", false)
	})
}

func TestInterrupted(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"EHLO", "RCPT", "."} {
		ctx, cancel := context.WithCancel(context.Background())
		m := mailer(t, "smtp://"+script(t, "220 ola", func(s string) string {
			if strings.HasPrefix(s, verb) {
				cancel()
				return ""
			}
			return polite(nil)(s)
		}))
		for range 2 { // the second time already cancelled
			fails(t, m.Send(ctx, letter), "interrompido", false)
		}
	}
}

func TestNotConnected(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	for _, scheme := range []string{"smtp://", "smtps://"} {
		fails(t, mailer(t, scheme+l.Addr().String()).Send(context.Background(), letter), "conexão recusada", false)
	}
	m := mailer(t, "smtp://correio.example")
	m.dial = func(context.Context, string, string) (net.Conn, error) {
		return nil, &net.OpError{
			Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "correio.example", IsNotFound: true},
		}
	}
	fails(t, m.Send(context.Background(), letter), "nome não encontrado", false)
}

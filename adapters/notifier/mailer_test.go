package notifier

import (
	"context"
	"fmt"
	"io"
	"mime"
	"mime/quotedprintable"
	netmail "net/mail"
	"strings"
	"sync"
	"testing"
	"time"

	"fichario/ports"
)

// read parses a message like a mail reader.
func read(t testing.TB, raw string) (netmail.Header, string) {
	t.Helper()
	for _, line := range strings.Split(raw, "\r\n") {
		if len(line) > 998 || strings.ContainsAny(line, "\r\n") {
			t.Errorf("a line has %d bytes or a bare line break", len(line))
		}
	}
	msg, err := netmail.ReadMessage(strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if got := msg.Header.Get("Content-Type"); got != "text/plain; charset=UTF-8" {
		t.Errorf("content type %q", got)
	}
	if got := msg.Header.Get("Content-Transfer-Encoding"); got != "quoted-printable" {
		t.Errorf("encoding %q", got)
	}
	body, err := io.ReadAll(quotedprintable.NewReader(msg.Body))
	if err != nil {
		t.Fatal(err)
	}
	// Every message ends with a line break.
	return msg.Header, strings.TrimSuffix(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n")
}

func subject(t testing.TB, h netmail.Header) string {
	t.Helper()
	s, err := new(mime.WordDecoder).DecodeHeader(h.Get("Subject"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestDelivery(t *testing.T) {
	t.Parallel()
	s := serve(t, false, nil)
	m := mailer(t, "smtp://"+s.address+"?from=Fichário <avisos@exemplo.com.br>")
	mail := ports.Mail{
		ID: "env_7f3a", To: "ana@destino.example",
		Subject: "Novo contato: João da Conceição 🎉, e um assunto que não cabe em uma linha só de jeito nenhum",
		Text: "Olá, Ana 👋\n.\n.ponto no começo\n..dois\nFrom: linha\n=3D igual \t\n" + strings.Repeat("linha longa ",
			300) + "\n" +
			strings.Repeat("x", 5000) + "\n\nfim",
	}
	send(t, m, mail)
	send(t, m, mail)
	if fmt.Sprint(s.from, s.to) != "[avisos@exemplo.com.br avisos@exemplo.com.br] [ana@destino.example ana@destino.example]" {
		t.Errorf("envelope %v %v", s.from, s.to)
	}
	for _, raw := range s.data {
		h, body := read(t, raw)
		if body != mail.Text {
			t.Errorf("the body has %d bytes instead of %d, or others", len(body), len(mail.Text))
		}
		if got := subject(t, h); got != mail.Subject {
			t.Errorf("subject %q", got)
		}
		for name, want := range map[string]string{
			"Message-Id": "<env_7f3a@exemplo.com.br>", "Auto-Submitted": "auto-generated", "To": "<ana@destino.example>",
			"From": "=?utf-8?q?Fich=C3=A1rio?= <avisos@exemplo.com.br>", "Mime-Version": "1.0",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %q, want %q", name, got, want)
			}
		}
		if at, err := h.Date(); err != nil || time.Since(at).Abs() > time.Minute {
			t.Errorf("date %s, %v", at, err)
		}
		if len(h) != 9 {
			t.Errorf("other headers: %v", h)
		}
	}
}

func TestSubjects(t *testing.T) {
	t.Parallel()
	s := serve(t, false, nil)
	m := mailer(t, "smtp://"+s.address)
	cases := map[string]string{
		"":                                    "",
		"linha\r\nBcc: outra@destino.example": "linha Bcc: outra@destino.example",
		"linha\nX: y\r\n\r\ncorpo":            "linha X: y corpo",
		"a\rb\tc\vd\x00e\u0085f\u2028g":       "a b c d e f g",
		"Joã\r\no":                            "Joã o",
		"=?utf-8?Q?Fatura_vencida?=":          "=\u200b?utf-8?Q?Fatura_vencida?=", // only decoded once
		strings.Repeat("x", 70) + strings.Repeat(" ", 200) + strings.Repeat("y", 75): strings.Repeat("x",
			70) + " " + strings.Repeat("y", 75),
		strings.Repeat("x", 5000): strings.Repeat("x", 199) + "…",
		strings.Repeat("ã", 5000): strings.Repeat("ã", 199) + "…",
	}
	for in, want := range cases {
		s.data = nil
		mail := letter
		mail.Subject = in
		send(t, m, mail)
		h, body := read(t, s.data[0])
		if got := subject(t, h); got != want || body != letter.Text {
			t.Errorf("%.80q becomes %.80q, with body %.80q", in, got, body)
		}
		if len(h) != 9 || h.Get("Bcc") != "" || h.Get("X") != "" {
			t.Errorf("%.80q: %d headers", in, len(h))
		}
	}
}

func TestMessageIDs(t *testing.T) {
	t.Parallel()
	s := serve(t, false, nil)
	mail := letter
	mail.ID = "a b\r\nBcc: x@y>é"
	send(t, mailer(t, "smtp://"+s.address), mail)
	if h, _ := read(t, s.data[0]); h.Get("Message-Id") != "<a-b--Bcc--x-y--@localhost>" || len(h) != 9 {
		t.Errorf("headers %v", h)
	}
}

func TestRecipients(t *testing.T) {
	t.Parallel()
	s := serve(t, false, nil)
	m := mailer(t, "smtp://"+s.address)
	for _, to := range []string{
		"", " ", "ana", "@destino.example", "ana@", "ana@destino.example, bia@destino.example",
		"ana@destino.example bia@destino.example", "Ana <ana@destino.example>", "<ana@destino.example>",
		"ana@destino.example (nome)", "grupo: ana@destino.example;", "grupo:;",
		"ana@destino.example\r\nRCPT TO:<bia@destino.example>", "ana@destino.example\r\n", "\r\nana@destino.example",
		"ana@destino.example\nBcc: b@c", "ana\r\n@destino.example", "ana@destino.example>", "ana@destino.example\x00",
		"\"a\r\nb\"@destino.example", "ana@des tino.example",
	} {
		mail := letter
		mail.To = to
		fails(t, m.Send(context.Background(), mail), "endereço de e-mail inválido", true)
	}
	if len(s.to) != 0 || len(s.data) != 0 {
		t.Errorf("sent to %v", s.to)
	}
	for _, to := range []string{
		"ana+x@destino.example", " ana@destino.example ", `"ana maria"@destino.example`, "o'hara@sub.destino.example",
	} {
		s.to, s.data = nil, nil
		mail := letter
		mail.To = to
		send(t, m, mail)
		h, _ := read(t, s.data[0])
		if list, err := h.AddressList("To"); err != nil || len(list) != 1 || len(s.to) != 1 ||
			strings.Trim(list[0].String(), "<>") != strings.Trim(to, " ") {
			t.Errorf("%s: to %v, header %v", to, s.to, h["To"])
		}
	}
}

// TestAccentsInAddress: an address with accents is used only where the server supports it.
func TestAccentsInAddress(t *testing.T) {
	t.Parallel()
	mail := letter
	mail.To = "joão@destino.example"
	plain := serve(t, false, nil)
	fails(t, mailer(t, "smtp://"+plain.address).Send(context.Background(), mail),
		"o servidor de e-mail não aceita endereços com acentos", true)

	able := serve(t, false, func(s *mailServer) { s.EnableSMTPUTF8 = true })
	send(t, mailer(t, "smtp://"+able.address), mail)
	if fmt.Sprint(able.to) != "[joão@destino.example]" || len(plain.to) != 0 {
		t.Errorf("%v, %v", able.to, plain.to)
	}
}

func TestConcurrency(t *testing.T) {
	t.Parallel()
	s := serve(t, false, func(s *mailServer) { s.password, s.AllowInsecureAuth = "s3gr3d0", true })
	m := mailer(t, "smtp://ana%40exemplo.com.br:s3gr3d0@"+s.address)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			mail := letter
			mail.ID = fmt.Sprintf("env_%d", i)
			mail.To = fmt.Sprintf("pessoa%d@destino.example", i)
			if err := m.Send(context.Background(), mail); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	ids := map[string]bool{}
	for _, raw := range s.data {
		h, _ := read(t, raw)
		ids[h.Get("Message-Id")+h.Get("To")] = true
	}
	for i := range 20 {
		if !ids[fmt.Sprintf("<env_%d@exemplo.com.br><pessoa%d@destino.example>", i, i)] {
			t.Errorf("message %d is missing", i)
		}
	}
}

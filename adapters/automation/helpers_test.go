package automation

import (
	"context"
	"encoding/binary"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// secret is the bytes 1 to 24.
const secret = "whsec_AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY"

func contact(name string) crm.ContactView {
	return crm.ContactView{
		Contact: crm.Contact{
			ID: "c1", Name: name, Email: "jose@example.com", Amount: 1500_0000, Note: "Ligar\n\nCor: azul\nutm_source: google",
			CreatedAt:   time.Unix(1767225500, 0).UTC(),
			Attribution: []crm.Attribute{{Key: "utm_source", Value: "google"}},
		},
		Origin: "Site", Funnel: "Vendas", Stage: "Novo",
	}
}

// sent is the body of call: only characters that JSON requires are escaped.
const sent = `{"type":"contact.created","timestamp":"2025-12-31T23:58:20Z","data":{"id":"c1","nome":"José <da> Silva",` +
	`"email":"jose@example.com","telefone":null,"telefoneE164":null,"empresa":null,"documentos":[],"valor":1500,` +
	`"nota":"Ligar\n\nCor: azul\nutm_source: google","respostas":{"Cor":"azul"},"origem":"Site","funil":"Vendas",` +
	`"etapa":"Novo","responsavel":null,"responsavelEmail":null,"webhook":null,` +
	`"fonte":"manual","atribuicao":{"utm_source":"google"},"criadoEm":"2025-12-31T23:58:20Z"}}`

func call(address string) ports.Call {
	return ports.Call{
		ID: "msg_2b3c", URL: address, Secret: secret, At: time.Unix(1767225600, 0).UTC(),
		Event: automation.Event{
			Name: automation.ContactCreated, At: time.Unix(1767225500, 0).UTC(), Contact: contact("José <da> Silva"),
		},
	}
}

// private returns a dispatcher that may call loopback and has a short timeout.
func private(t testing.TB, timeout time.Duration) *Dispatcher {
	t.Helper()
	d := New(true)
	d.timeout = timeout
	t.Cleanup(d.Close)
	return d
}

func serve(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

// listen answers every connection with f.
func listen(t testing.TB, f func(net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			f(c)
			c.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

// fails wants exactly this error, so that a complete text contains nothing else.
func fails(t testing.TB, err error, want ports.SendError) {
	t.Helper()
	var e *ports.SendError
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want %+v", err, want)
	}
	if *e != want {
		t.Fatalf("got %+v, want %+v", *e, want)
	}
}

func post(t testing.TB, d *Dispatcher, address string) error {
	t.Helper()
	status, err := d.Post(context.Background(), call(address))
	if status != 0 {
		t.Fatalf("status %d of a call without an answer", status)
	}
	return err
}

// nameServer answers queries over UDP on loopback, and returns a resolver that uses it. answer is called once for each
// query for IPv4 addresses, and once for IPv6; nil means that the name does not exist.
func nameServer(t testing.TB, answer func(name string, v6 bool) []netip.Addr) *net.Resolver {
	t.Helper()
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { conn.Close(); <-done })
	go func() {
		defer close(done)
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if reply := dnsReply(buf[:n], answer); reply != nil {
				_, _ = conn.WriteTo(reply, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

func dnsReply(query []byte, answer func(string, bool) []netip.Addr) []byte {
	var labels []string
	end := 12
	for end < len(query) && query[end] != 0 {
		size := int(query[end])
		labels = append(labels, string(query[end+1:end+1+size]))
		end += 1 + size
	}
	end += 5 // the root label, type and class
	kind := binary.BigEndian.Uint16(query[end-4:])
	addrs := answer(strings.Join(labels, "."), kind == 28)
	reply := append([]byte(nil), query[:end]...)
	binary.BigEndian.PutUint16(reply[2:], 0x8180)
	if addrs == nil {
		reply[3] |= 3
	}
	copy(reply[6:12], make([]byte, 6))
	for _, a := range addrs {
		if a.Is4() != (kind == 1) {
			continue
		}
		reply[7]++
		reply = append(reply, 0xC0, 12, byte(kind>>8), byte(kind), 0, 1, 0, 0, 0, 0)
		reply = binary.BigEndian.AppendUint16(reply, uint16(a.BitLen()/8))
		reply = append(reply, a.AsSlice()...)
	}
	return reply
}

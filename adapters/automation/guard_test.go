package automation

import (
	"errors"
	"net"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"fichario/ports"
)

var refused = ports.SendError{
	Reason: "endereço não permitido (rede privada ou porta diferente de 80 e 443)", Permanent: true,
}

// notPublic has the first and the last address of each refused range.
var notPublic = strings.Fields(`
	127.0.0.1 127.0.0.0 127.255.255.255 ::1 0.0.0.0 0.255.255.255 :: 10.0.0.0 10.255.255.255 172.16.0.0 172.31.255.255
	192.168.0.0 192.168.255.255 169.254.0.0 169.254.169.254 169.254.255.255 100.64.0.0 100.127.255.255 192.0.0.0
	192.0.0.192 192.0.0.255 198.18.0.0 198.19.255.255 192.0.2.1 198.51.100.1 203.0.113.255 192.88.99.1 224.0.0.1
	239.255.255.255 240.0.0.1 255.255.255.255 168.63.129.16 fc00:: fd00:ec2::254 fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff
	fe80::1 febf::1 fec0::1 ff02::1 ff0e::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::ffff:8.8.8.8 ::127.0.0.1 64:ff9b::7f00:1
	64:ff9b::808:808 64:ff9b:1::a00:1 2002:7f00:1:: 2002:a00:1::1 2001::1 2001:0:7f00:1:: 2001:db8::1 2001:10::1 2001:2::1
	3fff::1 5f00::1 100::1 4000::1 fe80::1%lo ::1%lo 2001:db8::1%lo`)

func TestGuard(t *testing.T) {
	t.Parallel()
	for _, s := range notPublic {
		a := netip.MustParseAddr(s)
		network := "tcp6"
		if a.Is4() {
			network = "tcp4"
		}
		for _, port := range []uint16{80, 443} {
			if refusePrivate(network, netip.AddrPortFrom(a, port).String(), nil) == nil {
				t.Errorf("%s may be called", s)
			}
		}
	}
	for address, allowed := range map[string]bool{
		"8.8.8.8:80": true, "1.1.1.1:443": true, "172.15.255.255:80": true, "172.32.0.0:80": true, "100.63.255.255:80": true,
		"100.128.0.0:80": true, "192.167.255.255:80": true, "223.255.255.255:443": true, "168.63.129.17:80": true,
		"8.8.8.8:8080": false, "8.8.8.8:22": false, "8.8.8.8:0": false, "nome:80": false, "8.8.8.8": false,
	} {
		if got := refusePrivate("tcp4", address, nil) == nil; got != allowed {
			t.Errorf("%s: allowed is %t", address, got)
		}
	}
	for address, allowed := range map[string]bool{
		"[2606:4700:4700::1111]:443": true, "[2a00:1450::1]:80": true, "[2606:4700:4700::1111]:25": false,
	} {
		if got := refusePrivate("tcp6", address, nil) == nil; got != allowed {
			t.Errorf("%s: allowed is %t", address, got)
		}
	}
	if refusePrivate("udp4", "8.8.8.8:443", nil) == nil {
		t.Error("UDP is allowed")
	}
}

// TestPrivateTargets does the same through the dispatcher, with literals and with names that resolve to them.
func TestPrivateTargets(t *testing.T) {
	t.Parallel()
	d := New(false)
	t.Cleanup(d.Close)
	var target atomic.Pointer[netip.Addr]
	resolver := nameServer(t, func(_ string, v6 bool) []netip.Addr {
		if a := *target.Load(); a.Is6() == v6 {
			return []netip.Addr{a}
		}
		return []netip.Addr{}
	})
	named := newDispatcher(&net.Dialer{Control: refusePrivate, Resolver: resolver}, true)
	t.Cleanup(named.Close)
	for _, s := range notPublic {
		a := netip.MustParseAddr(s)
		host := s
		if a.Is6() {
			host = "[" + strings.ReplaceAll(s, "%", "%25") + "]"
		}
		for _, address := range []string{"http://" + host, "https://" + host + ":443/x"} {
			if s == "::ffff:8.8.8.8" {
				continue // dialled as 8.8.8.8, which is public
			}
			fails(t, post(t, d, address), refused)
		}
		if a.Zone() == "" && !a.Is4In6() { // no record has a zone, and Go dials a mapped address as IPv4
			target.Store(&a)
			fails(t, post(t, named, "https://publico.example"), refused)
		}
	}
}

func TestDisguises(t *testing.T) {
	t.Parallel()
	d := New(false)
	t.Cleanup(d.Close)
	for _, host := range []string{
		"127.1", "127.0.1", "0x7f000001", "0x7F.1", "2130706433", "0177.0.0.1", "017700000001", "127.0.0.01", "127.0.0.1.",
		"0", "0x", "127.0.0.0x1", "exemplo.127", "localhost", "LOCALHOST", "[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]",
		"127。0。0。1", "127.0.0.1", "①②⑦.⓪.⓪.①",
	} {
		fails(t, post(t, d, "http://"+host+"/"), refused)
	}
	for _, host := range []string{
		"exemplo.com.br", "a1", "1a", "127.0.0.1.example", "x.0xfg", "8.8.8.8", "2001:db8::1", "fe80::1%eth0",
	} {
		if disguised(host) {
			t.Errorf("%s is taken for a disguised address", host)
		}
	}
}

// verdicts records the guard's verdict on each address, and then refuses to connect: no test leaves the machine.
type verdicts struct {
	mu  sync.Mutex
	all []string
}

func (v *verdicts) control(network, address string, c syscall.RawConn) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := refusePrivate(network, address, c); err != nil {
		v.all = append(v.all, "refused "+address)
		return err
	}
	v.all = append(v.all, "allowed "+address)
	return errors.New("the test stops here")
}

// TestRebinding: a name resolves to a public address first, and to a private one afterwards.
func TestRebinding(t *testing.T) {
	t.Parallel()
	var queries atomic.Int32
	resolver := nameServer(t, func(_ string, v6 bool) []netip.Addr {
		switch {
		case v6:
			return []netip.Addr{}
		case queries.Add(1) == 1:
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}
		}
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	})
	v := &verdicts{}
	d := newDispatcher(&net.Dialer{Control: v.control, Resolver: resolver}, true)
	t.Cleanup(d.Close)
	fails(t, post(t, d, "http://muda.example"), ports.SendError{Reason: "a conexão falhou"})
	fails(t, post(t, d, "http://muda.example"), refused)
	if got := strings.Join(v.all, ", "); got != "allowed 8.8.8.8:80, refused 127.0.0.1:80" {
		t.Error(got)
	}
	if n := queries.Load(); n != 2 {
		t.Errorf("%d queries for 2 connections", n)
	}
}

// TestMixedAnswer: a name resolves to both kinds: each address is checked.
func TestMixedAnswer(t *testing.T) {
	t.Parallel()
	v := &verdicts{}
	d := newDispatcher(&net.Dialer{Control: v.control, Resolver: nameServer(t, func(string, bool) []netip.Addr {
		return []netip.Addr{netip.MustParseAddr("10.0.0.1"), netip.MustParseAddr("8.8.8.8"), netip.MustParseAddr("::1")}
	})}, true)
	t.Cleanup(d.Close)
	if post(t, d, "https://misto.example") == nil {
		t.Error("no error")
	}
	for _, s := range v.all {
		if strings.HasPrefix(s, "allowed") && s != "allowed 8.8.8.8:443" {
			t.Error(s)
		}
	}
}

func TestURLs(t *testing.T) {
	t.Parallel()
	d := private(t, callTime)
	for _, address := range []string{
		"", "/caminho", "exemplo.com", "ftp://exemplo.com", "file:///etc/passwd", "gopher://exemplo.com",
		"javascript:alert(1)", "http://", "http:///x", "http:exemplo.com", "https://ana:segredo@exemplo.com",
		"https://ana@exemplo.com", "http://exemplo.com:0", "http://exemplo.com:65536", "http://exemplo.com:porta",
		"http://ex emplo.com", "http://exemplo.com/\r\nX: y", "http://[::1", "://", "http://%31%32%37.1",
	} {
		fails(t, post(t, d, address), ports.SendError{
			Reason: "endereço inválido (use http ou https, sem usuário e senha)", Permanent: true,
		})
	}
	public := New(false)
	t.Cleanup(public.Close)
	fails(t, post(t, public, "http://8.8.8.8:8080"), refused)
	if d.transport.Proxy != nil {
		t.Error("a proxy is used")
	}
}

package bureau_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"fichario/adapters/bureau"
	"fichario/ports"
)

// posting is a file whose bureau is asked by POST; %s stands for the base URL, more keys, and the request's own.
const posting = `name: teste
base_url: %s
%s
products:
  cpf:
    price: "0.45"
    request: { method: POST, path: /consulta, %s }
    fields: { nome: .nome, sexo: .sexo }
`

func TestForms(t *testing.T) {
	t.Parallel()
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		if r.Header.Get("Content-Type") != "application/x-www-form-urlencoded" ||
			string(b) != "cpf="+cpf+"&token=a%26b%7Bdocumento%7D" {
			t.Errorf("got %s as %s", b, r.Header.Get("Content-Type"))
		}
		_, _ = io.WriteString(w, `{"nome":"ANA"}`)
	})
	src := fmt.Sprintf(posting, url, "", `form: { token: "${T}", cpf: "{documento}", motivo: "x{finalidade}" }`)
	c := bureau.New(parse(t, src, "T", "a&b{documento}"))
	t.Cleanup(c.Close)
	if a, err := ask(t, c); err != nil || !strings.Contains(string(a.Fields), "ANA") {
		t.Errorf("got %s, %v", a.Fields, err)
	}
}

// TestXML: the rule by which an XML answer becomes JSON.
func TestXML(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ xml, jq, want string }{
		"a text":               {`<r><nome> ANA </nome></r>`, `.r.nome`, `"ANA"`},
		"a root alone":         {`<nome>ANA</nome>`, `.nome`, `"ANA"`},
		"empty":                {`<r><nome/></r>`, `.r | tojson`, `{\"nome\":\"\"}`},
		"once, and twice":      {`<r><a>1</a><b>2</b><b>3</b></r>`, `.r | tojson`, `{\"a\":\"1\",\"b\":[\"2\",\"3\"]}`},
		"as a list either way": {`<r><a>1</a></r>`, `[.r.a] | flatten | tojson`, `[\"1\"]`},
		"attributes":           {`<r cod="7"><nome tipo="x">ANA</nome></r>`, `.r | tojson`, `{\"@cod\":\"7\",\"nome\":{\"#text\":\"ANA\",\"@tipo\":\"x\"}}`},
		"prefixes":             {`<s:E xmlns:s="urn:s" xmlns="urn:d"><s:Body><r>ANA</r></s:Body></s:E>`, `.E.Body | tojson`, `{\"r\":\"ANA\"}`},
		"nil":                  {`<r xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="x"><a i:nil="true"/><b i:type="s">1</b></r>`, `.r | tojson`, `{\"a\":null,\"b\":\"1\"}`},
		"entities":             {`<r>&lt;&#65;&amp;<![CDATA[<b>]]></r>`, `.r`, `"<A&<b>"`},
		"a comment":            {`<?xml version="1.0"?><!-- x --><r>A<!-- y -->B</r>`, `.r`, `"AB"`},
		"Latin-1":              {"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><r>JO\xc3O</r>", `.r`, `"JOÃO"`},
		"Latin-1 in name only": {`<?xml version="1.0" encoding="ISO-8859-1"?><r>JOÃO</r>`, `.r`, `"JOÃO"`},
		"a mark":               {"\xef\xbb\xbf<r>ANA</r>", `.r`, `"ANA"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, _ := serve(t, body(200, c.xml))
			src := strings.Replace(fmt.Sprintf(basic, url, "answer: xml"), "nome: .nome, sexo: .sexo", "nome: '"+c.jq+"'", 1)
			a, err := ask(t, client(t, src))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(a.Fields), `"nome":`) || !strings.Contains(string(a.Fields), c.want) {
				t.Errorf("got %s, want %s", a.Fields, c.want)
			}
			var text string
			want := strings.ReplaceAll(strings.TrimPrefix(c.xml, "\xef\xbb\xbf"), "\xc3O", "ÃO")
			if err := json.Unmarshal(a.Raw, &text); err != nil || text != want {
				t.Errorf("the original is %s, %v", a.Raw, err)
			}
		})
	}
}

func TestNoXML(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		``, `ANA`, `{"nome":"ANA"}`, `<r>`, `<r></a>`, `<r/><r/>`, `<r/>x`, `<!DOCTYPE html><r/>`, `<html><body/></html>`,
		`<!DOCTYPE r [<!ENTITY a "b">]><r>&a;</r>`, `<r>&a;</r>`, "<r>\xff</r>", strings.Repeat("<a>", 300) + strings.Repeat("</a>", 300),
	} {
		url, _ := serve(t, body(200, text))
		_, err := ask(t, client(t, fmt.Sprintf(basic, url, "answer: xml")))
		wantError(t, err, ports.Failed, "answer is ")
	}
	url, _ := serve(t, body(404, `nada consta`))
	a, err := ask(t, client(t, fmt.Sprintf(basic, url, "answer: xml")))
	if err != nil || a.Found || string(a.Raw) != `"nada consta"` {
		t.Errorf("no record: %s, %v", a.Raw, err)
	}
}

// TestSOAP: an envelope is a template, whose values cannot break it, and a fault in a 500 can be told apart.
func TestSOAP(t *testing.T) {
	t.Parallel()
	const envelope = `<?xml version="1.0"?><s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>%s</s:Body></s:Envelope>`
	var fault atomic.Bool
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		want := fmt.Sprintf(envelope, `<c:Consulta xmlns:c="urn:c"><senha>&lt;s&amp;&#34;}</senha><cpf>`+cpf+`</cpf></c:Consulta>`)
		if got := strings.TrimSpace(string(b)); got != want || r.Header.Get("Content-Type") != "text/xml; charset=utf-8" ||
			r.Header.Get("Soapaction") != "urn:c#Consulta" || !strings.HasPrefix(r.Header.Get("Accept"), "text/xml") {
			t.Errorf("got\n%s\nwant\n%s\n%v", got, want, r.Header)
		}
		if fault.Load() {
			w.WriteHeader(500)
			_, _ = fmt.Fprintf(w, envelope, `<s:Fault><faultcode>s:Client</faultcode><faultstring>saldo</faultstring></s:Fault>`)
			return
		}
		_, _ = fmt.Fprintf(w, envelope, `<r xmlns="urn:c"><nome>ANA</nome></r>`)
	})
	src := `name: teste
base_url: ` + url + `
headers: { Content-Type: text/xml; charset=utf-8, SOAPAction: "urn:c#Consulta" }
answer: xml
exhausted: { status: 500, when: .body.Envelope.Body.Fault.faultstring == "saldo", until: manual }
products:
  cpf:
    price: "0.45"
    request:
      method: POST
      path: /
      body: |
        ` + fmt.Sprintf(envelope, `<c:Consulta xmlns:c="urn:c"><senha>${SENHA}</senha><cpf>{documento}</cpf></c:Consulta>`) + `
    fields: { nome: .Envelope.Body.r.nome }
`
	c := bureau.New(parse(t, src, "SENHA", `<s&"}`))
	t.Cleanup(c.Close)
	if a, err := ask(t, c); err != nil || !strings.Contains(string(a.Fields), `"nome":"ANA"`) {
		t.Errorf("got %s, %v", a.Fields, err)
	}
	fault.Store(true)
	_, err := ask(t, c)
	wantError(t, err, ports.Exhausted, "no credit")
}

// TestLogin: a token is fetched by a JSON object, kept for as long as its server says, and renewed once after a 401.
func TestLogin(t *testing.T) {
	t.Parallel()
	const file = `name: teste
base_url: http://x.invalid
auth: { login: { url: "http://x.invalid/entrar", body: { usuario: "${U}", senha: "${S}" }, token: .dados.token, expires: %s } }
not_charged: [401]
products: { cpf: { price: "0.45", request: { path: "/{documento}" }, fields: { nome: .nome } } }
`
	for _, c := range []struct {
		expires, answer string
		life            time.Duration
	}{
		{".dados.segundos", `{"dados":{"token":"tok","segundos":7200}}`, 7140 * time.Second},
		{".dados.segundos", `{"dados":{"token":"tok","segundos":"600"}}`, 540 * time.Second},
		{".dados.minutos * 60", `{"dados":{"token":"tok","minutos":10}}`, 540 * time.Second},
		{".dados.segundos", `{"dados":{"token":"tok"}}`, 270 * time.Second},
		{".dados.segundos", `{"dados":{"token":"tok","segundos":-1}}`, 270 * time.Second},
		{".dados.segundos", `{"dados":{"token":"tok","segundos":1e9}}`, 24*time.Hour - time.Minute},
	} {
		synctest.Test(t, func(t *testing.T) {
			var logins, refusals atomic.Int32
			dial, stop := pipes(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/entrar" {
					b, _ := io.ReadAll(r.Body)
					if string(b) != `{"senha":"\"s","usuario":"u"}` || r.Header.Get("Content-Type") != "application/json" ||
						r.Method != "POST" {
						t.Errorf("got %s", b)
					}
					logins.Add(1)
					body(201, c.answer)(w, r)
					return
				}
				if r.Header.Get("Authorization") != "Bearer tok" || refusals.Add(-1) >= 0 {
					w.WriteHeader(401)
					return
				}
				body(200, `{}`)(w, r)
			})
			defer stop()
			cl := bureau.New(parse(t, fmt.Sprintf(file, c.expires), "U", "u", "S", `"s`), bureau.WithDialContext(dial))
			defer cl.Close()
			asking := func(want int32) {
				t.Helper()
				if _, err := ask(t, cl); err != nil || logins.Load() != want {
					t.Errorf("%s: %d sign-ins, want %d, %v", c.answer, logins.Load(), want, err)
				}
			}
			asking(1)
			time.Sleep(c.life - time.Second)
			asking(1)
			time.Sleep(2 * time.Second)
			asking(2)
			refusals.Store(1)
			asking(3)
		})
	}
}

func TestLoginFails(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"refused": body(403, `{"token":"tok"}`), "no token": body(200, `{}`), "no JSON": body(200, `<html>`),
		"a number": body(200, `{"token":7}`), "a line": body(200, `{"token":"a\nb"}`),
	} {
		url, calls := serve(t, h)
		src := fmt.Sprintf(basic, url, `auth: { login: { url: "`+url+`", body: { a: b }, token: .token } }`)
		_, err := ask(t, client(t, src))
		wantError(t, err, ports.NotSent, "no token")
		if calls.Load() != 1 {
			t.Errorf("%s: %d calls", name, calls.Load())
		}
	}
}

// seen is a tracer that keeps everything that it is told.
type seen struct {
	oneTrace
	told *lockedBuffer
}

func (s seen) Begin(ctx context.Context, _ ports.SpanKind, name string) (context.Context, ports.Span) {
	fmt.Fprintln(s.told, name)
	return ctx, s
}
func (s seen) Set(key, value string) { fmt.Fprintln(s.told, key, value) }
func (s seen) Fail(code string)      { fmt.Fprintln(s.told, code) }

// TestAKeyInTheQuery: it is in every request, and nowhere else.
func TestAKeyInTheQuery(t *testing.T) {
	t.Parallel()
	const secret = "CHAVE+SECRETA"
	var status atomic.Int32
	asked := 0
	url, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Query().Get("chave") != secret || r.URL.Path == "/pessoas/"+cpf && r.URL.Query().Get("v") != "2" {
			t.Errorf("got %s", r.URL)
		}
		w.Header().Set("Location", r.URL.String())
		body(int(status.Load()), `{"nome":7,"eco":"`+r.URL.RawQuery+`"}`)(w, r)
	})
	var out lockedBuffer
	src := fmt.Sprintf(basic, url, `auth: { query: { chave: "${K}" } }
not_found: { status: [404], check: { path: /vivo } }
not_charged: [402]`)
	src = strings.Replace(src, `path: "/pessoas/{documento}"`, `path: "/pessoas/{documento}", query: { v: 2 }`, 1)
	handler := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
	for _, address := range []string{url, "http://127.0.0.1:1", "http://nada.invalid"} {
		c := bureau.New(parse(t, strings.Replace(src, url, address, 1), "K", secret), bureau.WithLogger(slog.New(handler)))
		ctx, _ := ports.Trace(ports.WithTracer(t.Context(), seen{told: &out}), ports.Serving, "request")
		for _, code := range []int32{200, 302, 402, 404, 500} {
			status.Store(code)
			a, err := c.Ask(ctx, question(t, c, "cpf", cpf))
			fmt.Fprintln(&out, err, string(a.Fields))
		}
		c.Close()
	}
	if text := out.String(); asked != 6 || !strings.Contains(text, "bureau call failed") ||
		!strings.Contains(text, "fichario.bureau") {
		t.Errorf("the test saw too little: %d calls\n%s", asked, out.String())
	}
	if strings.Contains(out.String(), "SECRETA") || strings.Contains(out.String(), "127.0.0.1") {
		t.Errorf("the key is shown:\n%s", out.String())
	}
}

// certificate writes a certificate and its key, signed by itself, and returns their paths.
func certificate(t *testing.T, dir, name string) (cert, key string, pair tls.Certificate) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-time.Hour),
		NotAfter: time.Now().Add(time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true,
		BasicConstraintsValid: true,
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, about, about, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	cert, key = filepath.Join(dir, name+".pem"), filepath.Join(dir, name+".key")
	for path, block := range map[string]*pem.Block{
		cert: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(path, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if pair, err = tls.LoadX509KeyPair(cert, key); err != nil {
		t.Fatal(err)
	}
	return cert, key, pair
}

// TestMutualTLS: the client shows its certificate, and trusts the authority that the file names and no other.
func TestMutualTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	serverCert, _, serverPair := certificate(t, dir, "server")
	cert, key, _ := certificate(t, dir, "client")
	others, othersKey, _ := certificate(t, dir, "other")
	pool := x509.NewCertPool()
	text, err := os.ReadFile(cert)
	if err != nil || !pool.AppendCertsFromPEM(text) {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(body(200, `{"nome":"ANA"}`))
	s.TLS = &tls.Config{
		Certificates: []tls.Certificate{serverPair}, ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool,
	}
	s.Config.ErrorLog = discardLog()
	s.StartTLS()
	t.Cleanup(s.Close)
	// With TLS 1.3 a server refuses a certificate when the request may be on its way, or not yet.
	const either ports.BureauOutcome = "either"
	for _, c := range []struct {
		name, keys string
		outcome    ports.BureauOutcome
	}{
		{"all three", `tls: { cert: "${CERT}", key: "` + key + `", ca: "` + serverCert + `" }`, ""},
		{"another authority", `tls: { cert: "${CERT}", key: "` + key + `", ca: "` + others + `" }`, ports.NotSent},
		{"only the system's authorities", "", ports.NotSent},
		{"no certificate", `tls: { ca: "` + serverCert + `" }`, either},
		{"another certificate", `tls: { cert: "` + others + `", key: "` + othersKey + `", ca: "` + serverCert + `" }`, either},
	} {
		cl := bureau.New(parse(t, fmt.Sprintf(basic, s.URL, c.keys), "CERT", cert))
		t.Cleanup(cl.Close)
		a, err := ask(t, cl)
		if c.outcome == either && errors.As(err, new(*ports.BureauError)) {
			continue
		}
		if c.outcome != "" {
			wantError(t, err, c.outcome, "")
		} else if err != nil || !strings.Contains(string(a.Fields), "ANA") {
			t.Errorf("%s: %s, %v", c.name, a.Fields, err)
		}
	}
	_, err = bureau.Parse("x", fmt.Appendf(nil, basic, s.URL, `tls: { cert: "`+cert+`", key: "`+othersKey+`" }`), noEnv)
	if err == nil || !strings.Contains(err.Error(), "line 3: tls.cert: the two files are not a certificate and its key") {
		t.Errorf("the key of another certificate: %v", err)
	}
}

// FuzzXML: any bytes as an XML answer are refused, or are read and kept as one text.
func FuzzXML(f *testing.F) {
	for _, s := range []string{
		`<r a="1"><b>x</b><b/>y</r>`, `<?xml version="1.0" encoding="iso-8859-1"?><r>` + "\xe3</r>", `<a xmlns:i="` +
			`http://www.w3.org/2001/XMLSchema-instance" i:nil="1"/>`, `<!DOCTYPE a><a/>`, "", `{"a":1}`, `<a>&#0;</a>`, `<a/><b/>`,
	} {
		f.Add([]byte(s))
	}
	src := strings.Replace(fmt.Sprintf(basic, "http://x.invalid", "answer: xml\nfailed: '[.. | numbers, booleans] != []'"),
		"nome: .nome, sexo: .sexo", "nome: '[.. | strings] | join(\" \")'", 1)
	c := client(f, src)
	p := product(f, c, "cpf")
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := c.Examine(t.Context(), ports.Question{Product: p, Document: doc(t, "cpf", cpf)}, raw)
		if err != nil {
			if !strings.Contains(err.Error(), "answer is ") {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		var text string
		if json.Unmarshal(got.Raw, &text) != nil || len(bytes.TrimSpace([]byte(text))) == 0 || !json.Valid(got.Fields) {
			t.Errorf("accepted %q as %q with %s", raw, got.Raw, got.Fields)
		}
	})
}

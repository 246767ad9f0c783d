package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"fichario/adapters/bureau"
	"fichario/adapters/sandbox"
	"fichario/domain/catalog"
	"fichario/domain/document"
	"fichario/ports"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func newClient(t testing.TB, timeout string) *bureau.Client {
	t.Helper()
	src := strings.Replace(string(sandbox.File()), "timeout: 5s", "timeout: "+timeout, 1)
	f, err := bureau.Parse("sandbox.yaml", []byte(src), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatalf("sandbox.yaml has faults:\n%v", err)
	}
	dial, stop := sandbox.Start()
	c := bureau.New(f, bureau.WithDialContext(dial))
	t.Cleanup(func() {
		c.Close()
		stop()
	})
	return c
}

func ask(t testing.TB, c *bureau.Client, p catalog.Product, typ document.Type, value string) (ports.Answer, error) {
	t.Helper()
	d, err := document.Parse(typ, value)
	if err != nil {
		t.Fatalf("%s %s: %v", typ, value, err)
	}
	return c.Ask(t.Context(), p, d)
}

func TestFileMapsAllProducts(t *testing.T) {
	t.Parallel()
	c := newClient(t, "5s")
	prices := map[string]string{
		"cpf": "0.45", "cnpj": "0.3", "situacao_cadastral": "0.15", "obito": "0.12", "participacao_societaria": "0.9",
		"protestos": "2.075", "score": "1.5", "veiculo": "1.25", "validacao_email": "0.08",
	}
	standard := catalog.Standard()
	got := c.Catalog()
	if len(got) != len(standard) || c.Timeout() != 5*time.Second {
		t.Fatalf("%d products, timeout %s", len(got), c.Timeout())
	}
	for i, p := range got {
		if p.ID != standard[i].ID || !reflect.DeepEqual(p.Documents, standard[i].Documents) || p.Price.String() != prices[p.ID] {
			t.Errorf("%s costs %s and takes %v", p.ID, p.Price, p.Documents)
		}
	}
}

// TestScripts asks for every product with every published document.
func TestScripts(t *testing.T) {
	t.Parallel()
	// One client for each effect, so that failures do not open the circuit for the
	// others.
	clients := map[sandbox.Effect]*bureau.Client{}
	for _, s := range sandbox.Scripts() {
		c := clients[s.Effect]
		if c == nil {
			c = newClient(t, map[bool]string{true: "300ms", false: "5s"}[s.Effect == sandbox.Timeout])
			clients[s.Effect] = c
		}
		for _, p := range c.Catalog() {
			if !p.Takes(s.Type) {
				continue
			}
			t.Run(string(s.Effect)+"/"+p.ID+"/"+string(s.Type), func(t *testing.T) {
				t.Parallel()
				if s.Effect == sandbox.Slow && p.ID != "cpf" {
					t.Skip("two seconds are enough once")
				}
				start := time.Now()
				a, err := ask(t, c, p, s.Type, s.Document)
				checkEffect(t, s, p, a, err)
				if s.Effect == sandbox.Slow && time.Since(start) < sandbox.SlowDelay {
					t.Errorf("slow took %s", time.Since(start))
				}
			})
		}
	}
}

// failures are the effects that give no answer, and what the client makes of them.
var failures = map[sandbox.Effect]ports.BureauError{
	sandbox.Timeout: {Outcome: ports.NoAnswer, Reason: "no answer in time"},
	sandbox.Error:   {Outcome: ports.Failed, Reason: "status 500"},
	sandbox.NotJSON: {Outcome: ports.Failed, Reason: "answer is not JSON"},
	sandbox.Reset:   {Outcome: ports.Failed},
}

func checkEffect(t *testing.T, s sandbox.Script, p catalog.Product, a ports.Answer, err error) {
	t.Helper()
	if want, fails := failures[s.Effect]; fails {
		var e *ports.BureauError
		if !errors.As(err, &e) || e.Outcome != want.Outcome || !strings.Contains(e.Reason, want.Reason) {
			t.Fatalf("got %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(a.Dropped) > 0 {
		t.Errorf("dropped %v", a.Dropped)
	}
	values := fields(t, a)
	some := false
	for _, f := range p.Fields {
		v, there := values[f.Name]
		if !there {
			t.Errorf("no field %s in %s", f.Name, a.Fields)
		}
		some = some || v != nil
		// obitoEm of the living is null, and everything else is there.
		if s.Effect == sandbox.Ordinary && v == nil && f.Name != "obitoEm" {
			t.Errorf("an ordinary answer lacks %s", f.Name)
		}
	}
	notFound := s.Effect == sandbox.NotFound || s.Effect == sandbox.NotFoundEmpty
	if a.Found == notFound || some == (notFound || s.Effect == sandbox.Nulls) {
		t.Errorf("found %v, fields %s", a.Found, a.Fields)
	}
	if s.Effect == sandbox.NotFoundEmpty && string(a.Raw) != "null" {
		t.Errorf("raw %s", a.Raw)
	}
	if s.Effect == sandbox.NotFound && !strings.Contains(string(a.Raw), "nenhum registro") {
		t.Errorf("raw %s", a.Raw)
	}
	checkValues(t, s, p, values)
}

func checkValues(t *testing.T, s sandbox.Script, p catalog.Product, v map[string]any) {
	t.Helper()
	is := func(name string, want any) {
		if f, has := p.Field(name); has && !reflect.DeepEqual(v[f.Name], want) {
			t.Errorf("%s is %v, want %v", name, v[name], want)
		}
	}
	switch s.Effect {
	case sandbox.Deceased:
		is("obito", true)
		is("situacao", "TITULAR FALECIDO")
		is("situacaoCadastral", "TITULAR FALECIDO")
		if p.ID == "obito" && v["obitoEm"] == nil {
			t.Error("a death without a date")
		}
	case sandbox.Irregular:
		want := map[document.Type]string{document.CPF: "SUSPENSA", document.CNPJ: "INAPTA"}[s.Type]
		is("situacao", want)
		is("situacaoCadastral", want)
	case sandbox.WhatsAppYes, sandbox.WhatsAppNo, sandbox.WhatsAppUnknown:
		want := map[sandbox.Effect]any{sandbox.WhatsAppYes: true, sandbox.WhatsAppNo: false, sandbox.WhatsAppUnknown: nil}[s.Effect]
		phones, _ := v["telefones"].([]any)
		if _, has := p.Field("telefones"); has && len(phones) == 0 {
			t.Error("no phones")
		}
		for _, phone := range phones {
			if got := phone.(map[string]any)["whatsapp"]; got != want {
				t.Errorf("whatsapp is %v, want %v", got, want)
			}
		}
	case sandbox.Single:
		for _, name := range []string{"telefones", "emails", "enderecos", "socios", "participacoes", "atividadesSecundarias", "protestos"} {
			if _, has := p.Field(name); has {
				if l, _ := v[name].([]any); len(l) != 1 {
					t.Errorf("%s has %d elements, want one", name, len(l))
				}
			}
		}
	case sandbox.NoPartners:
		is("socios", nil)
	}
}

func fields(t testing.TB, a ports.Answer) map[string]any {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal(a.Fields, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// TestAnyDocument asks for documents that are not published.
func TestAnyDocument(t *testing.T) {
	t.Parallel()
	c := newClient(t, "5s")
	for typ, values := range map[document.Type][]string{
		document.CPF:   {"11144477735", "40442820135", "00000000191"},
		document.CNPJ:  {"1345C3A5000106", "ZZ999YY888XX24", "00000000000191"},
		document.Plate: {"XYZ9876", "BRA2E19"},
		document.Email: {"bia+x@exemplo.com.br", "a{b}%/?#c@x-y.io"},
	} {
		for _, value := range values {
			for _, p := range c.Catalog() {
				if !p.Takes(typ) {
					continue
				}
				a, err := ask(t, c, p, typ, value)
				b, err2 := ask(t, c, p, typ, value)
				if err != nil || err2 != nil || !a.Found || len(a.Dropped) > 0 || string(a.Raw) != string(b.Raw) || string(a.Fields) != string(b.Fields) {
					t.Errorf("%s of a %s: %v, %v, dropped %v", p.ID, typ, err, err2, a.Dropped)
				}
			}
		}
	}
}

// TestTraps holds that the answers carry what real bureaus carry.
func TestTraps(t *testing.T) {
	t.Parallel()
	c := newClient(t, "5s")
	p, _ := c.Catalog().Find("cpf")
	a, err := ask(t, c, p, document.CPF, "52998224725")
	if err != nil {
		t.Fatal(err)
	}
	company, _ := c.Catalog().Find("cnpj")
	b, err := ask(t, c, company, document.CNPJ, "11222333000181")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"saldoDeCreditos": 1500.50`, `Isto \u00e9 um`, `"latitude": 0.0`, `"operadora": "`, `"codigoOcupacao": -1`, `"codigoOcupacao": `, "{\n  \"sucesso\": true,"} {
		if !strings.Contains(string(a.Raw), want) {
			t.Errorf("a person's answer has no %s", want)
		}
	}
	if !strings.Contains(string(b.Raw), `"codigoOcupacao": `) {
		t.Error("a partner has no codigoOcupacao")
	}
	if !regexp.MustCompile(`"capitalSocial":\d+\.50`).Match(b.Fields) {
		t.Errorf("the digits of capitalSocial are not the bureau's: %s", b.Fields)
	}
	single, _ := c.Catalog().Find("cpf")
	for _, s := range sandbox.Scripts() {
		if s.Type != document.CPF || s.Effect != sandbox.Single && s.Effect != sandbox.Nulls {
			continue
		}
		r, err := ask(t, c, single, s.Type, s.Document)
		if err != nil {
			t.Fatal(err)
		}
		if s.Effect == sandbox.Single && !strings.Contains(string(r.Raw), `"telefones": {`) {
			t.Error("one phone is not an object")
		}
		if s.Effect == sandbox.Nulls && (!strings.Contains(string(r.Raw), `"0001-01-01T00:00:00Z"`) || !strings.Contains(string(r.Raw), `"nomeCompleto": ""`)) {
			t.Error("nulls has no sentinels")
		}
	}
}

func TestPublishedDocuments(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range sandbox.Scripts() {
		if _, err := document.Parse(s.Type, s.Document); err != nil {
			t.Errorf("%s %s: %v", s.Type, s.Document, err)
		}
		if seen[s.Document] || s.What == "" || s.Effect == "" {
			t.Errorf("%s is twice here, or without words", s.Document)
		}
		seen[s.Document] = true
	}
	for _, d := range []string{"52998224725", "11222333000181", "12ABC34501DE35"} {
		if !seen[d] {
			t.Errorf("%s is not published", d)
		}
	}
}

// TestOverTCP serves the handler on a real port, where Reset is a real reset.
func TestOverTCP(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(sandbox.Handler())
	t.Cleanup(s.Close)
	src := strings.Replace(string(sandbox.File()), "http://sandbox.invalid", s.URL, 1)
	f, err := bureau.Parse("x", []byte(src), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	c := bureau.New(f)
	t.Cleanup(c.Close)
	p, _ := c.Catalog().Find("cpf")
	if _, err := ask(t, c, p, document.CPF, "52998224725"); err != nil {
		t.Error(err)
	}
	for _, script := range sandbox.Scripts() {
		if script.Type == document.CPF && script.Effect == sandbox.Reset {
			_, err := ask(t, c, p, document.CPF, script.Document)
			var e *ports.BureauError
			if !errors.As(err, &e) || e.Outcome != ports.Failed || e.Reason != "connection reset" {
				t.Errorf("got %v", err)
			}
		}
	}
	for path, want := range map[string]int{"/v1/pessoas/123": 400, "/nada": 400, "/v1/veiculos/52998224725": 400} {
		res, err := http.Get(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		b, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != want || !json.Valid(b) {
			t.Errorf("%s: %d %s", path, res.StatusCode, b)
		}
	}
}

// TestTimeoutEndsWithTheClient holds that the handler stops when the client goes.
func TestTimeoutEndsWithTheClient(t *testing.T) {
	t.Parallel()
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sandbox.Handler().ServeHTTP(w, r)
		close(done)
	}))
	t.Cleanup(s.Close)
	silent := ""
	for _, script := range sandbox.Scripts() {
		if script.Type == document.CPF && script.Effect == sandbox.Timeout {
			silent = script.Document
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	req, _ := http.NewRequestWithContext(ctx, "GET", s.URL+"/v1/pessoas/"+silent, nil)
	if _, err := http.DefaultClient.Do(req); err == nil {
		t.Error("it answered")
	}
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Error("the handler still waits")
	}
	http.DefaultClient.CloseIdleConnections()
}

// TestStopWhileBusy stops the server under load: goleak sees to the rest.
func TestStopWhileBusy(t *testing.T) {
	t.Parallel()
	dial, stop := sandbox.Start()
	f, err := bureau.Parse("x", sandbox.File(), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	c := bureau.New(f, bureau.WithDialContext(dial))
	defer c.Close()
	p, _ := c.Catalog().Find("cpf")
	var wg sync.WaitGroup
	started := make(chan struct{}, 100)
	for range 16 {
		wg.Go(func() {
			for range 50 {
				_, err := ask(t, c, p, document.CPF, "52998224725")
				select {
				case started <- struct{}{}:
				default:
				}
				if err != nil {
					return
				}
			}
		})
	}
	<-started
	stop()
	stop()
	wg.Wait()
	if _, err := dial(t.Context(), "tcp", "x:80"); err == nil {
		t.Error("a stopped sandbox takes connections")
	}
	var op *net.OpError
	if _, err := dial(t.Context(), "tcp", "x:80"); !errors.As(err, &op) {
		t.Errorf("got %v", err)
	}
}

func BenchmarkAsk(b *testing.B) {
	c := newClient(b, "5s")
	p, _ := c.Catalog().Find("cpf")
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if _, err := ask(b, c, p, document.CPF, "52998224725"); err != nil {
				b.Error(err)
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "calls/s")
}

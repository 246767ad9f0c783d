package sandbox_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
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

// client is set up as for FICHARIO_BUREAU=sandbox: the bureau client, the sandbox's file, in-process connections.
func client(t testing.TB) *bureau.Client { return clientOf(t, sandbox.New(), sandbox.Plain) }

func clientOf(t testing.TB, b *sandbox.Bureau, name string) *bureau.Client {
	t.Helper()
	file, err := bureau.Parse(name, sandbox.File(name), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	dial, stop := b.Start()
	c := bureau.New(file, bureau.WithDialContext(dial), bureau.WithoutBreaker(), bureau.WithRefusals(b.Refuses(name)))
	t.Cleanup(func() {
		c.Close()
		stop()
	})
	return c
}

func parse(t testing.TB, typ document.Type, text string) document.Document {
	t.Helper()
	d, err := document.Parse(typ, text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func fields(t *testing.T, a ports.Answer) map[string]any {
	t.Helper()
	out := map[string]any{}
	if err := json.Unmarshal(a.Fields, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestEveryProductIsCompleteForOrdinaryDocuments(t *testing.T) {
	t.Parallel()
	c := client(t)
	if got, want := len(c.Catalog()), len(catalog.Standard()); got != want {
		t.Fatalf("%d products, want %d", got, want)
	}
	ordinary := map[document.Type][]string{
		document.CPF: {"52998224725", "11144477735"}, document.CNPJ: {"11222333000181", "12ABC34501DE35"},
		document.Plate: {"ABC1D23", "XYZ9876"}, document.Email: {"ana@exemplo.com.br", "bia@exemplo.com.br"},
	}
	for _, p := range c.Catalog() {
		for _, typ := range p.Documents {
			for _, text := range ordinary[typ] {
				a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, typ, text)})
				if err != nil || !a.Found || len(a.Dropped) > 0 || !json.Valid(a.Raw) {
					t.Errorf("%s of a %s: %v, dropped %v", p.ID, typ, err, a.Dropped)
					continue
				}
				again, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, typ, text)})
				if err != nil || string(again.Raw) != string(a.Raw) {
					t.Errorf("%s of a %s: two answers differ, %v", p.ID, typ, err)
				}
			}
		}
	}
}

func TestScripts(t *testing.T) {
	t.Parallel()
	c := client(t)
	for _, s := range sandbox.Scripts() {
		for _, p := range c.Catalog() {
			waits := s.Effect == sandbox.Timeout || s.Effect == sandbox.Slow
			if s.Only != "" || !p.Takes(s.Type) || waits && p.ID != string(s.Type) {
				continue // one slow test per document type suffices
			}
			t.Run(p.ID+" "+string(s.Type)+" "+string(s.Effect), func(t *testing.T) {
				t.Parallel()
				start := time.Now()
				a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, s.Type, s.Document)})
				var failure *ports.BureauError
				if errors.As(err, &failure) != failing(s.Effect) {
					t.Fatalf("failed: %v", err)
				}
				check(t, s, p, a, failure, time.Since(start))
			})
		}
	}
}

func failing(e sandbox.Effect) bool {
	return e == sandbox.Error || e == sandbox.NotJSON || e == sandbox.Reset || e == sandbox.Timeout
}

func check(
	t *testing.T, s sandbox.Script, p catalog.Product, a ports.Answer, failure *ports.BureauError, took time.Duration,
) {
	t.Helper()
	switch s.Effect {
	case sandbox.Timeout:
		if failure.Outcome != ports.NoAnswer {
			t.Errorf("outcome %s", failure.Outcome)
		}
		return
	case sandbox.Error, sandbox.NotJSON, sandbox.Reset:
		if failure.Outcome != ports.Failed {
			t.Errorf("outcome %s", failure.Outcome)
		}
		return
	}
	named := fields(t, a)
	nulls := 0
	for _, v := range named {
		if v == nil {
			nulls++
		}
	}
	switch s.Effect {
	case sandbox.Nulls:
		if !a.Found || nulls != len(named) {
			t.Errorf("found %t, %d of %d null", a.Found, nulls, len(named))
		}
	case sandbox.NotFound, sandbox.NotFoundEmpty:
		if a.Found || nulls != len(named) || (string(a.Raw) == "null") != (s.Effect == sandbox.NotFoundEmpty) {
			t.Errorf("found %t, %d of %d null, %d bytes", a.Found, nulls, len(named), len(a.Raw))
		}
	case sandbox.Slow:
		if took < sandbox.SlowDelay {
			t.Errorf("took %s", took)
		}
	case sandbox.Deceased:
		if p.ID == "obito" && (named["obito"] != true || named["obitoEm"] == nil) {
			t.Errorf("obito %v", named)
		}
	case sandbox.Irregular:
		for _, f := range []string{"situacao", "situacaoCadastral"} {
			if v, has := named[f]; has && (v == nil || v == "REGULAR" || v == "ATIVA") {
				t.Errorf("%s is %v", f, v)
			}
		}
	case sandbox.WhatsAppYes, sandbox.WhatsAppNo, sandbox.WhatsAppUnknown:
		want := map[sandbox.Effect]any{
			sandbox.WhatsAppYes: true, sandbox.WhatsAppNo: false, sandbox.WhatsAppUnknown: nil,
		}[s.Effect]
		phones, _ := named["telefones"].([]any)
		for _, phone := range phones {
			if got := phone.(map[string]any)["whatsapp"]; got != want {
				t.Errorf("whatsapp %v, want %v", got, want)
			}
		}
		if _, has := named["telefones"]; has && len(phones) == 0 {
			t.Error("no phones")
		}
	case sandbox.NoPartners:
		if v, has := named["socios"]; has && v != nil {
			t.Errorf("socios %v", v)
		}
	}
}

// TestTrapsAreThere: the sandbox has the traps of real bureaus, and the mapping avoids them.
func TestTrapsAreThere(t *testing.T) {
	t.Parallel()
	c := client(t)
	p, _ := c.Catalog().Find("cpf")
	raw := ""
	for _, text := range []string{"52998224725", "90000000175", "90000001490"} {
		a, err := c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, document.CPF, text)})
		if err != nil {
			t.Fatal(err)
		}
		raw += string(a.Raw)
		for _, sentinel := range []string{"0001-01-01", `"uf":""`, "operadora", "latitude"} {
			if strings.Contains(string(a.Fields), sentinel) {
				t.Errorf("a named field holds %s", sentinel)
			}
		}
	}
	for _, trap := range []string{"0001-01-01T00:00:00Z", `"latitude": 0.0`, `""`, "operadora", `\u00e9`, "1500.50"} {
		if !strings.Contains(raw, trap) {
			t.Errorf("no answer has the trap %s", trap)
		}
	}
}

func TestStopEndsWhatWaits(t *testing.T) {
	t.Parallel()
	file, err := bureau.Parse("sandbox", sandbox.File(sandbox.Plain), func(string) (string, bool) { return "", false })
	if err != nil {
		t.Fatal(err)
	}
	dial, stop := sandbox.New().Start()
	const callers = 20
	dialled := make(chan struct{}, 2*callers)
	c := bureau.New(file, bureau.WithoutBreaker(), bureau.WithDialContext(
		func(ctx context.Context, network, addr string) (net.Conn, error) {
			conn, err := dial(ctx, network, addr)
			dialled <- struct{}{}
			return conn, err
		}))
	defer c.Close()
	p, _ := c.Catalog().Find("cpf")
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			_, _ = c.Ask(t.Context(), ports.Question{Product: p, Document: parse(t, document.CPF, "90000000760")})
		})
	}
	for range callers {
		<-dialled
	}
	stop()
	wg.Wait()
	if _, err := dial(context.Background(), "tcp", "x"); err == nil {
		t.Error("a dial after the stop succeeds")
	}
}

func BenchmarkAsk(b *testing.B) {
	c := client(b)
	p, _ := c.Catalog().Find("cpf")
	d := parse(b, document.CPF, "52998224725")
	b.ResetTimer()
	for b.Loop() {
		if _, err := c.Ask(b.Context(), ports.Question{Product: p, Document: d}); err != nil {
			b.Fatal(err)
		}
	}
}

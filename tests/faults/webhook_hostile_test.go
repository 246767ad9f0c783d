package faults

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"fichario/tests/testkit"
	"fichario/tests/testkit/intaketest"
)

// TestSlowWebhookHostileBodies: whatever is posted, the answer is clear, and memory stays bounded. It runs beside no
// other test of this package: a machine that is too busy to read a megabyte within half a minute gives other answers.
func TestSlowWebhookHostileBodies(t *testing.T) {
	intaketest.AtOnceOnBoth(t, func(t *testing.T, env map[string]string) {
		s := intaketest.StartService(t, env)
		o := s.Org(t)
		h := o.NewHook("Hostil", "generic")
		formed := map[string]string{"Content-Type": "application/x-www-form-urlencoded"}
		chunked := func(contentType string) map[string]string {
			return map[string]string{"Content-Type": contentType, "Transfer-Encoding": "chunked"}
		}
		declared := func(contentType string, n int) map[string]string {
			return map[string]string{"Content-Type": contentType, "Content-Length": strconv.Itoa(n)}
		}
		whole := func(text string) func(io.Writer) {
			return func(w io.Writer) { _, _ = io.WriteString(w, text) }
		}
		var keys strings.Builder
		for i := range 100_000 {
			fmt.Fprintf(&keys, `,"%x":1`, i)
		}
		many := strings.Repeat("a=1&", 250_000)
		mega := strings.Repeat("x", 64<<10)
		part := "--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
		file := "--B\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n"
		multi := "multipart/form-data; boundary=B"
		const (
			invalid    = "400 requisicao_invalida"
			noEmail    = "400 email_invalido"
			tooLarge   = "413 corpo_grande_demais"
			incomplete = "408 requisicao_incompleta"
		)
		bodies := map[string]struct {
			r    request
			want string
		}{
			"never ends": {
				request{Header: chunked("application/json"), Stream: intaketest.Chunks(`{"a":"`, mega)}, tooLarge,
			},
			"never ends, spaces": {
				request{Header: chunked("application/json"), Stream: intaketest.Chunks("", strings.Repeat(" ", 64<<10))}, tooLarge,
			},
			"never ends, form": {
				request{Header: chunked("application/x-www-form-urlencoded"), Stream: intaketest.Chunks("a=", mega)}, tooLarge,
			},
			"10 MB declared": {
				request{Header: declared("application/json", 10<<20), Stream: whole(strings.Repeat("[", 10<<20))}, tooLarge,
			},
			"more than there is in numbers": {
				request{Header: map[string]string{"Content-Type": "application/json", "Content-Length": "9223372036854775807"},
					Stream: whole(mega)}, tooLarge,
			},
			"10 000 levels": {
				request{Header: intaketest.JSON, Body: strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000)},
				invalid,
			},
			"500 000 levels": {
				request{Header: intaketest.JSON, Body: strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000)}, invalid,
			},
			"levels that do not end": {request{Header: intaketest.JSON, Body: strings.Repeat("[", 1_000_000)}, invalid},
			"100 000 keys":           {request{Header: intaketest.JSON, Body: "{" + keys.String()[1:] + "}"}, invalid},
			"JSON in JSON in JSON": {
				request{Header: intaketest.JSON, Body: `{"a":"` + strings.Repeat(`{\"a\":`, 140_000) + `"}`}, noEmail,
			},
			"a long text": {
				request{Header: intaketest.JSON, Body: `{"a":"` + strings.Repeat("ação ", 140_000) + `"}`}, noEmail,
			},
			"a long number": {
				request{Header: intaketest.JSON, Body: `{"valor":` + strings.Repeat("9", 1_000_000) + `}`}, noEmail,
			},
			"a long exponent": {
				request{Header: intaketest.JSON, Body: `{"valor":1e` + strings.Repeat("9", 100) + `}`}, noEmail,
			},
			"a long e-mail": {
				request{Header: intaketest.JSON, Body: `{"email":"` + strings.Repeat("a@", 500_000) + `"}`}, noEmail,
			},
			"a long key": {
				request{Header: intaketest.JSON, Body: `{"` + strings.Repeat("k", 1_000_000) + `":1}`}, noEmail,
			},
			"250 000 fields": {request{Header: formed, Body: many}, invalid},
			"brackets": {request{Header: formed, Body: "a" + strings.Repeat("[b]", 300_000) + "=1"},
				invalid},
			"brackets without names": {request{Header: formed, Body: strings.Repeat("a[][]=1&", 120_000)}, invalid},
			"percent signs":          {request{Header: formed, Body: strings.Repeat("%25", 330_000) + "=1"}, noEmail},
			"a huge index":           {request{Header: formed, Body: "a[999999999]=1&a[999999998][0]=2"}, noEmail},
			"compressed": {
				request{Header: map[string]string{"Content-Type": "application/json", "Content-Encoding": "gzip"},
					Body: "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"}, invalid,
			},
			"a part without end": {request{Header: chunked(multi), Stream: intaketest.Chunks(part, mega)}, tooLarge},
			"a header of a part": {request{Header: chunked(multi), Stream: intaketest.Chunks("--B\r\nX: ", mega)},
				"4"},
			"no part, only a preamble": {request{Header: chunked(multi), Stream: intaketest.Chunks("", mega)}, "4"},
			"a multipart without its end": {request{Header: map[string]string{"Content-Type": multi}, Body: part + "x"},
				invalid},
			"a file without its end": {
				request{Header: map[string]string{"Content-Type": multi}, Body: file + strings.Repeat("x", 1<<20)}, "4",
			},
			"100 000 parts": {
				request{Header: chunked(multi), Stream: intaketest.Chunks("", strings.Repeat(part+"x\r\n", 1000))}, "4",
			},
			"100 000 files": {
				request{Header: chunked(multi), Stream: intaketest.Chunks("", strings.Repeat(file+"x\r\n", 1000))}, "4",
			},
			"less than was declared": {
				request{Header: declared("application/json", 100),
					Stream: func(w io.Writer) { _, _ = io.WriteString(w, `{"a":`); closeWrite(w) }}, incomplete,
			},
			"chunks that are none": {request{Header: chunked("application/json"), Stream: whole("zz\r\n{}\r\n")}, "4"},
		}
		before := resident(t, s.Pid(), "VmRSS")
		var names []string
		for name := range bodies {
			names = append(names, name)
		}
		slices.Sort(names)
		var at atomic.Int64
		var work sync.WaitGroup
		for range 16 {
			work.Go(func() {
				for {
					i := int(at.Add(1)) - 1
					if i >= 2*len(names) {
						return
					}
					b := bodies[names[i%len(names)]]
					b.r.Path = h.Path
					a, err := o.Send(t.Context(), b.r)
					if err != nil {
						t.Errorf("%s: %v", names[i%len(names)], err)
						continue
					}
					if !strings.HasPrefix(a.String(), b.want) {
						t.Errorf("%s: got %s, want %s", names[i%len(names)], a, b.want)
					}
					if len(a.Body) > 16<<10 {
						t.Errorf("%s: an answer of %d bytes", names[i%len(names)], len(a.Body))
					}
				}
			})
		}
		work.Wait()
		peak, after := resident(t, s.Pid(), "VmHWM"), resident(t, s.Pid(), "VmRSS")
		t.Logf("resident: %d MB before, %d MB at most, %d MB after", before, peak, after)
		if peak-before > 170 {
			t.Errorf("the program grew by %d MB", peak-before)
		}
		o.Nothing(t, h)
		expect(t, "deliveries", len(o.Deliveries(h)), 2*len(names))
		o.Accept(h, intaketest.Lead("depois"))
		if strings.Contains(s.Logs(), "panic") {
			t.Error("the program panicked")
		}
	})
}

// closeWrite signals the end of the stream.
func closeWrite(w io.Writer) {
	if c, ok := w.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

func resident(t *testing.T, pid int, what string) int {
	t.Helper()
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), what+":")
	kb, err := strconv.Atoi(strings.Fields(rest)[0])
	if err != nil {
		t.Fatal(err)
	}
	return kb / 1024
}

// bodyThatStopsArriving: after thirty seconds the sender gets an answer, and the received part is in the log.
func bodyThatStopsArriving(t *testing.T) {
	s := intaketest.StartService(t, testkit.SQLite(t))
	o := s.Org(t)
	on, off := o.NewHook("Parado", "generic"), o.NewHook("Parado e desligado", "generic")
	o.Command("webhook", "disable", off.ID)
	body := intaketest.Lead("parada")
	stall := func(w io.Writer) { _, _ = io.WriteString(w, body[:20]) }
	multi := map[string]string{"Content-Type": "multipart/form-data; boundary=B", "Content-Length": "1000"}
	for i, a := range intaketest.Together(t, 4, func(i int) (answer, error) {
		r := []request{
			{
				Path:   on.Path,
				Header: map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body))},
				Stream: stall,
			},
			{
				Path:   on.Path,
				Header: map[string]string{"Content-Type": "application/json", "Transfer-Encoding": "chunked"},
				Stream: func(w io.Writer) { _, _ = fmt.Fprintf(w, "%x\r\n%s", len(body), body[:20]) },
			},
			{Path: on.Path, Header: multi, Stream: func(w io.Writer) {
				_, _ = io.WriteString(w, "--B\r\nContent-Disposition: form-data; name=\"email\"\r\n\r\na@")
			}},
			{
				Path:   off.Path,
				Header: map[string]string{"Content-Type": "application/json", "Content-Length": strconv.Itoa(len(body))},
				Stream: stall,
			},
		}[i]
		r.Wait = 31 * time.Second // the specification's thirty seconds, plus the time for the answer
		return o.Send(t.Context(), r)
	}) {
		expect(t, fmt.Sprint("answer ", i), a.String(),
			[]string{"408 requisicao_incompleta", "408 requisicao_incompleta", "408 requisicao_incompleta",
				"423 webhook_desabilitado"}[i])
	}
	o.Nothing(t, on)
	log := o.Deliveries(on)
	expect(t, "deliveries", len(log)+len(o.Deliveries(off)), 4)
	for _, d := range log {
		expect(t, "outcome", line(d.Outcome, d.Code, d.Truncated, d.Bytes > 0), "refused requisicao_incompleta true true")
	}
}

package jq

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"os"
	"runtime/metrics"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/itchyny/gojq"
)

// programs returns the programs of a file, one per line.
func programs(t testing.TB, name string) (list []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			list = append(list, line)
		}
	}
	return list
}

func dangerous() map[string]any {
	list := make([]any, 30_000)
	for i := range list {
		list[i] = json.Number("1")
	}
	var deep any
	for range 9000 {
		deep = []any{deep}
	}
	return map[string]any{
		"s": strings.Repeat("a", 1<<20), "n": json.Number("1000000000"), "l": list, "deep": deep,
		"digits": strings.Repeat("9", 1<<20),
	}
}

// watchHeap records the peak of the heap until most is called.
func watchHeap() (most func() uint64) {
	var peak uint64
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		for {
			metrics.Read(heap)
			peak = max(peak, heap[0].Value.Uint64())
			select {
			case <-stop:
				return
			case <-time.After(time.Millisecond):
			}
		}
	}()
	return func() uint64 { close(stop); <-stopped; return peak }
}

// aLot is far more than any run may use; an unstopped bomb exceeds it many times over.
const aLot = 1 << 30

// TestSlowJQIsBounded: a program that does not end harms nothing but itself: it ends with ErrBounds, and until then
// takes little memory. It is not parallel: it watches the memory of the process.
func TestSlowJQIsBounded(t *testing.T) {
	input, most := dangerous(), watchHeap()
	for _, src := range programs(t, "bombs.jq") {
		p, err := Compile(src, "documento", "produto")
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		start := time.Now()
		v, err := p.Run(t.Context(), input, "52998224725", "cpf")
		if !errors.Is(err, ErrBounds) {
			t.Errorf("%s gave %d bytes, %v", src, width(v), err)
		}
		t.Logf("%6d ms %s", time.Since(start).Milliseconds(), src)
	}
	peak := most()
	if t.Logf("at most %d MB", peak>>20); peak > aLot {
		t.Errorf("%d MB were in use", peak>>20)
	}
}

// TestManyBadProgramsAtOnce: a bad program in every answer of a busy moment takes no more than one. It is not parallel:
// it watches the memory of the process.
func TestManyBadProgramsAtOnce(t *testing.T) {
	p, err := Compile(`[range(1000) | "0123456789" * 1000000], (def f: [f]; f)`)
	if err != nil {
		t.Fatal(err)
	}
	most := watchHeap()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	var wg sync.WaitGroup
	for range 250 {
		wg.Go(func() {
			if _, err := p.Run(ctx, nil); !errors.Is(err, ErrBounds) {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	peak := most()
	if t.Logf("at most %d MB", peak>>20); peak > aLot {
		t.Errorf("%d MB were in use", peak>>20)
	}
}

// TestJQGivesWhatItGave compares programs with unmodified gojq.
func TestJQGivesWhatItGave(t *testing.T) {
	t.Parallel()
	const text = `{"a":[3,1,2,{"b":"x"},[4,[5]],null,true],"o":{"k":"v","n":1.50,"z":{"y":[]}},
		"s":"Ana, Bia <é> 11-98765","n":12,"big":12345678901234567890,"e":"","phones":[{"d":"11","n":"5"},{"d":"21","n":"6"}],"d":"2026-11-01T10:00:00Z"}`
	for _, src := range programs(t, "programs.jq") {
		want, wantErr := unguarded(t, src, text)
		p, err := Compile(src, "documento", "produto")
		if err != nil {
			t.Errorf("%s: %v", src, err)
			continue
		}
		got, gotErr := all(p, decoded(t, text))
		if !slices.Equal(got, want) || (gotErr == nil) != (wantErr == nil) {
			t.Errorf("%s\n got %s, %v\nwant %s, %v", src, got, gotErr, want, wantErr)
		}
	}
}

func decoded(t *testing.T, text string) any {
	t.Helper()
	v, err := Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func unguarded(t *testing.T, src, text string) ([]string, error) {
	t.Helper()
	q, err := gojq.Parse(src)
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	code, err := gojq.Compile(q, gojq.WithVariables([]string{"$documento", "$produto"}))
	if err != nil {
		t.Fatalf("%s: %v", src, err)
	}
	return collect(code.Run(decoded(t, text), "1", "cpf"))
}

func all(p *Program, input any) ([]string, error) {
	b := heavyBounds
	b.time = time.Hour
	m := newMeter(context.Background(), b)
	return collect(p.code.Load().RunWithContext(m, input, "1", "cpf", m))
}

func collect(iter gojq.Iter) (values []string, err error) {
	for {
		v, ok := iter.Next()
		if !ok {
			return values, nil
		}
		if err, is := v.(error); is {
			return values, err
		}
		if f, is := v.(float64); is && (math.IsNaN(f) || math.IsInf(f, 0)) {
			v = "no number"
		}
		b, err := json.Marshal(v)
		if err != nil {
			return values, err
		}
		values = append(values, string(b))
	}
}

// TestJQFunctions: every function in the list exists, and no other.
func TestJQFunctions(t *testing.T) {
	t.Parallel()
	for id := range functions {
		src := strings.NewReplacer("__1", "1", "__2", "2", "__3", "3").Replace(callOf(id))
		if _, err := Compile(src, "documento", "produto"); err != nil {
			t.Errorf("%s: %v", src, err)
		}
	}
	for want, list := range map[string][]string{
		"function not defined: input/0": {
			`input`,
		},
		"function not defined: inputs/0": {
			`inputs`,
		},
		"function not defined: env/0": {
			`env`,
		},
		"function not defined": {
			`halt`, `debug`, `_add(1; 2)`, `{a: nada}`, `[.[] | nada]`, `"\(nada)"`, `.[nada]`, `if nada then 1 end`,
			`-(nada)`, `try nada`,
		},
		"function not defined: nada/1": {
			`nada(1)`,
		},
		"function not defined: _wide/2": {
			`_wide(1; 2)`,
		},
		"function not defined: __1/0": {
			`__1`,
		},
		"must not begin with __": {
			`$__m`, `. as $__x | 1`, `def __1: 2; __1`, `def f($__x): 2; f(1)`, `. as {a: $__x} | 1`, `. as {$__x} | 1`,
			`reduce 1 as $__x (0; 1)`,
		},
		"map/1 is a jq function": {
			`def map(f): 1; map(.)`,
		},
		"first/0 is a jq function": {
			`def f(first): 1; f(.)`,
		},
		"modules are not": {
			`import "a" as a; 1`,
		},
		"variable not defined": {
			`$nada`,
		},
	} {
		for _, src := range list {
			if _, err := Compile(src, "documento", "produto"); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: got %v, want %q", src, err, want)
			}
		}
	}
}

// TestRegexFromDataIsForgotten: regular expressions made from data do not accumulate.
func TestRegexFromDataIsForgotten(t *testing.T) {
	t.Parallel()
	p, err := Compile(`.a as $a | "x" | test("^\($a)")`)
	if err != nil {
		t.Fatal(err)
	}
	first := p.code.Load()
	for i := range 2 * patternsMax {
		v, err := p.Run(t.Context(), map[string]any{"a": strings.Repeat("y", i%50)})
		if err != nil || v != (i%50 == 0) {
			t.Fatal(v, err)
		}
	}
	if p.code.Load() == first {
		t.Error("they are kept for ever")
	}
}

// TestJQNeedsNoHeavyRun: what real answers need is within the light bounds.
func TestJQNeedsNoHeavyRun(t *testing.T) {
	t.Parallel()
	raw := bytes.Repeat([]byte(`{"ddd":"11","numero":"98765-4321","tipo":"MOVEL","zap":true},`), 100)
	input := decoded(t, `{"fones":[`+string(raw[:len(raw)-1])+`]}`)
	p, err := Compile(`[.fones[]?
		| {ddd, numero: (.numero | gsub("[^0-9]"; "")), tipo: (.tipo | ascii_downcase), whatsapp: .zap}]`)
	if err != nil {
		t.Fatal(err)
	}
	b := lightBounds
	b.time = time.Hour
	if _, err := p.try(t.Context(), b, input, nil); err != nil {
		t.Errorf("a hundred phones: %v", err)
	}
}

// FuzzJQ runs any program on any answer: it must end, and produce an encodable value.
func FuzzJQ(f *testing.F) {
	for _, src := range programs(f, "programs.jq") {
		f.Add(src, `{"s":"aaaa","n":1000000000,"l":[1,2,3],"o":{"a":[1.5]}}`)
	}
	f.Add(`[.[] | data_br, telefone, reais, documento]`, `["31/12/1999","+55 (11) 2385-1939","R$ 1.234,56","529.982.247-25",191,[]]`)
	f.Fuzz(func(t *testing.T, src, answer string) {
		p, err := Compile(src, "documento", "produto")
		if err != nil {
			return
		}
		input, err := Decode([]byte(answer))
		if err != nil {
			return
		}
		v, err := p.Run(t.Context(), input, "52998224725", "cpf")
		if err == nil {
			_, _ = json.Marshal(v)
		}
	})
}

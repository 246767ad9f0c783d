package report_test

import (
	"regexp"
	"strings"
	"testing"

	"fichario/tests/testkit/internal/report"
)

func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		events  string
		allowed string
		ok      bool
		last    string
		says    []string
		silent  []string
	}{
		{
			name: "tests and subtests count, and passing ones stay quiet",
			events: `{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"chatter\n"}
{"Action":"run","Package":"a","Test":"TestX/one"}
{"Action":"pass","Package":"a","Test":"TestX/one"}
{"Action":"pass","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a","Elapsed":1.234}
{"Action":"skip","Package":"empty"}`,
			ok: true, last: "2 passed, 0 failed, 0 skipped",
			says:   []string{"ok    a  2 tests, 1.23s", "-     empty  no tests"},
			silent: []string{"chatter"},
		},
		{
			name: "a failure is shown in full",
			events: `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:3: got 1,\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"        want 2\n"}
{"Action":"fail","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Output":"FAIL\n"}
{"Action":"output","Package":"a","Output":"FAIL\ta\t0.1s\n"}
{"Action":"fail","Package":"a"}`,
			last:   "0 passed, 1 failed, 0 skipped",
			says:   []string{"FAILED a.TestX\n    x_test.go:3: got 1,\n        want 2\n", "FAIL  a\n"},
			silent: []string{"=== RUN", "FAIL\n", "FAIL\ta"},
		},
		{
			name: "a skip is a fault and is named with its reason",
			events: `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"=== RUN   TestX\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:3: no browser\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"--- SKIP: TestX (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a"}`,
			last: "0 passed, 0 failed, 1 skipped",
			says: []string{"SKIPPED, which counts as a failure of the run: a.TestX: x_test.go:3: no browser\n"},
		},
		{
			name: "an allowed skip is named too, and is no fault",
			events: `{"Action":"pass","Package":"a","Test":"TestY"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:3: long test\n"}
{"Action":"skip","Package":"a","Test":"TestX"}
{"Action":"pass","Package":"a"}`,
			allowed: "long test$",
			ok:      true, last: "1 passed, 0 failed, 1 skipped",
			says: []string{"skipped, as allowed: a.TestX: x_test.go:3: long test\n"},
		},
		{
			name: "a package that does not build is a failure",
			events: `{"Action":"build-output","ImportPath":"a [a.test]","Output":"a.go:1:1: no such thing\n"}
{"Action":"build-fail","ImportPath":"a [a.test]"}
{"Action":"fail","Package":"a","FailedBuild":"a [a.test]"}
{"Action":"pass","Package":"b","Test":"TestY"}
{"Action":"pass","Package":"b"}`,
			last: "1 passed, 1 failed, 0 skipped",
			says: []string{"a.go:1:1: no such thing\nFAIL  a\n"},
		},
		{
			name: "a test that never ended is a failure",
			events: `{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Output":"panic: test timed out\n"}
{"Action":"fail","Package":"a"}`,
			last: "0 passed, 1 failed, 0 skipped",
			says: []string{"FAILED a.TestX\n    did not finish\n", "panic: test timed out\n"},
		},
		{
			name:   "a package whose end never came is a failure",
			events: `{"Action":"pass","Package":"a","Test":"TestX"}`,
			last:   "1 passed, 1 failed, 0 skipped",
			says:   []string{"FAIL  a\n"},
		},
		{
			name:   "other lines go through, and no test at all is a fault",
			events: "no required module provides package x\n",
			last:   "0 passed, 0 failed, 0 skipped",
			says:   []string{"no required module provides package x\n", "NO TEST RAN"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var allowed *regexp.Regexp
			if c.allowed != "" {
				allowed = regexp.MustCompile(c.allowed)
			}
			var out strings.Builder
			r, err := report.Read(strings.NewReader(c.events), &out, allowed)
			if err != nil {
				t.Fatal(err)
			}
			r.Finish()
			if r.OK() != c.ok {
				t.Errorf("OK is %t, want %t", r.OK(), c.ok)
			}
			if !strings.HasSuffix("\n"+out.String(), "\n"+c.last+"\n") {
				t.Errorf("the last line is not %q:\n%s", c.last, out.String())
			}
			for _, text := range c.says {
				if !strings.Contains(out.String(), text) {
					t.Errorf("it does not say %q:\n%s", text, out.String())
				}
			}
			for _, text := range c.silent {
				if strings.Contains(out.String(), text) {
					t.Errorf("it says %q:\n%s", text, out.String())
				}
			}
		})
	}
}

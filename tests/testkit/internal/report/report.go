// Package report turns the events of `go test -json` into a report for people: a line for each package, failures in
// full, every skipped test with its reason, and the counts at the end.
package report

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"
)

// Report counts tests and subtests alike.
type Report struct {
	Passed, Failed, Skipped int

	out      io.Writer
	allowed  *regexp.Regexp
	packages map[string]*pkg
	builds   map[string]*strings.Builder // compiler messages by import path
	skips    []string                    // name and reason of each skipped test that may not be skipped
	excused  []string                    // the same for those that may be
}

// pkg is the state of a package that is still running.
type pkg struct {
	tests  map[string]*test
	order  []string
	output strings.Builder // output outside any test: TestMain, a panic
	failed int
}

type test struct {
	output strings.Builder
	result string
}

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
	Elapsed                                                float64
}

// framing matches what the testing package and go test print about progress and outcome, which the report prints
// itself.
var framing = regexp.MustCompile(`^(=== (RUN|PAUSE|CONT|NAME) |(PASS|FAIL)\n$|(ok  |FAIL)\t)`)

// Read prints and counts the events of one run, up to the end of in. A skipped test counts as a fault unless allowed,
// which may be nil, matches its line "package.Test: reason".
func Read(in io.Reader, out io.Writer, allowed *regexp.Regexp) (*Report, error) {
	r := &Report{out: out, allowed: allowed, packages: map[string]*pkg{}, builds: map[string]*strings.Builder{}}
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.add(e)
			} else {
				fmt.Fprintf(out, "%s\n", bytes.TrimRight(line, "\r\n"))
			}
		}
		if errors.Is(err, io.EOF) {
			return r, nil
		}
		if err != nil {
			return r, err
		}
	}
}

// OK reports whether the run is a success: something ran, nothing failed, and nothing was skipped without permission.
func (r *Report) OK() bool {
	return r.Failed == 0 && len(r.skips) == 0 && r.Passed > 0
}

// Finish reports packages that never ended, then the skipped tests, then the counts alone on the last line.
func (r *Report) Finish() {
	var unfinished []string
	for name := range r.packages {
		unfinished = append(unfinished, name)
	}
	slices.Sort(unfinished)
	for _, name := range unfinished {
		r.endPackage(event{Action: "fail", Package: name})
	}
	for _, skip := range r.excused {
		fmt.Fprintf(r.out, "skipped, as allowed: %s\n", skip)
	}
	for _, skip := range r.skips {
		fmt.Fprintf(r.out, "SKIPPED, which counts as a failure of the run: %s\n", skip)
	}
	if r.Passed+r.Failed+r.Skipped == 0 {
		fmt.Fprintln(r.out, "NO TEST RAN, which counts as a failure of the run")
	}
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", r.Passed, r.Failed, r.Skipped)
}

func (r *Report) add(e event) {
	switch e.Action {
	case "build-output":
		r.build(e.ImportPath).WriteString(e.Output)
		return
	case "build-fail", "start":
		return
	}
	p := r.pkg(e.Package)
	if e.Test == "" {
		switch e.Action {
		case "output":
			if !framing.MatchString(e.Output) {
				p.output.WriteString(e.Output)
			}
		case "pass", "fail", "skip":
			r.endPackage(e)
		}
		return
	}
	t := p.tests[e.Test]
	if t == nil {
		t = &test{}
		p.tests[e.Test] = t
		p.order = append(p.order, e.Test)
	}
	switch e.Action {
	case "output":
		if !framing.MatchString(e.Output) {
			t.output.WriteString(e.Output)
		}
	case "pass":
		r.Passed++
		t.result = e.Action
	case "fail":
		r.Failed++
		p.failed++
		t.result = e.Action
	case "skip":
		r.skip(e.Package+"."+e.Test, t)
	}
}

func (r *Report) skip(name string, t *test) {
	r.Skipped++
	t.result = "skip"
	line := name + ": " + said(t.output.String())
	if r.allowed != nil && r.allowed.MatchString(line) {
		r.excused = append(r.excused, line)
	} else {
		r.skips = append(r.skips, line)
	}
}

// endPackage prints the package's line, preceded by its failures.
func (r *Report) endPackage(e event) {
	p := r.pkg(e.Package)
	delete(r.packages, e.Package)
	for _, name := range p.order {
		t := p.tests[name]
		if t.result == "" {
			// The process died, or timed out, before the test ended.
			r.Failed++
			p.failed++
			t.output.WriteString("    did not finish\n")
			t.result = "fail"
		}
		if t.result == "fail" {
			fmt.Fprintf(r.out, "FAILED %s.%s\n%s", e.Package, name, ended(t.output.String()))
		}
	}
	switch {
	case e.Action == "fail":
		if p.failed == 0 {
			// No test is to blame: it did not build, or its TestMain failed. It must still be counted.
			r.Failed++
		}
		fmt.Fprint(r.out, ended(r.build(e.FailedBuild).String()), ended(p.output.String()))
		fmt.Fprintf(r.out, "FAIL  %s\n", e.Package)
	case len(p.tests) == 0:
		fmt.Fprintf(r.out, "-     %s  no tests\n", e.Package)
	default:
		elapsed := time.Duration(e.Elapsed * float64(time.Second)).Round(10 * time.Millisecond)
		// What a TestMain prints on success is meant to be read.
		fmt.Fprintf(r.out, "ok    %s  %d tests, %s\n%s", e.Package, len(p.tests), elapsed, ended(p.output.String()))
	}
}

func (r *Report) pkg(name string) *pkg {
	p := r.packages[name]
	if p == nil {
		p = &pkg{tests: map[string]*test{}}
		r.packages[name] = p
	}
	return p
}

func (r *Report) build(path string) *strings.Builder {
	b := r.builds[path]
	if b == nil {
		b = &strings.Builder{}
		r.builds[path] = b
	}
	return b
}

// said is a test's output on one line, without the testing package's framing.
func said(output string) string {
	var words []string
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--- ") {
			words = append(words, line)
		}
	}
	if len(words) == 0 {
		return "no reason given"
	}
	return strings.Join(words, " ")
}

// ended is the text with a final line break, if there is any text.
func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

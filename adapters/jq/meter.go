package jq

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrBounds says that a jq program needs more steps, memory or time than it may have.
var ErrBounds = errors.New("the program goes beyond its bounds")

// bounds are what one run of a program may take. A step of gojq keeps at most some 150 bytes, unless it is one of those
// that guard puts under the meter.
type bounds struct {
	steps int
	// work is in bytes that are made, or looked through in one step.
	work int
	// regex bounds one regular expression: the length of the text times that of the expression, and once more the
	// length where all its matches are wanted.
	regex int
	time  time.Duration
}

var (
	// lightBounds suffice for the answers of real bureaus, which are a few kilobytes, many times over.
	lightBounds = bounds{steps: 60_000, work: 2 << 20, regex: 1 << 20, time: 50 * time.Millisecond}
	heavyBounds = bounds{steps: 1_000_000, work: 64 << 20, regex: 128 << 20, time: 300 * time.Millisecond}
)

const (
	// maxDepth bounds the nesting of what is looked through or written, as the JSON decoder does.
	maxDepth = 10_000
	// maxDigits bounds a number that is counted with. encoding/json and big numbers take a square of it.
	maxDigits = 1000
	// maxIndex bounds the place at which an element is put into a list: the list is filled up to it in one step.
	maxIndex = 1 << 20
)

// meter is the context of one run. gojq asks Done before each step, which is where steps are counted and the clock is
// read; what a single step may blow up asks the meter before it (see guard). Once it has said no it says so to every
// step, so that a program cannot catch the error and go on.
type meter struct {
	context.Context
	left     bounds
	deadline time.Time
	err      error
	patterns int64
}

func newMeter(ctx context.Context, b bounds) *meter {
	return &meter{Context: ctx, left: b, deadline: time.Now().Add(b.time)}
}

var alwaysDone = func() chan struct{} { c := make(chan struct{}); close(c); return c }()

// stepsPerLook is how many steps are taken between two looks at the clock.
const stepsPerLook = 64

// Done counts a step.
func (m *meter) Done() <-chan struct{} {
	m.left.steps--
	if m.left.steps < 0 || m.left.steps%stepsPerLook == 0 && (time.Now().After(m.deadline) || m.Context.Err() != nil) {
		m.err = ErrBounds
	}
	if m.err != nil {
		return alwaysDone
	}
	return nil
}

// Err returns ErrBounds once the run has gone beyond its bounds.
func (m *meter) Err() error { return m.err }

// spend takes n bytes times k from what is left, and returns ErrBounds when that is not enough.
func (m *meter) spend(n, k int) error {
	if m.err == nil && n > m.left.work/max(k, 1) {
		m.err = ErrBounds
	}
	if m.err == nil {
		m.left.work -= n * k
	}
	return m.err
}

// wide spends what v takes without what is in it, k times.
func (m *meter) wide(v any, k int) error { return m.spend(width(v), k) }

// width is about what v takes in memory, without what is in it.
func width(v any) int {
	switch v := v.(type) {
	case string:
		return len(v)
	case []any:
		return 16 * len(v)
	case map[string]any:
		return 48 * len(v)
	}
	return 8
}

// deep spends what v takes with all that is in it, k times. What is in it several times is counted as often: that is
// how often whoever compares or writes it comes by.
func (m *meter) deep(v any, k int) error {
	if m.err == nil && !m.walk(v, max(k, 1), 0) {
		m.err = ErrBounds
	}
	return m.err
}

func (m *meter) walk(v any, k, depth int) bool {
	if number, is := v.(json.Number); depth > maxDepth || is && len(number) > maxDigits || m.wide(v, k) != nil {
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !m.walk(e, k, depth+1) {
				return false
			}
		}
	case map[string]any:
		for name, e := range v {
			if m.spend(len(name), k) != nil || !m.walk(e, k, depth+1) {
				return false
			}
		}
	}
	return true
}

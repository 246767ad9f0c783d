package jq

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// ErrBounds says that a jq program needs more steps, memory or time than it may use.
var ErrBounds = errors.New("the program exceeds its limits")

// bounds are what one run of a program may use. A step of gojq retains at most about 150 bytes, except for those that
// guard meters.
type bounds struct {
	steps int
	// work is in bytes, created or scanned in single steps.
	work int
	// regex bounds one regular expression: the length of the text times that of the expression, and once more the length
	// where all its matches are wanted.
	regex int
	time  time.Duration
}

var (
	// lightBounds suffice many times over for real bureaus' answers, which are a few kilobytes.
	lightBounds = bounds{steps: 60_000, work: 2 << 20, regex: 1 << 20, time: 50 * time.Millisecond}
	heavyBounds = bounds{steps: 1_000_000, work: 64 << 20, regex: 128 << 20, time: 300 * time.Millisecond}
)

const (
	// maxDepth bounds the nesting of values that are scanned or written, like the JSON decoder.
	maxDepth = 10_000
	// maxDigits bounds numbers in arithmetic: encoding/json and big numbers take quadratic time.
	maxDigits = 1000
	// maxIndex bounds the index at which a list element is set: gojq fills the list up to there in one step.
	maxIndex = 1 << 20
)

// meter is the context of one run. gojq calls Done before each step, where steps are counted and the clock is read;
// steps that may explode ask the meter first (see guard). Once exhausted, it refuses every further step, so that a
// program cannot catch the error and go on.
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

// stepsPerLook is how many steps run between two readings of the clock.
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

// Err returns ErrBounds once the run has exceeded its bounds.
func (m *meter) Err() error { return m.err }

// spend takes n bytes k times from what is left, and returns ErrBounds when that is not enough.
func (m *meter) spend(n, k int) error {
	if m.err == nil && n > m.left.work/max(k, 1) {
		m.err = ErrBounds
	}
	if m.err == nil {
		m.left.work -= n * k
	}
	return m.err
}

// wide spends the size of v without its elements, k times.
func (m *meter) wide(v any, k int) error { return m.spend(width(v), k) }

// width is the approximate memory of v, without its elements.
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

// deep spends the size of v with all its elements, k times. Shared elements count each time they occur, because whoever
// compares or writes v visits them each time.
func (m *meter) deep(v any, k int) error {
	if m.err == nil && !m.weigh(v, max(k, 1), 0) {
		m.err = ErrBounds
	}
	return m.err
}

func (m *meter) weigh(v any, k, depth int) bool {
	if number, is := v.(json.Number); depth > maxDepth || is && len(number) > maxDigits || m.wide(v, k) != nil {
		return false
	}
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			if !m.weigh(e, k, depth+1) {
				return false
			}
		}
	case map[string]any:
		for name, e := range v {
			if m.spend(len(name), k) != nil || !m.weigh(e, k, depth+1) {
				return false
			}
		}
	}
	return true
}

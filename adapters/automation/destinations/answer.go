package destinations

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"fichario/adapters/jq"
)

// Answer is an HTTP answer.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
}

// Verdict is the meaning of an answer.
type Verdict int

const (
	// Refused is a failure; the status says whether a retry can help.
	Refused Verdict = iota
	// Done is success.
	Done
	// Exists means that the record is already there, so that nothing is left to do.
	Exists
	// Again means that a retry may help, after the time that Judge returns; zero where the answer gives none.
	Again
)

// Judge interprets the answer to the request.
func (f *Filled) Judge(ctx context.Context, e Event, a Answer) (Verdict, time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	input := a.input()
	if f.existed != nil {
		if v, err := f.run(ctx, f.existed, input, e, false); err == nil && v == true {
			return Exists, 0
		}
	}
	if f.done == nil {
		if a.Status >= 200 && a.Status <= 299 {
			return Done, 0
		}
		return Refused, 0
	}
	v, err := f.run(ctx, f.done, input, e, false)
	if err != nil {
		return Refused, 0
	}
	if v == true {
		return Done, 0
	}
	if seconds, is := number(v); is {
		return Again, seconds
	}
	return Refused, 0
}

// Found reports whether the answer to the search has the record; ok is false where that cannot be told.
func (f *Filled) Found(ctx context.Context, e Event, a Answer) (found, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, jqTime)
	defer cancel()
	v, err := f.run(ctx, f.found, a.input(), e, false)
	found, ok = v.(bool)
	return found, ok && err == nil
}

// maxSeconds bounds the wait that an answer's jq may ask for.
const maxSeconds = 3600

// number parses a number of seconds.
func number(v any) (time.Duration, bool) {
	var seconds float64
	switch v := v.(type) {
	case int:
		seconds = float64(v)
	case float64:
		seconds = v
	case json.Number:
		seconds, _ = v.Float64()
	default:
		return 0, false
	}
	if math.IsNaN(seconds) {
		seconds = 0
	}
	return time.Duration(min(max(seconds, 0), maxSeconds) * float64(time.Second)), true
}

// input is an answer as jq sees it: status, headers by name in lower case, and body, decoded where it is JSON.
func (a Answer) input() any {
	headers := map[string]any{}
	for name, list := range a.Header {
		headers[strings.ToLower(name)] = strings.Join(list, ", ")
	}
	var body any
	if decoded, err := jq.Decode(a.Body); err == nil {
		body = decoded
	} else if len(bytes.TrimSpace(a.Body)) > 0 && utf8.Valid(a.Body) {
		body = string(a.Body)
	}
	return map[string]any{"status": a.Status, "headers": headers, "body": body}
}

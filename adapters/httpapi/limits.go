package httpapi

import (
	"math"
	"net/http"
	"strconv"
	"time"

	"fichario/domain/fault"
)

// policy is a kind of limit in the headers of the IETF draft on rate limits.
type policy struct {
	name   string
	window int // seconds; zero where it varies
}

var (
	minute = policy{"minuto", 60}
	day    = policy{"dia", 86400}
	month  = policy{"mes", 0}
)

// limitHeaders reports what is left of a limit, in the headers of the specification (8.1.2) and in those of the IETF
// draft.
func limitHeaders(h http.Header, p policy, limit, remaining int, reset time.Duration) {
	window, wait := "", ""
	if p.window > 0 {
		window = ";w=" + strconv.Itoa(p.window)
	}
	if reset > 0 {
		wait = ";t=" + strconv.Itoa(seconds(reset))
	}
	// Canonical names, which are equivalent on the wire, and one backing slice for the four values: this runs on every
	// request.
	v := []string{
		strconv.Itoa(limit), strconv.Itoa(remaining),
		`"` + p.name + `";q=` + strconv.Itoa(limit) + window, `"` + p.name + `";r=` + strconv.Itoa(remaining) + wait,
	}
	h["X-Ratelimit-Limit"], h["X-Ratelimit-Remaining"] = v[0:1:1], v[1:2:2]
	h["Ratelimit-Policy"], h["Ratelimit"] = v[2:3:3], v[3:4:4]
}

// seconds rounds up, so that waiting that long suffices.
func seconds(d time.Duration) int { return max(1, int(math.Ceil(d.Seconds()))) }

// capHeaders describes the cap in the headers of a 429 that it caused.
func capHeaders(h http.Header, f *fault.Error) {
	switch f.Code {
	case fault.DailyLimit:
		limitHeaders(h, day, f.Limit, f.Left, f.RetryAfter)
	case fault.MonthlyLimit:
		limitHeaders(h, month, f.Limit, f.Left, 0)
	}
}

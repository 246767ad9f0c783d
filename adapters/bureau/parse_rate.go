package bureau

import (
	"regexp"
	"strconv"
	"time"
)

var rateForm = regexp.MustCompile(`^([0-9]{1,5})/(s|min|h)$`)

// rate parses how many calls the bureau allows per second, minute or hour.
func (p *parser) rate(v at) {
	m := rateForm.FindStringSubmatch(p.Text(v))
	if m == nil {
		p.Fault(v, `must be a number of calls like "20/s", "300/min" or "5000/h"`)
		return
	}
	calls, _ := strconv.Atoi(m[1])
	if calls == 0 {
		p.Fault(v, "must allow at least one call")
		return
	}
	in := map[string]time.Duration{"s": time.Second, "min": time.Minute, "h": time.Hour}[m[2]]
	p.file.rate = float64(calls) / in.Seconds()
}

package bureau

import (
	"net/http"
	"sync/atomic"
	"time"

	"fichario/ports"
)

// shortPause is for how long a 429 without a Retry-After suspends calls.
const shortPause = time.Second

// pause suspends calls to a bureau that has asked to wait. Each instance has its own.
type pause struct{ until atomic.Int64 } // Unix nanoseconds

// left returns for how much longer calls are suspended; zero when they are not.
func (p *pause) left() time.Duration { return max(time.Until(time.Unix(0, p.until.Load())), 0) }

// hold suspends calls for a while, from now.
func (p *pause) hold(d time.Duration) {
	until := time.Now().Add(d).UnixNano()
	for {
		old := p.until.Load()
		if old >= until || p.until.CompareAndSwap(old, until) {
			return
		}
	}
}

// refused is the failure of a call that the bureau refused and does not charge for. Where the bureau asks to wait, all
// further calls are suspended until then.
func (c *Client) refused(s status) *failure {
	f := statusFailure(s)
	f.err.Outcome, f.err.RetryAfter = ports.NotCharged, s.retryAfter
	if s.code == http.StatusTooManyRequests {
		f.err.RetryAfter = max(f.err.RetryAfter, shortPause)
	}
	c.wait.hold(f.err.RetryAfter)
	return f
}

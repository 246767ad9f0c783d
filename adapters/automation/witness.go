package automation

import (
	"context"
	"net/http"
	"time"

	"fichario/adapters/automation/destinations"
)

// Witness posts signed heads of the audit to an address. Every status outside 200 to 299 is a failure.
type Witness struct {
	*Dispatcher
	Address string
}

// Take makes one attempt, protected as every call is.
func (w Witness) Take(ctx context.Context, lines []byte) error {
	address, err := w.target(w.Address)
	if err != nil {
		return err
	}
	answer, err := w.exchange(ctx, &destinations.Request{
		Method: http.MethodPost, Address: address.String(), Body: lines,
		Header: http.Header{"Content-Type": {"application/x-ndjson"}, "User-Agent": {"Fichario"}},
	}, false, w.timeout)
	if err != nil {
		return err
	}
	return judge(answer.Status, "", time.Now())
}

// Check posts no lines.
func (w Witness) Check(ctx context.Context) error { return w.Take(ctx, nil) }

// Fresh is false: what an address holds is not known here.
func (Witness) Fresh() bool { return false }

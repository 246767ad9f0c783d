package automation

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"fichario/adapters/automation/destinations"
	"fichario/adapters/jq"
	"fichario/domain/automation"
	"fichario/ports"
)

// Shown as the result of a request that was rightly not made.
const (
	resultNothing = "nada a enviar"
	resultExists  = "já existe no destino"
)

var (
	_ ports.Destinations = Destinations{}
	_ ports.Dispatcher   = (*Dispatcher)(nil)
)

// Send makes one attempt of an action's request: first the search, where the destination has one, then the request
// itself, all within the time of one call. The error is nil or a *ports.SendError.
func (d *Dispatcher) Send(ctx context.Context, c ports.Call) (string, error) {
	form, event, err := prepare(c)
	if err != nil {
		return "", err
	}
	request, search, err := form.Request(ctx, event)
	if err != nil {
		return "", permanent(err.Error())
	}
	if request == nil {
		return resultNothing, nil
	}
	if at, moved := atMeta(d.meta, c.Action, request.Address); moved {
		request.Address, d = at, d.own
	}
	if form.Signed() {
		if err := signed(request, c); err != nil {
			return "", err
		}
	}
	end := time.Now().Add(d.timeout)
	switch token, err := d.access(ctx, form, event, end); {
	case err != nil:
		return "", err
	case token != "":
		event.Access = token
		if request, search, err = form.Request(ctx, event); err != nil {
			return "", permanent(err.Error())
		}
	}
	if search != nil {
		switch found, err := d.search(ctx, form, event, search, end); {
		case err != nil:
			return "", err
		case found:
			return resultExists, nil
		}
	}
	answer, err := d.call(ctx, request, form.ReadsAnswer(), end)
	if err != nil {
		return "", err
	}
	switch verdict, after := form.Judge(ctx, event, answer); verdict {
	case destinations.Done:
	case destinations.Exists:
		return resultExists, nil
	case destinations.Again:
		reason := "status " + strconv.Itoa(answer.Status)
		if answer.Status >= 200 && answer.Status <= 299 {
			reason = "o destino ainda não fez o que foi pedido (" + reason + ")"
		}
		return "", &ports.SendError{Reason: reason, RetryAfter: after}
	case destinations.Refused:
		return "", refusal(form, answer)
	}
	return "status " + strconv.Itoa(answer.Status), nil
}

// metaAddress is where the destination metaName sends to, unless the operator has another address.
const (
	metaAddress = "https://graph.facebook.com"
	metaName    = "meta-capi"
)

// atMeta returns the address of a request of the shipped destination at the operator's address of Meta, and whether
// that is another one.
func atMeta(meta string, a automation.Action, address string) (string, bool) {
	rest, is := strings.CutPrefix(address, metaAddress+"/")
	if meta == "" || !is || a.Destination != metaName || a.DestinationFile != "" {
		return address, false
	}
	return meta + "/" + rest, true
}

// access gets the token of a destination that asks for one before each request; "" for others.
func (d *Dispatcher) access(
	ctx context.Context, form *destinations.Filled, event destinations.Event, end time.Time,
) (string, error) {
	request, err := form.Access(ctx, event)
	if err != nil {
		return "", permanent(err.Error())
	}
	if request == nil {
		return "", nil
	}
	answer, err := d.call(ctx, request, true, end)
	if err != nil {
		return "", err
	}
	if token := form.Token(ctx, event, answer); token != "" {
		return token, nil
	}
	var refused *ports.SendError
	errors.As(byStatus(answer.Status, answer.Header.Get("Retry-After"), time.Now()), &refused)
	refused.Reason = "o destino não deu o token de acesso (status " + strconv.Itoa(answer.Status) + ")"
	return "", refused
}

// search reports whether the record is there already.
func (d *Dispatcher) search(
	ctx context.Context, form *destinations.Filled, event destinations.Event, request *destinations.Request, end time.Time,
) (bool, error) {
	answer, err := d.call(ctx, request, true, end)
	if err != nil {
		return false, err
	}
	found, ok := form.Found(ctx, event, answer)
	switch {
	case !ok && answer.Status >= 200 && answer.Status <= 299:
		// It was not refused, and a retry would get the same answer.
		return false, permanent("a resposta da busca no destino não pôde ser lida (status " +
			strconv.Itoa(answer.Status) + ")")
	case !ok:
		return false, byStatus(answer.Status, answer.Header.Get("Retry-After"), time.Now())
	}
	return found, nil
}

// refusal is the error for an answer that is not a success. Where the event itself was sent, custom methods or headers
// make no difference to it.
func refusal(form *destinations.Filled, a destinations.Answer) error {
	retryAfter := a.Header.Get("Retry-After")
	if form.SendsEvent() {
		return judge(a.Status, retryAfter, time.Now())
	}
	return byStatus(a.Status, retryAfter, time.Now())
}

// call makes a request that must finish by end.
func (d *Dispatcher) call(
	ctx context.Context, r *destinations.Request, keep bool, end time.Time,
) (destinations.Answer, error) {
	if _, err := d.target(r.Address); err != nil {
		return destinations.Answer{}, err
	}
	return d.exchange(ctx, r, keep, time.Until(end))
}

// signed adds the default headers to a request, except those that it sets itself.
func signed(r *destinations.Request, c ports.Call) error {
	c.Secret = c.Action.Secret
	headers, err := sign(c, r.Body)
	if err != nil {
		return err
	}
	for name := range headers {
		if r.Header.Get(name) == "" && (name != "Content-Type" || r.Body != nil) {
			r.Header.Set(name, headers.Get(name))
		}
	}
	return nil
}

// prepare reads and fills in the form of a call's action, and encodes its event as JSON.
func prepare(c ports.Call) (*destinations.Filled, destinations.Event, error) {
	event := destinations.Event{ID: c.ID, Name: c.Event.Name, HappenedID: c.Event.ID, At: c.Event.At}
	file, faults := destinations.Of(c.Action)
	if len(faults) > 0 {
		return nil, event, permanent("o destino da automação não pode ser lido; descreva-a de novo")
	}
	form, faults := file.Fill(c.Action.Values)
	if len(faults) > 0 {
		return nil, event, permanent("falta preencher um campo do destino; descreva a automação de novo")
	}
	whole, err := eventBody(c.Event)
	if err != nil {
		return nil, event, permanent("o evento não pode ser escrito em JSON")
	}
	decoded, err := jq.Decode(whole)
	if err != nil {
		return nil, event, permanent("o evento não pode ser escrito em JSON")
	}
	object, _ := decoded.(map[string]any)
	event.Whole, event.Data = whole, object["data"]
	return form, event, nil
}

// Destinations reads the forms of requests; it makes none. Meta is what Dispatcher.WithMeta gets; empty for the
// vendor's address.
type Destinations struct{ Meta string }

// Shipped describes the destinations that come with the program.
func (Destinations) Shipped() []automation.Destination { return destinations.All() }

// Describe reads the form of an action, and reports what is wrong with it or with its values.
func (Destinations) Describe(a automation.Action) (automation.Destination, []automation.FieldFault) {
	file, faults := destinations.Of(a)
	if len(faults) > 0 {
		return automation.Destination{Name: a.Destination}, faults
	}
	_, faults = file.Fill(a.Values)
	return file.Described(), faults
}

// Show returns the request that a call would make, with the secrets masked. A request in the default form is signed
// anew for each attempt, so its signature is masked too. Its error is a *ports.SendError.
func (d Destinations) Show(ctx context.Context, c ports.Call) (automation.ShownRequest, error) {
	form, event, err := prepare(c)
	if err != nil {
		return automation.ShownRequest{}, err
	}
	shown, err := form.Show(ctx, event)
	if err != nil {
		return shown, permanent(err.Error())
	}
	shown.Address, _ = atMeta(strings.TrimRight(d.Meta, "/"), c.Action, shown.Address)
	if form.Signed() && shown.Method != "" {
		for _, name := range []string{"webhook-id", "webhook-signature", "webhook-timestamp"} {
			value := destinations.Mask
			if name == "webhook-id" {
				value = c.ID
			}
			shown.Headers = append(shown.Headers, automation.Header{Name: http.CanonicalHeaderKey(name), Value: value})
		}
	}
	return shown, nil
}

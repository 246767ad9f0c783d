package bureau

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
	"fichario/ports"
)

// reply is an accepted answer, before its fields are mapped.
type reply struct {
	found   bool
	raw     []byte
	decoded any
	// amount is what the bureau says that the call cost; nil where it does not say.
	amount *catalog.Money
	// later is set, and nothing else, where the answer comes later.
	later *ports.Later
	// status is the HTTP status if the reply means "no record" because of it, whatever its body; zero otherwise.
	status int
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// received is what came from the bureau: a head, and a body unless the call failed after the head.
type received struct {
	status
	raw     []byte
	decoded any   // the body as the file's jq reads it; nil where it cannot be read
	answer  any   // the part of it that is the answer
	unread  error // why it cannot be read, quoting nothing of it; nil where it can
}

func (c *Client) receive(s status, raw []byte) received {
	r := received{status: s, raw: bytes.TrimPrefix(raw, byteOrderMark)}
	if !c.file.xml {
		r.decoded, r.unread = jq.Decode(r.raw)
		r.answer = r.decoded
		return r
	}
	var text string
	if r.decoded, text, r.unread = decodeXML(r.raw); r.unread == nil {
		r.raw, r.unread = jq.Encode(text)
	}
	r.answer = r.decoded
	return r
}

// read decides whether what came counts as an answer.
func (c *Client) read(ctx context.Context, m *mapping, doc asked, came received) (reply, *failure) {
	if slices.Contains(c.file.notFound.status, came.code) {
		r, fail := noRecord(came.raw)
		if c.file.notFound.when == nil {
			r.status = came.code
		}
		return r, fail
	}
	// Another success, such as 202, may say that the answer comes later, in a way that the file does not describe.
	if !slices.Contains(c.file.answered, came.code) {
		return reply{}, statusFailure(came.status)
	}
	if came.unread != nil {
		return reply{}, counted(ports.Failed, "answer "+came.unread.Error())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	if c.file.failed != nil {
		v, err := c.file.failed.Run(ctx, came.answer, doc.variables(m.product.ID)...)
		switch {
		case err != nil:
			// An error mistaken for an answer would be stored, and shown for a month.
			return reply{}, neutral(ports.Failed, "the bureau file's `failed` cannot read the answer")
		case saysFailed(v):
			return reply{}, neutral(ports.Failed, "the bureau reports a failure")
		}
	}
	r := reply{raw: came.raw, decoded: came.answer}
	var fail *failure
	r.found, fail = c.finds(ctx, m, doc, came.answer)
	return r, fail
}

// finds reports whether an answer has a record of a product.
func (c *Client) finds(ctx context.Context, m *mapping, doc asked, answer any) (bool, *failure) {
	if m.found == nil {
		return true, nil
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	v, err := m.found.Run(ctx, answer, doc.variables(m.product.ID)...)
	if found, is := v.(bool); err == nil && is {
		return found, nil
	}
	return false, neutral(ports.Failed, "the answer does not say whether a record was found")
}

// saysFailed reads the result of `failed`: true or a non-empty text is a failure, anything else is not.
func saysFailed(v any) bool {
	text, _ := v.(string)
	return v == true || strings.TrimSpace(text) != ""
}

// inDoubt is the result of `when` for a body that an ailing bureau sends too.
const inDoubt = "doubt"

// believe fails unless a "no record" answer is beyond doubt by the file's rules: an outage mistaken for one would be
// stored, and shown for a month. The bureau's check can refute the answer by failing; an answer in doubt needs it as
// proof. The call itself was answered, so it is charged whatever the check says.
func (c *Client) believe(
	ctx, parent context.Context, m *mapping, doc asked, came received, token string,
) *failure {
	not := "status " + strconv.Itoa(came.code)
	doubt := false
	if when := c.file.notFound.when; when != nil {
		if came.unread != nil {
			return neutral(ports.Failed, not+", and the answer "+came.unread.Error())
		}
		mapping, cancel := context.WithTimeout(context.WithoutCancel(parent), mappingTime)
		defer cancel()
		says, err := when.Run(mapping, came.answer, doc.variables(m.product.ID)...)
		if doubt = says == inDoubt; err != nil || says != true && !doubt {
			return neutral(ports.Failed, not+", but the answer is not one for a missing record")
		}
	}
	check := c.file.notFound.check
	if check == nil {
		return nil
	}
	checked, _, fail := c.exchange(ctx, parent, c.request(check, m.product.ID, doc, nil, token))
	proved := fail == nil && checked.code >= 200 && checked.code <= 299
	refuted := fail != nil || checked.code < 200 || checked.code >= 500 || checked.code == http.StatusTooManyRequests
	if refuted || doubt && !proved {
		return counted(ports.Failed, not+", and the bureau's check fails as well")
	}
	return nil
}

// noRecord reads the body of a "no record" answer, which need not be JSON.
func noRecord(raw []byte) (reply, *failure) {
	switch {
	case len(bytes.TrimSpace(raw)) == 0:
		return reply{raw: []byte("null")}, nil
	case !utf8.Valid(raw):
		return reply{}, counted(ports.Failed, "answer is not UTF-8")
	case json.Valid(raw):
		return reply{raw: raw}, nil
	}
	text, err := jq.Encode(string(raw))
	if err != nil {
		return reply{}, counted(ports.Failed, "answer is not JSON")
	}
	return reply{raw: text}, nil
}

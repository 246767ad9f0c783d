package bureau

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"fichario/domain/catalog"
	"fichario/ports"
)

// view is what the jq about a whole reply reads: {status, headers, body}, with the headers' names in lower case.
func (r received) view() map[string]any {
	headers := make(map[string]any, len(r.header))
	for name, values := range r.header {
		headers[strings.ToLower(name)] = strings.Join(values, ", ")
	}
	return map[string]any{"status": r.code, "headers": headers, "body": r.decoded}
}

// bill returns what the bureau says that a call cost, and whether it bills it at all: nothing is no bill. The amount is
// nil where the bureau does not say, or says it in a way that cannot be read: then the call costs the product's price,
// the most.
func (c *Client) bill(ctx context.Context, m *mapping, doc asked, r received) (amount *catalog.Money, charged bool) {
	if r.unread != nil || m.charged == nil && m.amount == nil {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	if m.charged != nil {
		if v, err := m.charged.Run(ctx, r.view(), doc.variables(m.product.ID)...); err == nil && v == false {
			return new(catalog.Money), false
		}
	}
	if m.amount != nil {
		if v, err := m.amount.Run(ctx, r.view(), doc.variables(m.product.ID)...); err == nil {
			amount = money(v)
			return amount, amount == nil || *amount > 0
		}
	}
	return nil, true
}

// meets reports whether what came meets one of the conditions. A body that cannot be read meets none that needs it.
func (c *Client) meets(ctx context.Context, conditions []condition, m *mapping, doc asked, came received) bool {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mappingTime)
	defer cancel()
	return slices.ContainsFunc(conditions, func(cond condition) bool {
		if came.code != cond.status || cond.when == nil || came.unread != nil {
			return came.code == cond.status && cond.when == nil
		}
		v, err := cond.when.Run(ctx, came.view(), doc.variables(m.product.ID)...)
		return err == nil && v == true
	})
}

// exhausted is the failure of a call that the bureau refused because no credit is left there.
func (c *Client) exhausted() *failure {
	f := neutral(ports.Exhausted, "no credit is left at the bureau")
	f.err.Renews = c.file.renews
	return f
}

// money reads an amount from its digits; nil for what is none. A float is none: it is no longer what the bureau wrote.
func money(v any) *catalog.Money {
	text := ""
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = strings.TrimSpace(v)
	case int:
		text = strconv.Itoa(v)
	}
	amount, err := catalog.ParseNumber(text)
	if err != nil {
		return nil
	}
	return &amount
}

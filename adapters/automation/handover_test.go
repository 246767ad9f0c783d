package automation

import (
	"strings"
	"testing"
	"time"

	"fichario/domain/automation"
	"fichario/domain/crm"
	"fichario/domain/lookup"
)

// TestALookupIsHandedOver: a lookup is sent with its contact; an event without a contact sends nothing to a CRM.
func TestALookupIsHandedOver(t *testing.T) {
	t.Parallel()
	outcome := &automation.LookupOutcome{
		Entry:  lookup.Entry{ID: "e1", Product: "cnpj"},
		Record: lookup.Record{Fields: []byte(`{"score":742,"socios":["Ana","Bia"],"fantasia":null}`)},
	}
	c := sending("run-1", "hubspot", map[string]string{"token": "t", "summary_property": "consulta"})
	c.Event = automation.Event{
		Name: automation.LookupCompleted, At: time.Unix(1767225500, 0).UTC(), Contact: lead(), Lookup: outcome,
	}
	shown, err := Destinations{}.Show(t.Context(), c)
	if err != nil || !strings.Contains(shown.Body, `"consulta":"Consulta: cnpj\nscore: 742\nsocios: Ana, Bia"`) ||
		!strings.Contains(shown.Body, `"id":"jose@example.com"`) {
		t.Errorf("%s, %v", shown.Body, err)
	}
	c.Event.Contact = crm.ContactView{}
	if shown, err = (Destinations{}).Show(t.Context(), c); err != nil || shown.Method != "" {
		t.Errorf("without a contact: %+v, %v", shown, err)
	}
	c.Event = automation.Event{Name: automation.BatchCompleted, At: c.Event.At}
	if shown, err = (Destinations{}).Show(t.Context(), c); err != nil || shown.Method != "" {
		t.Errorf("of a batch: %+v, %v", shown, err)
	}
}

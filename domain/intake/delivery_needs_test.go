package intake

import "testing"

// TestWhatAnIDNeeds: only an id of the delivery recognises a retry alone. Others may be those of what many people ask
// about, or the numbers of another site.
func TestWhatAnIDNeeds(t *testing.T) {
	t.Parallel()
	const who = `"name":"Ana","email":"ana@exemplo.com.br"`
	const drawn = `3f2504e0-4f89-41d3-9a0c-0305e82c3301`
	for _, c := range []struct {
		body string
		want IDNeeds
	}{
		{`{"delivery_id":"` + drawn + `",` + who + `}`, IDAlone}, {`{"event_uuid":"u","contact":{` + who + `}}`, IDAlone},
		{`{"form_response":{"token":"t1"},` + who + `}`, IDAlone},
		{`{"leadgen_id":"444444444444444",` + who + `}`, IDAlone},
		{`{"submissionID":"5971234567890123456","formID":"1",` + who + `}`, IDAlone},

		{`{"delivery_id":"7",` + who + `}`, IDAndEmail}, {`{"message_id":12,` + who + `}`, IDAndEmail},
		{`{"submission_id":42,"form_id":1,` + who + `}`, IDAndEmail}, {`{"lead_id":"77",` + who + `}`, IDAndEmail},
		{`{"order_id":"9","status":"paid","event":"order.paid",` + who + `}`, IDAndEmail},
		{`{"entry":{"form_id":"1","id":"42",` + who + `}}`, IDAndEmail},
		{`{"__submission":{"form_id":"1","id":"42"},` + who + `}`, IDAndEmail},
		{`{"Form":{"Id":"1"},"Entry":{"Number":42},` + who + `}`, IDAndEmail},
		{`{"order_key":"wc","id":1042,"status":"processing","billing":{` + who + `}}`, IDAndEmail},
		{`{"mautic.form_on_submit":[{"submission":{"id":4,"results":{` + who + `}}}]}`, IDAndEmail},
		{`{"event_type":"rows.created","event_id":"` + drawn + `","items":[{` + who + `}]}`, IDAndEmail},
		{`{"event":"PURCHASE_APPROVED","id":"` + drawn + `","data":{"buyer":{` + who + `}}}`, IDAndEmail},

		{`{"event_name":"Workshop de Vendas","event_id":"77",` + who + `}`, IDAndBody},
		{`{"action":"inscrever","event_id":"77",` + who + `}`, IDAndBody},
		{`{"event":"generate_lead","id":"form-contato","data":{` + who + `}}`, IDAndBody},
		{`{"type":"contato","id":"form-1","dados":{` + who + `}}`, IDAndBody},
		{`{"event":"lead.created","data":{"id":"landing-page",` + who + `}}`, IDAndBody},
		{`{"result_id":"perfil-a",` + who + `}`, IDAndBody},
	} {
		if d := mustRead(t, "", c.body); d.DeliveryID == "" || d.IDNeeds != c.want {
			t.Errorf("%s: %q needs %d, want %d", c.body, d.DeliveryID, d.IDNeeds, c.want)
		}
	}
}

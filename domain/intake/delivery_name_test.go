package intake

import "testing"

// TestDeliveryIDs: ids of the delivery or the submission are recognised, whatever the sender calls them.
func TestDeliveryIDs(t *testing.T) {
	t.Parallel()
	const who = `"name":"Ana","email":"ana@exemplo.com.br"`
	for _, c := range []struct{ body, want string }{
		{`{"id":"evt_1","object":"event","type":"customer.updated","data":{"object":{` + who + `}}}`, "stripe:evt_1"},
		{`{"id":"e-1","event":"PURCHASE_APPROVED","data":{"buyer":{` + who + `}}}`, "id:PURCHASE_APPROVED e-1"},
		{`{"id":"notif_1","type":"notification_event","topic":"contact.lead.created","data":{"item":{` + who + `}}}`,
			"id:notification_event notif_1"},
		{`{"id":"hook_1","type":"order.paid","data":{"customer":{` + who + `}}}`, "id:order.paid hook_1"},
		{`{"lead_id":"77",` + who + `}`, "leadid:77"}, {`{"leadgenId":"77",` + who + `}`, "leadgenid:77"},
		{`{"responseId":"r1","formId":"f1","answers":{` + who + `}}`, "responseid:f1 r1"},
		{`{"entry":{"lead_id":"9",` + who + `}}`, "leadid:9"}, {`{"entry_id":5,"form_id":9,` + who + `}`, "entryid:9 5"},
		{`{"data":{"submissionId":"s1",` + who + `}}`, "wix:s1"}, {`{"submission_id":"s1",` + who + `}`, "submissionid:s1"},
		{`{"event_type":"rows.created","event_id":"u-1","items":[{` + who + `}]}`, "eventid:rows.created u-1"},
		{`{"type":"records.after.insert","id":"1b9d","data":{"rows":[{` + who + `}]}}`, "id:records.after.insert 1b9d"},
		{`{"order_id":"o1","order_status":"paid","webhook_event_type":"order_approved","Customer":{` + who + `}}`,
			"orderid:order_approved paid o1"},
		{`{"triggerEvent":"BOOKING_CREATED","payload":{"uid":"b1","attendees":[{` + who + `}]}}`,
			"calcom:BOOKING_CREATED:b1"},
		{`{"event":"entry.create","model":"lead","entry":{"id":4,` + who + `}}`, "strapi:entry.create:lead:4"},
		{`{"event":"leads.items.create","key":7,"collection":"leads","payload":{` + who + `}}`,
			"directus:leads.items.create:leads:7"},
		{`{"event":"on_deal_created","data":{"id":1,"person":{` + who + `}}}`, "id:on_deal_created 1"},
		{`{"event_name":"crm_deal_created","transaction_uuid":"t-1","document":{` + who + `}}`, "transactionuuid:t-1"},
		{`[{"headers":{},"body":{"lead_id":"77",` + who + `}}]`, "leadid:77"},
	} {
		if d := mustRead(t, "", c.body); d.DeliveryID != c.want {
			t.Errorf("%s: %q, want %q", c.body, d.DeliveryID, c.want)
		}
	}
}

// TestIDsOfOthers: ids of the person, the form, the hook, the visit or a concert return with other submissions.
func TestIDsOfOthers(t *testing.T) {
	t.Parallel()
	const who = `"name":"Ana","email":"ana@exemplo.com.br"`
	for _, body := range []string{
		`{"id":"5","event":"contact_created",` + who + `,"custom":{"a":"b"}}`, `{"contact_id":"5",` + who + `}`,
		`{"respondent_id":"5",` + who + `}`, `{"visitor_id":"5","session_id":"6",` + who + `}`,
		`{"form_id":"5","formId":"5",` + who + `}`, `{"webhookId":"5","hook_id":"6",` + who + `}`,
		`{"event_id":"5","ticket_name":"VIP",` + who + `}`, `{"order_id":"5",` + who + `}`, `{"entry_id":"0",` + who + `}`,
		`{"entry_id":0,` + who + `}`, `{"lead_id":null,` + who + `}`,
		`{"id":"5","event":"conversation_updated","meta":{"sender":{` + who + `}}}`,
		`{"event":"items.update","key":7,"collection":"leads","payload":{` + who + `}}`,
		`{"event":"form_submitted","data":{"id":1,` + who + `}}`, `{"customer":{"id":"5",` + who + `}}`,
	} {
		if d := mustRead(t, "", body); d.DeliveryID != "" {
			t.Errorf("%s: %q", body, d.DeliveryID)
		}
	}
}

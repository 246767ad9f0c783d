package intake

import "testing"

func TestTestSubmissions(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"is_test":true}`: true, `{"is_test":"1"}`: true, `{"is_test":false}`: false,
		`{"email":"a@b.c","full_name":"<test lead: dummy data for full_name>"}`: true, `{"nome":"teste"}`: false,
		`[{"isTest":"true"}]`: true,
	} {
		if d := mustRead(t, "", body); d.Test != want {
			t.Errorf("%s: %v", body, d.Test)
		}
	}
}

func TestDeliveryIDsOfStrangers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"id":"1","email":"a@b.c"}`, `{"uuid":"1","token":"x","email":"a@b.c"}`,
		`{"leadOrigin":"ImovelWeb","originLeadId":"1","email":"a@b.c"}`, `[1]`, `{"data":{"id":1}}`} {
		if d := mustRead(t, "", body); d.DeliveryID != "" {
			t.Errorf("%s: %s", body, d.DeliveryID)
		}
	}
}

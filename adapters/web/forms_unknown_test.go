package web_test

import (
	"net/http"
	"net/url"
	"reflect"
	"testing"

	"fichario/domain/crm"
	"fichario/ports"
)

// TestAFieldThatAFormDoesNotHaveChangesNothing: extra fields with ids, an organisation or a role change nothing beyond
// the form's own fields, of a contact or of the member.
func TestAFieldThatAFormDoesNotHaveChangesNothing(t *testing.T) {
	t.Parallel()
	site := openSite(t)
	v, other := site.visitor("Ana"), site.visitor("Rui")
	id := v.lead(url.Values{"nome": {"Bia"}, "email": {"bia@example.com"}})
	smuggled := func(form url.Values) url.Values {
		for name, value := range map[string]string{
			"id": other.member.ID, "ID": other.member.ID, "org_id": other.by.OrgID(), "orgId": other.by.OrgID(),
			"OrgID": other.by.OrgID(), "papel": "member", "role": "member", "Role": "member", "responsavel": other.member.ID,
			"assignee": other.member.ID, "criado_em": "2001-01-01", "CreatedAt": "2001-01-01", "email_verificado": "true",
			"webhook_id": other.hook.ID, "versao.id": "x", "Form.ID": "x",
		} {
			form.Set(name, value)
		}
		return form
	}
	member := func() crm.Member {
		m, err := v.store.Repos().Members.Find(t.Context(), ports.AnyOrg, v.member.ID)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before, self := v.find(id), member()
	if status, _ := v.post("/contatos/"+id, smuggled(url.Values{"nome": {"Bia Nova"}, "email": {"bia@example.com"}})); status !=
		http.StatusSeeOther {
		t.Errorf("the contact's form: %d", status)
	}
	after := v.find(id)
	if after.Name != "Bia Nova" {
		t.Error("the form changes nothing, and so this shows nothing")
	}
	before.Name = after.Name
	if !reflect.DeepEqual(before, after) {
		t.Errorf("more of the contact changed:\n%+v\n%+v", before, after)
	}
	for path, form := range map[string]url.Values{
		"/conta/tema": {"tema": {"escuro"}}, "/conta/senha": {"atual": {"errada"}, "nova": {"uma-senha-nova"}},
	} {
		if status, _ := v.post(path, smuggled(form)); status >= http.StatusInternalServerError {
			t.Errorf("%s: %d", path, status)
		}
	}
	if now := member(); !reflect.DeepEqual(self, now) {
		t.Errorf("the member changed:\n%+v\n%+v", self, now)
	}
}

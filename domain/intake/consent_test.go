package intake

import (
	"fmt"
	"testing"
)

// TestConsents: only "sim" and true give a consent, whatever the body; other answers to what asks for one do not.
func TestConsents(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`{"email":"a@b.c","aceite":"sim"}`:                                                            "[{aceite  true}]",
		`{"email":"a@b.c","aceite":" SIM "}`:                                                          "[{aceite  true}]",
		`{"email":"a@b.c","aceite":true}`:                                                             "[{aceite  true}]",
		`{"email":"a@b.c","aceite":false}`:                                                            "[{aceite  false}]",
		`{"email":"a@b.c","aceite":"Não"}`:                                                            "[{aceite  false}]",
		`{"email":"a@b.c","aceite":"1"}`:                                                              "[{aceite  false}]",
		`{"email":"a@b.c","aceite":"sim, mas só às vezes"}`:                                           "[{aceite  false}]",
		`{"email":"a@b.c","aceite":["sim","não"]}`:                                                    "[{aceite  false}]",
		`{"email":"a@b.c","gdpr_consent":"true"}`:                                                     "[{gdpr_consent  true}]",
		`{"email":"a@b.c","tem_carro":"sim","cidade":"Campinas"}`:                                     "[{tem_carro  true}]",
		`{"email":"a@b.c","cidade":"Campinas"}`:                                                       "[]",
		`{"email":"a@b.c","fields":[{"name":"of","label":"Aceito receber ofertas?","value":"Sim"}]}`:  "[{of Aceito receber ofertas? true}]",
		`{"email":"a@b.c","opt_out":true}`:                                                            "[{opt_out  false}]",
		`{"email":"a@b.c","opt_out":false}`:                                                           "[{opt_out  false}]",
		`{"email":"a@b.c","HasOptedOutOfEmail":"true"}`:                                               "[{HasOptedOutOfEmail  false}]",
		`{"email":"a@b.c","unsubscribed":"sim"}`:                                                      "[{unsubscribed  false}]",
		`{"email":"a@b.c","do_not_contact":true,"dnd":true}`:                                          "[{dnd  false} {do_not_contact  false}]",
		`{"email":"a@b.c","Não quero receber e-mails":"sim"}`:                                         "[{Não quero receber e-mails  false}]",
		`{"email":"a@b.c","Quero receber novidades":"sim"}`:                                           "[{Quero receber novidades  true}]",
		`{"email":"a@b.c","fields":[{"name":"n","label":"Prefiro não quero receber","value":"sim"}]}`: "[{n Prefiro não quero receber false}]",
		`{"email":"a@b.c","opt_in":true,"opt_out":true}`:                                              "[{opt_in  true} {opt_out  false}]",
		`{"email":"a@b.c","newsletter_opt_out":true}`:                                                 "[{newsletter_opt_out  false}]",
		`{"email":"a@b.c","Aceito receber e posso me descadastrar":"sim"}`:                            "[{Aceito receber e posso me descadastrar  true}]",
		`{"email":"a@b.c","I agree, and can unsubscribe":true}`:                                       "[{I agree, and can unsubscribe  true}]",
		`{"email":"a@b.c","Não aceito receber e-mails":"sim"}`:                                        "[{Não aceito receber e-mails  false}]",
		`{"email":"a@b.c","Quero me descadastrar":"sim"}`:                                             "[{Quero me descadastrar  false}]",
		`{"email":"a@b.c","Quero deixar de receber e-mails":"sim"}`:                                   "[{Quero deixar de receber e-mails  false}]",
		`{"email":"a@b.c","Marketing: opt out":"sim"}`:                                                "[{Marketing: opt out  false}]",
	} {
		if got := fmt.Sprint(mustRead(t, "application/json", body).Consents); got != want {
			t.Errorf("%s: %s, want %s", body, got, want)
		}
	}
	d := mustRead(t, "application/x-www-form-urlencoded", "email=a%40b.c&aceita_marketing=Sim")
	if got := fmt.Sprint(d.Consents); got != "[{aceita_marketing  true}]" {
		t.Errorf("a form: %s", got)
	}
	lead := `{"id":"700000000000001","created_time":"2026-01-02T03:04:05+0000","field_data":[{"name":"email","values":["a@b.c"]}],
		"custom_disclaimer_responses":[{"checkbox_key":"ofertas","label":"Aceito ofertas","is_checked":"1"},
		{"checkbox_key":"parceiros","label":"Aceito parceiros","is_checked":""},
		{"checkbox_key":"sem_titulo","is_checked":"1"}]}`
	if got := fmt.Sprint(mustRead(t, "application/json", lead).Consents); got != "[{ofertas Aceito ofertas true} {parceiros Aceito parceiros false} {sem_titulo Consentimento sem_titulo true}]" {
		t.Errorf("a lead of Meta: %s", got)
	}
}

package app_test

import (
	"fmt"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/intake"
	"fichario/domain/webhook"
)

// TestRefusalsOfOneShapeBecomeContacts: once the webhook knows its key of the e-mail, the posts that were refused for
// want of one are replayed together, each once; others stay refused.
func TestRefusalsOfOneShapeBecomeContacts(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	for i := range intake.AlikeAtOnce + 3 {
		body := fmt.Sprintf(`{"nome":"Ana %d","receipt_to":"a%d@x.example"}`, i, i)
		_, err := s.intake.Receive(t.Context(), hook, post(body))
		equal(t, "a post without an e-mail", said(err), "email_invalido email")
	}
	_, _ = s.intake.Receive(t.Context(), hook, post(`{"nome":"Bia","receipt_to":"sem arroba"}`))
	_, _ = s.intake.Receive(t.Context(), hook, post(`{"nome":"Caio","cor":"azul"}`))
	_, _ = s.intake.Receive(t.Context(), hook, post(`not a form`))
	_, _ = s.intake.Receive(t.Context(), hook, post(`{"id_envio":"1","email":"dora@x.example"}`))
	equal(t, "without a key", len(must(s.intake.Alike(t.Context(), app.Operator(), hook.ID, ""))), 0)
	equal(t, "of another key", len(must(s.intake.Alike(t.Context(), app.Operator(), hook.ID, "cor"))), 0)
	equal(t, "of the key", len(must(s.intake.Alike(t.Context(), app.Operator(), hook.ID, "receipt_to"))), intake.AlikeAtOnce)

	done(s.webhooks.Update(t.Context(), app.Operator(), hook.ID, intake.Change{EmailKey: at(" receipt_to ")}))
	equal(t, "the first", must(s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)),
		intake.Replays{Contacts: intake.AlikeAtOnce, More: true})
	equal(t, "the rest", must(s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)), intake.Replays{Contacts: 3})
	equal(t, "once more", must(s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)), intake.Replays{})
	equal(t, "contacts", len(must(s.store.Repos().Contacts.Page(t.Context(), s.orgID, "", 500))), intake.AlikeAtOnce+4)

	token := must(s.webhooks.Show(t.Context(), app.Operator(), hook.ID)).Token.Reveal()
	again := must(s.intake.Open(t.Context(), token))
	_, err := s.intake.Receive(t.Context(), again, post(`{"nome":"Eva","receipt_to":"eva@x.example"}`))
	equal(t, "the next post", said(err), "")
	_, _ = s.intake.Receive(t.Context(), hook, post(`{"nome":"Gil","receipt_to":"gil@x.example"}`))
	done(s.webhooks.Update(t.Context(), app.Operator(), hook.ID, intake.Change{Enabled: at(false)}))
	_, err = s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)
	equal(t, "of a disabled webhook", said(err), "webhook_desabilitado")
}

// TestARefusedPostUnderAUsedKeyBecomesAContact: a sender that has one Idempotency-Key for everybody loses no lead, for
// its posts can be replayed, each once; the sender itself is still refused.
func TestARefusedPostUnderAUsedKeyBecomesAContact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func(body string) (string, error) {
		made, err := s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", "fixa"))
		return made.ContactID, err
	}
	const other, several = `{"email":"b@x.example"}`, `[{"email":"c@x.example"},{"email":"d@x.example"}]`
	first := must(send(`{"email":"a@x.example"}`))
	for _, body := range []string{other, other, several} {
		_, err := send(body)
		equal(t, "another body", said(err), "chave_reutilizada Idempotency-Key")
	}
	refused := must(s.intake.Deliveries(t.Context(), app.Operator(), hook.ID, webhook.Refused, "", 10))
	two, again, one := refused[0].ID, refused[1].ID, refused[2].ID
	made := must(s.intake.Replay(t.Context(), app.Operator(), one))
	equal(t, "another contact", made.Made() == 1 && made.ContactID != first, true)
	for _, id := range []string{one, again} { // the sender had tried twice
		equal(t, "once more", must(s.intake.Replay(t.Context(), app.Operator(), id)).ContactID, made.ContactID)
	}
	equal(t, "several people", must(s.intake.Replay(t.Context(), app.Operator(), two)).Made(), 2)
	_, err := send(other)
	equal(t, "the sender", said(err), "chave_reutilizada Idempotency-Key")
	equal(t, "the first one's retry", must(send(`{"email":"a@x.example"}`)), first)
	equal(t, "contacts", len(must(s.store.Repos().Contacts.Page(t.Context(), s.orgID, "", 10))), 4)
}

// TestARefusedPostWithALongKeyBecomesAContact: what is wrong with a sender's key costs no lead.
func TestARefusedPostWithALongKeyBecomesAContact(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook, long := s.hook(webhook.Signature{}), strings.Repeat("k", app.RequestKeyMax+1)
	for _, body := range []string{`{"email":"a@x.example"}`, `{"email":"a@x.example"}`, `{"email":"b@x.example"}`} {
		_, err := s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", long))
		equal(t, "a long key", said(err), "requisicao_invalida Idempotency-Key")
	}
	made := map[string]bool{}
	for _, d := range must(s.intake.Deliveries(t.Context(), app.Operator(), hook.ID, webhook.Refused, "", 10)) {
		made[must(s.intake.Replay(t.Context(), app.Operator(), d.ID)).ContactID] = true
	}
	equal(t, "contacts", len(made), 2)
}

// TestRefusalsUnderOneKeyBecomeContactsTogether: the first takes the key, the others go with their bodies.
func TestRefusalsUnderOneKeyBecomeContactsTogether(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	for i := range 3 {
		for range 2 { // the sender tries twice
			body := fmt.Sprintf(`{"nome":"Ana %d","receipt_to":"a%d@x.example"}`, i, i)
			_, err := s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", "fixa"))
			equal(t, "a post without an e-mail", said(err), "email_invalido email")
		}
	}
	done(s.webhooks.Update(t.Context(), app.Operator(), hook.ID, intake.Change{EmailKey: at("receipt_to")}))
	equal(t, "of the key", len(must(s.intake.Alike(t.Context(), app.Operator(), hook.ID, ""))), 3)
	equal(t, "together", must(s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)), intake.Replays{Contacts: 3})
	equal(t, "once more", must(s.intake.ReplayAlike(t.Context(), app.Operator(), hook.ID)), intake.Replays{})
	equal(t, "refused again", len(must(s.intake.Deliveries(t.Context(), app.Operator(), hook.ID, webhook.Refused, "", 10))), 6)
}

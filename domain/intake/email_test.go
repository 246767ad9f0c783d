package intake

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"fichario/domain/fault"
)

func TestCheckEmail(t *testing.T) {
	t.Parallel()
	d := mustRead(t, "", `{"nome":"Ana","fone":"11 99999-0000"}`)
	err := d.CheckEmail()
	var f *fault.Error
	if !errors.As(err, &f) || f.Code != fault.InvalidEmail || f.Field != "email" ||
		!strings.Contains(f.Message, "nome, fone") || strings.Contains(f.Message, "Ana") {
		t.Errorf("%+v", f)
	}
	for _, body := range []string{
		`{"nome":"Ana","E-mail":"não tenho"}`, `{"nome":"Ana","E-mail":""}`, `{"E-mail":null,"nome":"Ana"}`,
		`{"answers":[{"type":"email","email":"nada","field":{"id":"a","type":"email"}}],
			"definition":{"fields":[{"id":"a","title":"E-mail"}]}}`,
	} {
		if !errors.As(mustRead(t, "", body).CheckEmail(), &f) || !strings.Contains(f.Message, `"E-mail"`) ||
			strings.Contains(f.Message, "tenho") {
			t.Errorf("%s: %+v", body, f)
		}
	}
	// What else arrived is named too, by its keys and within their bounds.
	many := `{"email":"nada"`
	for i := range 60 {
		many += fmt.Sprintf(`,"campo %02d":"resposta"`, i)
	}
	for body, want := range map[string]string{
		`{"nome":"Ana","E-mail":"não tenho","fone":"11 99999-0000"}`: "Campos recebidos: nome, E-mail, fone.",
		`{"nome":"Ana","E-mail":"","x":[]}`:                          "Campos recebidos: nome, E-mail, x.",
		`{"nome":"Ana","E-mail":"nada","11999990000":"x"}`:           "Campos recebidos: nome, E-mail, (um número).",
		many + "}": "campo 38.",
	} {
		if !errors.As(mustRead(t, "", body).CheckEmail(), &f) || !strings.HasSuffix(f.Message, want) ||
			strings.Contains(f.Message, "Ana") || strings.Contains(f.Message, "9999") ||
			strings.Contains(f.Message, "resposta") {
			t.Errorf("%.80s: %+v", body, f)
		}
	}
	if err := (Draft{Email: "a@b"}).CheckEmail(); err != nil {
		t.Error(err)
	}
}

func TestEmails(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" Ana@Exemplo.com ": "Ana@Exemplo.com", "Ana <ana@x.com>": "ana@x.com", "mailto:ana@x.com": "ana@x.com",
		"<ana@x.com>": "ana@x.com", "a@x.com, b@x.com": "a@x.com", "a@x.com;b@x.com": "a@x.com",
		"meu é ana@x.com":                          "ana@x.com",
		"<a href='mailto:ana@x.com'>ana@x.com</a>": "ana@x.com", "<p>ana@x.com</p>": "ana@x.com",
		"ana@x.com<br/>":       "ana@x.com",
		"Ana <ana@x.com> </b>": "ana@x.com", "@": "@", "ana@": "ana@", "mailto:ana@x.com?subject=oi": "ana@x.com",
		"<mailto:ana@x.com|ana@x.com>": "ana@x.com", "'ana@x.com'": "ana@x.com", "' ana@x.com '": "ana@x.com",
		"\u200bana@x.com": "ana@x.com", strings.Repeat("a", 320) + "@x.com": "", "ana@x": "ana@x",
	} {
		if d := mustRead(t, "", `{"email":"`+text+`"}`); d.Email != want {
			t.Errorf("%q: %q, want %q", text, d.Email, want)
		}
	}
}

// TestQuotes: quotes around an address are removed, its own stay.
func TestQuotes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"joao silva"@exemplo.com`: `"joao silva"@exemplo.com`, `"joao"@x.com`: `"joao"@x.com`, `"joao@x.com"`: `joao@x.com`,
		`'joao@x.com'`: `joao@x.com`, `" joao@x.com "`: `joao@x.com`, `"'joao@x.com'"`: `joao@x.com`,
		`""joao"@x.com"`: `"joao"@x.com`, `o'neil@x.com`: `o'neil@x.com`,
		`"silva, joao; jr"@x.com`:   `"silva, joao; jr"@x.com`,
		`Joao <"joao silva"@x.com>`: `"joao silva"@x.com`, `"Joao" <joao@x.com>`: `joao@x.com`,
		`"Joao" joao@x.com`: `joao@x.com`, `"Joao Silva" "joao"@x.com`: `"joao"@x.com`,
		`meu é "joao silva"@x.com`: `"joao silva"@x.com`, `meu é "joao@x.com"`: `joao@x.com`,
		`escreva "meu é joao@x.com"`: `joao@x.com`, `use 'joao@x.com ou outro'`: `joao@x.com`,
		`a@x.com"`: `a@x.com`, `"a@x.com`: `a@x.com`,
		`"a b"@x.com, c@x.com`: `"a b"@x.com`, `c@x.com, "a b"@x.com`: `c@x.com`, `"a\" b"@x.com`: `"a\" b"@x.com`,
		`"`: ``, `"@"`: `@`, `mailto:"joao silva"@x.com`: `"joao silva"@x.com`,
	} {
		body, err := json.Marshal(map[string]string{"email": text})
		if err != nil {
			t.Fatal(err)
		}
		if d := mustRead(t, "", string(body)); d.Email != want {
			t.Errorf("%s: %s, want %s", text, d.Email, want)
		}
	}
	d := mustRead(t, "", `{"email":"Joao <\"joao silva\"@x.com>"}`)
	if d.Name != "Joao" || d.Note() != "" {
		t.Errorf("%+v", d)
	}
}

// TestEmailsOfOthers: the address of the form's owner, of a seller or of a relative is not the contact's.
func TestEmailsOfOthers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"user":"dono@x.com","nome":"A"}`, `{"contact_owner_email":"dono@x.com"}`,
		`{"Entry":{"User":{"Email":"dono@x.com"}},"$version":1}`, `{"charge":{"receipt_email":"dono@x.com"}}`,
		`{"receipt_email":"dono@x.com"}`, `{"producer":{"email":"dono@x.com"}}`, `{"username":"dono@x.com"}`,
		`{"to":"dono@x.com"}`, `{"conjuge":{"email":"dono@x.com"}}`, `{"jid":"5511988887777@s.whatsapp.net"}`,
		`{"identity":"5511988887777@wa.gw.msging.net"}`,
		`{"leads":[{"id":"1","name":"Lia","personal_phone":"11987654321","user":{"email":"dono@x.com","name":"Dono"}}]}`,
		`{"contacts":[{"name":"Lia","phones":[{"phone":"11987654321"}]}],"user":{"email":"dono@x.com","name":"Dono"}}`,
		`{"nome":"Lia","telefone":"11987654321","user":{"email":"dono@x.com","name":"Dono"}}`,
		`{"first_name":"Lia","user":{"email":"dono@x.com","first_name":"Dono","last_name":"Lima"}}`,
		`{"email":"nao tenho","nome":"Lia","email_do_amigo":"amigo@x.com"}`, `{"email":"x","outro":"a@x.com"}`,
		`{"nome":"Lia","Quem indicou?":"amigo@x.com"}`,
	} {
		if d := mustRead(t, "", body); d.Email != "" {
			t.Errorf("%s: the owner's %q", body, d.Email)
		}
	}
}

// TestEmailsOfUsers: a person who signs up is often called a user, and is the contact if nobody else is named.
func TestEmailsOfUsers(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"event":"signup","user":{"email":"ana@x.com","name":"Ana"}}`,
		`{"user":{"email":"ana@x.com","name":"Ana Lima"},"nome":"Ana","telefone":"11987654321"}`,
		`{"user":{"email":"ana@x.com","name":"Ana"},"telefone":"11987654321"}`,
		`{"user":{"email":"ana@x.com"},"nome":"Ana","telefone":"11987654321"}`,
		`{"name":"Formulário do site","user":{"email":"ana@x.com","name":"Ana"}}`,
		`{"name":"Formulário do site","first_name":"Ana","user":{"email":"ana@x.com","name":"Ana Lima"}}`,
		`{"email":"sim","2":"ana@x.com"}`, `{"email":true,"2":"ana@x.com"}`,
	} {
		if d := mustRead(t, "", body); d.Email != "ana@x.com" {
			t.Errorf("%s: %q", body, d.Email)
		}
	}
}

// TestAPlusThatNobodyEncoded is one where the @ beside it was not encoded either.
func TestAPlusThatNobodyEncoded(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		"email=maria+crm@x.com&nome=Maria":              "maria+crm@x.com",
		"nome=Maria&fields[email]=m+a+b@x.com":          "m+a+b@x.com",
		"email=maria%2Bcrm%40x.com&nome=Maria":          "maria+crm@x.com",
		"email=maria%2Bcrm@x.com&nome=Maria":            "maria+crm@x.com",
		"email=Maria+maria%40x.com&nome=Maria":          "maria@x.com",
		"email=Maria+%3Cmaria@x.com%3E&nome=Maria":      "maria@x.com",
		"email=maria@x.com&mensagem=Ligue+para+b@x.com": "maria@x.com",
	} {
		if d := mustRead(t, formType, body); d.Email != want {
			t.Errorf("%s: %q, want %q", body, d.Email, want)
		}
	}
	if d := mustRead(t, formType, "email=a@x.com&mensagem=Ligue+para+b@x.com"); d.Message != "Ligue para b@x.com" {
		t.Errorf("the message is %q", d.Message)
	}
}

// TestNotificationOfMeta has ids only: a webhook of another kind refuses it, and the refusal says what to do.
func TestNotificationOfMeta(t *testing.T) {
	t.Parallel()
	const body = `{"object":"page","entry":[{"id":"153125381133","time":1757858400,"changes":[{"field":"leadgen",
		"value":{"leadgen_id":"4444","page_id":"153125381133","form_id":"2","adgroup_id":"8","ad_id":"9",
		"created_time":1757858400}}]}]}`
	d := mustRead(t, "", body)
	var refusal *fault.Error
	if !errors.As(d.CheckEmail(), &refusal) || !strings.Contains(refusal.Message, "só tem ids") || d.DeliveryID != "" {
		t.Errorf("%v, %q", refusal, d.DeliveryID)
	}
}

// TestAddressesOfTheSite: the address in a hidden field, to which the site's mail goes, is not the lead's, also where
// the lead's own is missing. One that a question asks for is.
func TestAddressesOfTheSite(t *testing.T) {
	t.Parallel()
	for _, key := range []string{
		"email_destino", "emailDestino", "emaildestino", "destino_email", "destinatario", "email_destinatario", "recipient",
		"recipient_email", "email_to", "send_email_to", "_to", "to", "mail-to", "email_copia", "email_cc", "copia",
		"email_notificacao", "notification_email", "Notification email", "email_notificacion", "notify",
	} {
		for _, email := range []string{"", "ana", "ana@x.com"} {
			d := mustRead(t, formType, pairs("nome", "Ana", "email", email, key, "vendas@empresa.com.br"))
			want := ""
			if email == "ana@x.com" {
				want = email
			}
			if d.Email != want {
				t.Errorf("%s, e-mail %q: %q", key, email, d.Email)
			}
		}
		if d := mustRead(t, formType, pairs("nome", "Ana", key, "vendas@empresa.com.br")); d.Email != "" {
			t.Errorf("%s alone: %q", key, d.Email)
		}
	}
	for _, key := range []string{
		"E-mail para receber notificações", "Which email should we send the copy to?", "Correo para la notificacion",
		"email_contato_site", "Seu e-mail",
	} {
		if d := mustRead(t, formType, pairs("nome", "Ana", key, "ana@x.com")); d.Email != "ana@x.com" {
			t.Errorf("%s: %q", key, d.Email)
		}
	}
}

// TestAnAddressInAText counts where nothing else has one, and the text says whose it is.
func TestAnAddressInAText(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		`"text":{"message":"Oi, meu e-mail é ana@x.com, obrigada"}`:          "ana@x.com",
		`"mensagem":"Nome: Ana\nE-mail: ana@x.com"`:                          "ana@x.com",
		`"mensagem":"Mandei para o e-mail vendas@loja.com e ninguém viu"`:    "",
		`"mensagem":"meu e-mail é ana@x.com ou bia@x.com"`:                   "",
		`"email":"rui@x.com","mensagem":"meu e-mail é ana@x.com"`:            "rui@x.com",
		`"email":"","mensagem":"o e-mail do suporte é: ajuda@loja.com"`:      "",
		`"fromMe":true,"mensagem":"meu e-mail é vendas@loja.com"`:            "",
		`"operatorEmail":"bot@loja.com","text":"Meu email: ana@x.com"`:       "ana@x.com",
		`"mensagem":"Não recebo no meu email! mandei de vendas@loja.com"`:    "",
		`"mensagem":"email do meu chefe: rui@x.com"`:                         "",
		`"mensagem":"Meu pai usa o email: rui@x.com"`:                        "",
		`"footer":"Dúvidas? E-mail: dpo@loja.com","nome":"Ana"`:              "",
		`"politica":"Para sair, escreva ao e-mail: sair@loja.com"`:           "",
		`"mensagem":"Chamo-me Ana, meu melhor e-mail: ana@x.com"`:            "ana@x.com",
		`"mensagem":"Nome: Ana, E-mail: ana@x.com, tel 11987654321"`:         "ana@x.com",
		`"mensagem":"my email address is <ana@x.com>"`:                       "ana@x.com",
		`"observacao":"responder em seu email: ana@x.com","nome":"Ana Lima"`: "ana@x.com",
	} {
		d := mustRead(t, "", "{"+body+"}")
		if d.Email != want || want == "ana@x.com" && !strings.Contains(d.Note(), "ana@x.com") {
			t.Errorf("%s: %q, %q", body, d.Email, d.Note())
		}
	}
}

// TestAFieldOfTheEmailWithoutOne: a refusal never asks for a field "email" that it lists among those received.
func TestAFieldOfTheEmailWithoutOne(t *testing.T) {
	t.Parallel()
	for _, sent := range []string{
		`"ab"`, `"no"`, `"n/a"`, `"-"`, `"não"`, `"null"`, `"529.982.247-25"`, `"11987654321"`, `""`, `true`, `false`, `null`, `[]`,
		`{}`, `[""]`, `0`, `["no"]`, `"https://exemplo.com.br"`, `"2026-11-30"`, `"01a22b6d-8476-72d9-84a6-ac64c4c0b5f7"`,
	} {
		for _, key := range []string{"email", "Seu e-mail"} {
			body := fmt.Sprintf(`{"nome":"Ana",%q:%s}`, key, sent)
			d := mustRead(t, "", body)
			want := `O campo "` + key + `" foi reconhecido como o e-mail, mas não tem um endereço com @`
			var f *fault.Error
			if err := d.CheckEmail(); !errors.As(err, &f) || !strings.HasPrefix(f.Message, want) {
				t.Errorf("%s: %+v", body, f)
			}
		}
	}
}

// TestAnotherPersonsAddressIsNoEmptyField: a refusal does not say of somebody else's address that it has no @.
func TestAnotherPersonsAddressIsNoEmptyField(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"nome":"Ana","vendedor":{"email":"vera@exemplo.com.br"}}`, `{"nome":"Ana","seller_email":"vera@exemplo.com.br"}`,
		`{"nome":"Ana","agent":{"name":"Vera","email":"vera@exemplo.com.br"}}`,
	} {
		d := mustRead(t, "", body)
		var f *fault.Error
		if err := d.CheckEmail(); errors.As(err, &f) && strings.Contains(f.Message, "não tem um endereço com @") {
			t.Errorf("%s: %+v", body, f)
		}
	}
}

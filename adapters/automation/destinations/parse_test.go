package destinations

import (
	"strings"
	"testing"
)

const good = `name: meu-crm
title: Meu CRM
repeat: O e-mail é a chave.
fields:
  token: { title: Token, secret: true }
method: PUT
address: https://crm.example/leads
headers: { Authorization: "Bearer ${token}", Idempotency-Key: "${id}" }
body: |
  {nome: $contact.nome,
   id: $id}
done: .status == 200
exists: { answer: .status == 409 }
`

func TestParse(t *testing.T) {
	t.Parallel()
	if _, err := Parse([]byte(good)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, new, want string }{
		{"name: meu-crm", "name: Meu CRM", "line 1: name: must be at most 64 lower-case letters"},
		{"repeat: O e-mail é a chave.", "", "line 1: repeat: is missing"},
		{"title: Meu CRM", "titel: Meu CRM", "line 2: titel: unknown key"},
		{"secret: true", "secret: sim", "line 5: fields.token.secret: must be true or false"},
		{"secret: true", "pattern: '['", "line 5: fields.token.pattern: is not a regular expression"},
		{"token: { title", "id: { title", "line 5: fields.id: a field is at most 32 lower-case"},
		{"token: { title", "Token: { title", "line 5: fields.Token: a field is at most 32 lower-case"},
		{"${token}", "${tokne}", "line 8: headers.Authorization: ${tokne} is not one of the fields"},
		{"${token}", "x", "line 4: fields: token is not used"},
		{"${token}", "${token", "line 8: headers.Authorization: a ${ must be followed"},
		{"Authorization:", "Content-Length:", "line 8: headers.Content-Length: cannot be set"},
		{"Authorization:", "idempotency-key:", "headers.Idempotency-Key: is repeated"},
		{"method: PUT", "method: TRACE", "line 6: method: must be one of"},
		{"method: PUT", "method: GET", "line 9: body: a GET cannot have a body"},
		{"https://crm", "ftp://crm", "line 7: address: must be an address"},
		{"https://crm", "https://u:p@crm", "line 7: address: must be an address"},
		{"https://crm", "${token}crm", "line 7: address: a field stands before the host"},
		{"   id: $id}", "   id: $id", "line 12: body: the jq does not compile: unexpected EOF"},
		{"   id: $id}", "   id: env.HOME}", "line 9: body: the jq does not compile: function not defined: env/0"},
		{"   id: $id}", "   id: $nada}", "line 9: body: the jq does not compile: variable not defined"},
		{"{ answer: .status == 409 }", "{}", "line 13: exists: needs a search, an answer, or both"},
		{"{ answer: .status == 409 }", "{ search: { found: .a } }", "line 13: exists.search.address: is missing"},
		{
			"{ answer: .status == 409 }", "{ search: { address: 'https://a.example/' } }",
			"line 13: exists.search.found: is missing",
		},
		{good, "- a\n", "line 1: the file must be a mapping with name"},
		{good, "a: [", "the YAML cannot be read"},
	} {
		_, err := Parse([]byte(strings.Replace(good, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s → %s: got %v, want %s", c.old, c.new, err, c.want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(good)
	for _, name := range names {
		src, _ := files.ReadFile(name + ".yaml")
		f.Add(string(src))
	}
	f.Fuzz(func(_ *testing.T, src string) {
		if file, err := Parse([]byte(src)); err == nil {
			_, _ = file.Fill(map[string]string{"token": "x"})
		}
	})
}

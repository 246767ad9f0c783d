package web

// Snippet explains how to connect a form to a webhook.
type Snippet struct {
	ID, Name string
	// Code is to be pasted, Steps are to be followed; either may be empty.
	Code  string
	Steps []string
}

// Snippets are those for a webhook's address.
func Snippets(url string) []Snippet {
	paste := "Cole o endereço acima em URL e guarde."
	test := "Envie uma resposta de teste: ela aparece em Entregas em segundos."
	return []Snippet{
		{ID: "html", Name: "HTML", Code: `<form method="post" action="` + url + `">
  <input name="nome" placeholder="Nome">
  <input name="email" type="email" placeholder="E-mail" required>
  <input name="telefone" type="tel" placeholder="Telefone">
  <textarea name="mensagem" placeholder="Mensagem"></textarea>
  <button>Enviar</button>
</form>`},
		{ID: "curl", Name: "curl", Code: `curl -H 'Content-Type: application/json' \
  -d '{"nome":"Bia Rocha","email":"bia@example.com","telefone":"(11) 98765-4321","valor":"R$ 1.500"}' \
  '` + url + `'`},
		{
			ID: "elementor", Name: "Elementor",
			Steps: []string{"No formulário, abra Actions After Submit e acrescente Webhook.", paste, "Publique a página.", test},
		},
		{ID: "typeform", Name: "Typeform", Steps: []string{
			"No formulário, abra Connect, depois Webhooks, e escolha Add a webhook.", paste,
			"Ligue o webhook e use Send test request.",
			"Se definir um segredo lá, escreva o mesmo em Editar, com a assinatura Typeform.",
		}},
		{
			ID: "respondi", Name: "Respondi",
			Steps: []string{"No formulário, abra Integrações e escolha Webhook.", paste, "Ative a integração.", test},
		},
		{ID: "tally", Name: "Tally", Steps: []string{
			"No formulário, abra Integrations e conecte Webhooks.", paste,
			"Se definir um signing secret lá, escreva o mesmo em Editar, com a assinatura Tally.", test,
		}},
		{ID: "google", Name: "Google Forms", Code: `function aoEnviar(e) {
  UrlFetchApp.fetch('` + url + `', {
    method: 'post',
    contentType: 'application/json',
    payload: JSON.stringify(e.namedValues)
  })
}`, Steps: []string{
			"Na planilha de respostas, abra Extensões, depois Apps Script, e cole o código.",
			"Em Acionadores, acrescente um para a função aoEnviar, ao enviar o formulário.", test,
		}},
	}
}

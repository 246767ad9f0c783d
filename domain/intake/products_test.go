package intake

import (
	"net/url"
	"strings"
	"testing"
)

// product is a body in the shape of a product, and what a sensible person expects of it.
type product struct {
	name     string
	kind     Kind
	typ      string // of the content; JSON when empty
	body     string
	email    string
	nome     string
	fone     string
	empresa  string
	valor    int64 // whole reais
	mensagem string
	origem   string
	fallback string
	delivery string
	note     []string
	not      []string
	test     bool
}

const formType = "application/x-www-form-urlencoded"

// pairs makes an urlencoded body of alternating keys and values.
func pairs(kv ...string) string {
	var b strings.Builder
	for i := 0; i < len(kv); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(kv[i]) + "=" + url.QueryEscape(kv[i+1]))
	}
	return b.String()
}

var products = []product{
	{
		name: "elementor advanced", typ: formType,
		body: pairs("form[id]", "5d1f", "form[name]", "Contato", "fields[name][id]", "name", "fields[name][type]", "text", "fields[name][title]", "Nome",
			"fields[name][value]", "Iara Melo", "fields[name][raw_value]", "Iara Melo", "fields[name][required]", "1",
			"fields[email][id]", "email", "fields[email][type]", "email", "fields[email][title]", "E-mail", "fields[email][value]", "iara@exemplo.com.br",
			"fields[email][raw_value]", "iara@exemplo.com.br", "fields[field_1a2b][id]", "field_1a2b", "fields[field_1a2b][type]", "tel",
			"fields[field_1a2b][title]", "Celular", "fields[field_1a2b][value]", "(11) 98888-1111", "fields[field_9][id]", "field_9",
			"fields[field_9][type]", "select", "fields[field_9][title]", "Qual plano?", "fields[field_9][value]", "Ouro",
			"fields[message][id]", "message", "fields[message][type]", "textarea", "fields[message][title]", "", "fields[message][value]", "Oi",
			"meta[date][title]", "Data", "meta[date][value]", "14 de setembro", "meta[page_url][title]", "URL da página",
			"meta[page_url][value]", "https://x.com.br/lp?utm_source=tiktok", "meta[user_agent][title]", "Agente de usuário",
			"meta[user_agent][value]", "Mozilla/5.0", "meta[remote_ip][title]", "IP Remoto", "meta[remote_ip][value]", "203.0.113.9"),
		email: "iara@exemplo.com.br", nome: "Iara Melo", fone: "(11) 98888-1111", mensagem: "Oi", fallback: "tiktok",
		note: []string{"Qual plano?: Ouro", "x.com.br/lp"}, not: []string{"Mozilla", "203.0.113", "field_9"},
	},
	{
		name: "wix", body: `{"data":{"formName":"Contato","formId":"f1","submissionId":"s-77","submissionTime":"2026-09-14T15:00:00.000Z",
			"submissions":[{"label":"Nome","value":"Ivo"},{"label":"Sobrenome","value":"Reis"},{"label":"E-mail","value":"ivo@exemplo.com.br"},
			{"label":"Qual serviço?","value":"Poda"},{"label":"Telefone","value":"+55 48 99911-2233"}],
			"field:first_name_ab12":"Ivo","field:last_name_1f2e":"Reis","field:email_c3d4":"ivo@exemplo.com.br","field:comp-k9":"Poda",
			"field:phone_77aa":"+55 48 99911-2233","contactId":"c-1","contact":{"name":{"first":"Ivo","last":"Reis"},"email":"ivo@exemplo.com.br",
			"phone":"+5548999112233","locale":"pt-br","phones":[{"id":"p","tag":"UNTAGGED","phone":"+5548999112233","primary":true}]}}}`,
		email: "ivo@exemplo.com.br", nome: "Ivo Reis", fone: "+55 48 99911-2233", delivery: "wix:s-77", note: []string{"Qual serviço?: Poda"},
		not: []string{"comp-k9", "c-1", "5548999112233"},
	},
	{
		name: "webflow v2", body: `{"triggerType":"form_submission","payload":{"name":"Contact Form","siteId":"5f","data":{"First Name":"Rui",
			"Last Name":"Alves","Email Address":"rui@exemplo.com.br","Phone Number":15550000000,"Assunto":"Obra"},"schema":[{"fieldName":"First Name",
			"fieldType":"FormTextInput","fieldElementId":"x"}],"submittedAt":"2026-09-14T10:00:00Z","id":"6321","formId":"ff","formElementId":"el",
			"pageId":"pg","pageUrl":"https://rui.com/contato"}}`,
		email: "rui@exemplo.com.br", nome: "Rui Alves", fone: "15550000000", delivery: "webflow:6321", note: []string{"Assunto: Obra", "rui.com/contato"},
		not: []string{"6321", "FormTextInput"},
	},
	{
		name: "webflow without a name", body: `{"triggerType":"form_submission","payload":{"name":"Contact Form","siteId":"5f",
			"data":{"Email":"so@exemplo.com.br"},"id":"6322","formId":"ff"}}`,
		email: "so@exemplo.com.br", nome: "Lead sem nome", delivery: "webflow:6322", note: []string{"Contact Form"},
	},
	{
		name: "framer", body: `{"Name":"Noa Dias","Email":"noa@exemplo.com.br","Location":"Recife","Message":"Oi!"}`,
		email: "noa@exemplo.com.br", nome: "Noa Dias", mensagem: "Oi!", note: []string{"Location: Recife"},
	},
	{
		name: "formbricks", kind: FormService, body: `{"webhookId":"w1","event":"responseFinished","data":{"id":"r-9","createdAt":"2026-09-14T10:00:00Z",
			"updatedAt":"2026-09-14T10:00:00Z","surveyId":"cm1","finished":true,"data":{"hp6kjxvpu1a9lzkj5fu3cfyh":"Beto Nunes",
			"c5b07hfxk3xwqk4k2mqpl8nr":"beto@exemplo.com.br","kq1l3p0vxw3dzr5bq8w7vn2m":"(21) 97777-8888"},"variables":{"score1":0},
			"ttc":{"hp6kjxvpu1a9lzkj5fu3cfyh":1830,"_total":8800},"tags":[],"meta":{"url":"https://app.exemplo.com/s/1","country":"BR",
			"userAgent":{"os":"macOS","browser":"Chrome"}},"survey":{"title":"NPS","type":"link"}}}`,
		email: "beto@exemplo.com.br", nome: "beto", fone: "(21) 97777-8888", delivery: "formbricks:r-9", note: []string{"Beto Nunes"},
		not: []string{"8800", "macOS", "1830"},
	},
	{
		name: "fillout", kind: FormService, body: `{"formId":"v4","formName":"Cadastro","submission":{"submissionId":"abc","submissionTime":"2026-09-14T10:00:00Z",
			"questions":[{"id":"a","name":"Seu nome","type":"ShortAnswer","value":"Lia Sá"},{"id":"b","name":"Melhor e-mail","type":"EmailInput",
			"value":"lia@exemplo.com.br"},{"id":"c","name":"WhatsApp","type":"PhoneNumber","value":"+5531988887777"},
			{"id":"d","name":"Interesses","type":"MultipleChoice","value":["A","B"]},{"id":"e","name":"Quantos funcionários?","type":"NumberInput","value":12}],
			"calculations":[],"urlParameters":[{"id":"utm_source","name":"utm_source","value":"bing"}],"quiz":{},"payments":[]}}`,
		email: "lia@exemplo.com.br", nome: "Lia Sá", fone: "+5531988887777", fallback: "bing", delivery: "fillout:abc",
		note: []string{"Interesses: A, B", "Quantos funcionários?: 12", "Cadastro"},
	},
	{
		name: "paperform", kind: FormService, body: `{"data":[{"title":"Nome","description":null,"type":"text","key":"k1","custom_key":"nome","value":"Edu Lins"},
			{"title":"Email","type":"email","key":"k2","custom_key":null,"value":"edu@exemplo.com.br"},
			{"title":"Aceita novidades por e-mail?","type":"yesNo","key":"k3","value":true}],"form_id":"f","submission_id":"s","created_at":"2026-09-14 10:00:00",
			"team_id":1,"charge":{"total":100,"customer":{"email":"cobranca@exemplo.com.br"}},"device":{"type":"desktop","ip_address":"203.0.113.1"}}`,
		email: "edu@exemplo.com.br", nome: "Edu Lins", note: []string{"Aceita novidades por e-mail?: Sim"}, not: []string{"203.0.113.1"},
	},
	{
		name: "cognito", body: `{"$version":7,"Form":{"Id":"1","InternalName":"Pedido","Name":"Pedido"},"Entry":{"AdminLink":"https://x/1","Number":1,
			"User":{"Email":"dono@exemplo.com","Name":"Dono"},"Status":"Submitted"},"Nome":{"First":"Gil","Last":"Braga","FirstAndLast":"Gil Braga"},
			"Email":"gil@exemplo.com.br","Telefone":"(51) 3333-2222","Id":"1-1"}`,
		email: "gil@exemplo.com.br", nome: "Gil Braga", fone: "(51) 3333-2222",
	},
	{
		name: "gravity", body: `{"form_title":"Contato","entry":{"id":"10","form_id":"2","date_created":"2026-09-14 10:00:00","ip":"203.0.113.2",
			"source_url":"https://site.com/contato/","user_agent":"Mozilla","currency":"BRL","status":"active","1.3":"Davi","1.6":"Rocha",
			"2":"davi@exemplo.com.br","3":"(11) 95555-4444","4":"Quero um site"}}`,
		email: "davi@exemplo.com.br", nome: "Davi Rocha", fone: "(11) 95555-4444", note: []string{"Quero um site", "site.com/contato"},
		not: []string{"Mozilla", "BRL"},
	},
	{
		name: "fluent forms", body: `{"names":{"first_name":"Eva","last_name":"Luz"},"email":"eva@exemplo.com.br","subject":"Dúvida","message":"Oi",
			"_wp_http_referer":"/contato/?utm_campaign=x","__fluent_form_embded_post_id":"7","_fluentform_3_fluentformnonce":"ab12"}`,
		email: "eva@exemplo.com.br", nome: "Eva Luz", mensagem: "Oi", note: []string{"subject: Dúvida"}, not: []string{"ab12", "embded"},
	},
	{
		name: "wpforms", body: `{"fields":{"0":{"name":"Nome","value":"Caio Paz","id":0,"type":"name","first":"Caio","middle":"","last":"Paz"},
			"1":{"name":"E-mail","value":"caio@exemplo.com.br","id":1,"type":"email"},"2":{"name":"Comentário ou mensagem","value":"Olá","id":2,"type":"textarea"}},
			"entry_id":"5","form_id":"9"}`,
		email: "caio@exemplo.com.br", nome: "Caio Paz", mensagem: "Olá",
	},
	{
		name: "ninja forms", body: `{"fields":[{"id":1,"value":"Ana Lia","settings":{"label":"Nome","key":"name","type":"textbox"}},
			{"id":2,"value":"ana@exemplo.com.br","settings":{"label":"Email","key":"email","type":"email"}}],"form_id":"3"}`,
		email: "ana@exemplo.com.br", nome: "Ana Lia",
	},
	{
		name: "rd station v2", body: `{"event_type":"WEBHOOK.CONVERTED","entity_type":"CONTACT","event_identifier":"lp-1","event_uuid":"u-1",
			"event_timestamp":"2026-09-14T10:00:00Z","contact":{"uuid":"c","email":"tina@exemplo.com.br","name":"Tina Cruz","job_title":"CEO",
			"personal_phone":"(11) 4444-3333","mobile_phone":"(11) 94444-3333","tags":["vip"],"legal_bases":[{"category":"communications","type":"consent",
			"status":"granted"}],"cf_empresa":"Cruz SA","company":{"name":"Cruz Ltda"},"funnel":{"name":"default","lifecycle_stage":"Lead","opportunity":false,
			"contact_owner_email":"dono@exemplo.com","origin":"Orgânico"}}}`,
		email: "tina@exemplo.com.br", nome: "Tina Cruz", fone: "(11) 94444-3333", empresa: "Cruz SA", delivery: "rdstation:u-1",
		note: []string{"vip", "lp-1", "(11) 4444-3333"},
	},
	{
		name: "meta lead", body: `{"object":"page","entry":[{"id":"1","time":1757858400,"changes":[{"field":"leadgen","value":{"leadgen_id":"4444","page_id":"1",
			"form_id":"2","created_time":1757858400,"platform":"ig","field_data":[{"name":"full_name","values":["Rita Maia"]},
			{"name":"email","values":["rita@exemplo.com.br"]},{"name":"phone_number","values":["+5511966665555"]},
			{"name":"qual_seu_orçamento?","values":["até_5_mil"]}]}}]}]}`,
		email: "rita@exemplo.com.br", nome: "Rita Maia", fone: "+5511966665555", fallback: "ig", delivery: "meta:4444", note: []string{"qual_seu_orçamento?: até_5_mil"},
	},
	{
		name: "meta through an integrator", body: `{"id":"777","created_time":"2026-09-14T10:00:00+0000","ad_name":"Anúncio 1","campaign_name":"Verão","form_name":"Form A",
			"platform":"fb","is_organic":false,"email":"joca@exemplo.com.br","full_name":"Joca Reis","phone_number":"p:+5511977776666"}`,
		email: "joca@exemplo.com.br", nome: "Joca Reis", fone: "p:+5511977776666", fallback: "fb", note: []string{"Anúncio 1", "Verão", "Form A"},
	},
	{
		name: "google ads test", body: `{"lead_id":"t","user_column_data":[{"column_id":"EMAIL","string_value":"test@example.com"},
			{"column_id":"FIRST_NAME","string_value":"FirstName"},{"column_id":"LAST_NAME","string_value":"LastName"}],"google_key":"s3gredo","is_test":true}`,
		email: "test@example.com", nome: "FirstName LastName", delivery: "googleads:t", test: true, note: []string{"teste"}, not: []string{"s3gredo"},
	},
	{
		name: "hubspot workflow", body: `{"objectId":51,"properties":{"email":{"value":"bia@exemplo.com.br"},"firstname":{"value":"Bia"},"lastname":{"value":"Cruz"},
			"phone":{"value":"+55 11 98888-7777"},"company":{"value":"Bia ME"},"hs_analytics_source":{"value":"PAID_SOCIAL"}}}`,
		email: "bia@exemplo.com.br", nome: "Bia Cruz", fone: "+55 11 98888-7777", empresa: "Bia ME", note: []string{"PAID_SOCIAL"},
	},
	{
		name: "hubspot form fields", body: `{"fields":[{"objectTypeId":"0-1","name":"email","value":"bia@exemplo.com.br"},{"objectTypeId":"0-1","name":"firstname","value":"Bia"}],
			"context":{"pageUri":"https://bia.com/x","pageName":"Landing","hutk":"abc"}}`,
		email: "bia@exemplo.com.br", nome: "Bia", note: []string{"bia.com/x"},
	},
	{
		name: "n8n", body: `[{"headers":{"host":"n8n.exemplo.com","user-agent":"x"},"params":{},"query":{"utm_source":"mail"},"body":{"nome":"Zé","email":"ze@exemplo.com.br"},
			"webhookUrl":"https://n8n.exemplo.com/webhook/1","executionMode":"production"}]`,
		email: "ze@exemplo.com.br", nome: "Zé", fallback: "mail", not: []string{"n8n.exemplo.com"},
	},
	{
		name: "make nested", body: `{"lead":{"nome":"Ema","contato":{"email":"ema@exemplo.com.br","telefone":"11 91111-2222"},"empresa":{"nome":"Ema Co","cnpj":"11.222.333/0001-81"}},"origem":"Feira"}`,
		email: "ema@exemplo.com.br", nome: "Ema", fone: "11 91111-2222", empresa: "Ema Co", origem: "Feira", note: []string{"11.222.333/0001-81"},
	},
	{
		name: "pipedrive", body: `{"meta":{"action":"create","entity":"person","id":"x","user_id":"1"},"data":{"id":5,"name":"Leo Dias","first_name":"Leo","last_name":"Dias",
			"emails":[{"label":"work","value":"leo@exemplo.com.br","primary":true}],"phones":[{"label":"mobile","value":"11 92222-3333","primary":true}],
			"owner_id":9,"org_name":"Leo SA"},"previous":null}`,
		email: "leo@exemplo.com.br", nome: "Leo Dias", fone: "11 92222-3333", empresa: "Leo SA",
	},
	{
		name: "pipedrive v1", body: `{"v":1,"event":"added.person","current":{"id":5,"name":"Leo Dias","owner_name":"Vendedora","email":[{"label":"work","value":"leo@exemplo.com.br","primary":true},
			{"label":"home","value":"leo2@exemplo.com.br","primary":false}],"phone":[{"label":"work","value":"11 3222-3333","primary":true}]},"previous":null}`,
		email: "leo@exemplo.com.br", nome: "Leo Dias", fone: "11 3222-3333", note: []string{"leo2@exemplo.com.br", "Vendedora"},
	},
	{
		name: "activecampaign", typ: formType, body: pairs("type", "subscribe", "date_time", "2026-09-14T10:00:00-05:00", "initiated_from", "public", "list", "1",
			"contact[id]", "66", "contact[email]", "duda@exemplo.com.br", "contact[first_name]", "Duda", "contact[last_name]", "Sá", "contact[phone]", "1133334444",
			"contact[orgname]", "Duda Lab", "contact[ip]", "203.0.113.4", "contact[fields][cargo]", "Diretora"),
		email: "duda@exemplo.com.br", nome: "Duda Sá", fone: "1133334444", empresa: "Duda Lab", note: []string{"cargo: Diretora"}, not: []string{"203.0.113"},
	},
	{
		name: "mailchimp", typ: formType, body: pairs("type", "subscribe", "fired_at", "2026-09-14 10:00:00", "data[id]", "8a", "data[email]", "kim@exemplo.com.br",
			"data[email_type]", "html", "data[ip_opt]", "203.0.113.3", "data[merges][EMAIL]", "kim@exemplo.com.br", "data[merges][FNAME]", "Kim",
			"data[merges][LNAME]", "Ota", "data[merges][PHONE]", "11 98765-0000"),
		email: "kim@exemplo.com.br", nome: "Kim Ota", fone: "11 98765-0000", not: []string{"203.0.113"},
	},
	{
		name: "hotmart", body: `{"id":"e1","creation_date":1757858400000,"event":"PURCHASE_APPROVED","version":"2.0.0","data":{"product":{"id":1,"ucode":"u","name":"Curso de Pão"},
			"affiliates":[{"affiliate_code":"A1","name":"Afiliado Um"}],"buyer":{"email":"nina@exemplo.com.br","name":"Nina Rios","first_name":"Nina","last_name":"Rios",
			"checkout_phone":"11966554433","address":{"city":"Lins"}},"producer":{"name":"Produtora X"},"commissions":[{"value":10.5,"source":"MARKETPLACE","currency_value":"BRL"}],
			"purchase":{"approved_date":1757858400000,"full_price":{"value":199.9,"currency_value":"BRL"},"price":{"value":149.9,"currency_value":"BRL"},
			"payment":{"type":"CREDIT_CARD","installments_number":2},"status":"APPROVED","transaction":"HP123"}}}`,
		email: "nina@exemplo.com.br", nome: "Nina Rios", fone: "11966554433", valor: 150, note: []string{"Curso de Pão", "HP123", "Lins"},
	},
	{
		name: "kiwify", body: `{"order_id":"o-1","order_ref":"R1","order_status":"paid","webhook_event_type":"order_approved","Product":{"product_id":"p","product_name":"Mentoria"},
			"Customer":{"full_name":"Olga Reis","first_name":"Olga","email":"olga@exemplo.com.br","mobile":"+5511988776655","CPF":"111.444.777-35","ip":"203.0.113.5"},
			"Commissions":{"charge_amount":19900,"currency":"BRL"},"TrackingParameters":{"utm_source":"face","src":null}}`,
		email: "olga@exemplo.com.br", nome: "Olga Reis", fone: "+5511988776655", fallback: "face", note: []string{"Mentoria", "111.444.777-35"}, not: []string{"203.0.113"},
	},
	{
		name: "eduzz", body: `{"event":"myeduzz.invoice_paid","data":{"id":"99","status":"paid","buyer":{"id":"1","name":"Raul Gil","email":"raul@exemplo.com.br","cellphone":"11955443322"},
			"producer":{"name":"Dono","email":"dono@exemplo.com.br"},"price":{"currency":"BRL","value":297},"items":[{"productId":"1","name":"E-book","price":{"value":297}}]}}`,
		email: "raul@exemplo.com.br", nome: "Raul Gil", fone: "11955443322", valor: 297, note: []string{"E-book", "dono@exemplo.com.br"},
	},
	{
		name: "manychat", body: `{"id":"123","key":"user:123","page_id":"1","first_name":"Sol","last_name":"Lua","name":"Sol Lua","email":"sol@exemplo.com.br","phone":"+5511944443333",
			"status":"active","last_input_text":"quero","custom_fields":{"Interesse":"Plano"}}`,
		email: "sol@exemplo.com.br", nome: "Sol Lua", fone: "+5511944443333", note: []string{"Interesse: Plano", "quero"},
	},
	{
		name: "landbot", body: `{"customer":{"id":1,"name":"Tom","email":"tom@exemplo.com.br","phone":"5511933332222"},"channel":{"id":2,"name":"Bot do site"},"message":"Oi, bot"}`,
		email: "tom@exemplo.com.br", nome: "Tom", fone: "5511933332222", mensagem: "Oi, bot", note: []string{"Bot do site"},
	},
	{
		name: "netlify without human fields", body: `{"id":"n1","form_id":"f","site_url":"https://s.app","name":"Sila","email":"sila@exemplo.com.br","data":{"name":"Sila","email":"sila@exemplo.com.br","curso":"Violão"}}`,
		email: "sila@exemplo.com.br", nome: "Sila", delivery: "netlify:n1", note: []string{"curso: Violão"},
	},
	{
		name: "tally name fields", kind: FormService, body: `{"eventId":"e","eventType":"FORM_RESPONSE","data":{"submissionId":"q1","formId":"f","formName":"Form","fields":[
			{"key":"question_a","label":"First name","type":"INPUT_TEXT","value":"Lu"},{"key":"question_b","label":"Last name","type":"INPUT_TEXT","value":"Paz"},
			{"key":"question_c","label":"Email","type":"INPUT_EMAIL","value":"lu@exemplo.com.br"},
			{"key":"question_d","label":"Quantos quartos?","type":"INPUT_NUMBER","value":3},
			{"key":"question_e","label":"Anexo","type":"FILE_UPLOAD","value":[{"id":"x","name":"planta.pdf","url":"https://tally.exemplo/planta.pdf","mimeType":"application/pdf","size":10}]}]}}`,
		email: "lu@exemplo.com.br", nome: "Lu Paz", delivery: "tally:q1", note: []string{"Quantos quartos?: 3", "planta.pdf"},
	},
	{
		name: "typeform groups", kind: FormService, body: `{"event_type":"form_response","form_response":{"token":"tk","definition":{"title":"X","fields":[
			{"id":"g","type":"contact_info","title":"Seus dados","properties":{"fields":[{"id":"a","title":"First name","type":"short_text"},{"id":"b","title":"Last name","type":"short_text"},
			{"id":"c","title":"Email","type":"email"}]}},{"id":"n","title":"Quanto custa hoje?","type":"number"}]},
			"answers":[{"type":"text","text":"Max","field":{"id":"a","type":"short_text"}},{"type":"text","text":"Lobo","field":{"id":"b","type":"short_text"}},
			{"type":"email","email":"max@exemplo.com.br","field":{"id":"c","type":"email"}},
			{"type":"file_url","file_url":"https://api.exemplo/f.pdf","field":{"id":"zz","type":"file_upload"}}]}}`,
		email: "max@exemplo.com.br", nome: "Max Lobo", delivery: "typeform:tk", note: []string{"https://api.exemplo/f.pdf"},
	},
	{
		name: "surveymonkey with answers", body: `{"name":"My Webhook","filter_type":"survey","event_type":"response_completed","event_id":"ev1","object_id":"1",
			"resources":{"respondent_id":"1","survey_id":"2"},"pages":[{"questions":[{"heading":"E-mail","answers":[{"text":"iza@exemplo.com.br"}]},{"heading":"Seu nome","answers":[{"text":"Iza"}]}]}]}`,
		email: "iza@exemplo.com.br", nome: "Iza",
	},
	{
		name: "pergunta e resposta", body: `{"respostas":[{"pergunta":"Qual o seu nome?","resposta":"Cris"},{"pergunta":"Qual o seu e-mail?","resposta":"cris@exemplo.com.br"},
			{"pergunta":"Quanto sua empresa investe atualmente em marketing por mês?","resposta":"R$ 2.000"}]}`,
		email: "cris@exemplo.com.br", nome: "Cris", note: []string{"investe atualmente em marketing por mês?: R$ 2.000"},
	},
	{
		name: "jquery serializeArray", body: `[{"name":"nome","value":"Dan"},{"name":"email","value":"dan@exemplo.com.br"},{"name":"assunto","value":"Site"}]`,
		email: "dan@exemplo.com.br", nome: "Dan", note: []string{"assunto: Site"},
	},
	{
		name: "json twice", body: `"{\"nome\":\"Fê\",\"email\":\"fe@exemplo.com.br\"}"`, email: "fe@exemplo.com.br", nome: "Fê",
	},
	{
		name: "form declared as json", typ: "application/json", body: "nome=Gui&email=gui%40exemplo.com.br", email: "gui@exemplo.com.br", nome: "Gui",
	},
	{
		name: "json declared as form", typ: formType, body: `{"nome":"Gui","email":"gui@exemplo.com.br"}`, email: "gui@exemplo.com.br", nome: "Gui",
	},
	{
		name: "bare line breaks in a template", body: "{\"nome\":\"Gui\",\"email\":\"gui@exemplo.com.br\",\"mensagem\":\"uma\nduas\"}",
		email: "gui@exemplo.com.br", nome: "Gui", mensagem: "uma\nduas",
	},
	{
		name: "google forms with responses", body: `{"formTitle":"Inscrição","timestamp":"2026-09-14T10:00:00.000Z","respondentEmail":"rosa@exemplo.com.br",
			"responses":[{"question":"Nome","answer":"Rosa"},{"question":"Interesses","answer":["A","B"]}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa", note: []string{"Inscrição", "Interesses: A, B"},
	},
	{
		name: "google forms event", body: `{"authMode":"FULL","namedValues":{"Nome":["Rosa"],"E-mail":["rosa@exemplo.com.br"]},"range":{"columnStart":1},"values":["14/09/2026 10:00:00","Rosa","rosa@exemplo.com.br"]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa",
	},
	{
		name: "kommo contact event", typ: formType, body: pairs("contacts[add][0][id]", "1", "contacts[add][0][name]", "Téo Lima", "contacts[add][0][custom_fields][0][id]", "5",
			"contacts[add][0][custom_fields][0][name]", "Email", "contacts[add][0][custom_fields][0][code]", "EMAIL", "contacts[add][0][custom_fields][0][values][0][value]", "teo@exemplo.com.br",
			"contacts[add][0][custom_fields][0][values][0][enum]", "77", "account[id]", "3"),
		email: "teo@exemplo.com.br", nome: "Téo Lima",
	},
	{
		name: "imovelweb", body: `{"leadOrigin":"ImovelWeb","originLeadId":"55","name":"Pia","email":"pia@exemplo.com.br","phone":"11 97777-0000","message":"Visita?"}`,
		email: "pia@exemplo.com.br", nome: "Pia", fone: "11 97777-0000", mensagem: "Visita?", origem: "ImovelWeb",
	},
	{
		name: "nome e sobrenome", body: `{"nome":"Ada","sobrenome":"Lopes","email":"Ana <ada@exemplo.com.br>","whatsapp":"11 96666-1111","telefone":"11 3333-1111"}`,
		email: "ada@exemplo.com.br", nome: "Ada Lopes", fone: "11 96666-1111", note: []string{"telefone: 11 3333-1111"},
	},
	{
		name: "two addresses", body: `{"email":"a@exemplo.com.br; b@exemplo.com.br","nome":"X Y"}`, email: "a@exemplo.com.br", nome: "X Y", note: []string{"b@exemplo.com.br"},
	},
	{
		name: "english contact", body: `{"full_name":"Ann Lee","work_email":"ann@example.com","company_name":"Lee Inc","budget":"$5,000","how_did_you_hear_about_us":"Podcast","comments":"Hi"}`,
		email: "ann@example.com", nome: "Ann Lee", empresa: "Lee Inc", valor: 5000, origem: "Podcast", mensagem: "Hi",
	},
	{
		name: "receber novidades", body: `{"nome":"Io","email":"io@exemplo.com.br","Aceita receber e-mail?":"Sim","Qual o horário para telefone?":"10h","Tem CNPJ?":"Sim","Tem site?":"Sim"}`,
		email: "io@exemplo.com.br", nome: "Io", note: []string{"Aceita receber e-mail?: Sim", "horário para telefone?: 10h", "Tem CNPJ?: Sim", "Tem site?: Sim"},
	},
	{
		name: "utm object", body: `{"lead":"{\"nome\":\"Isa\",\"email\":\"isa@exemplo.com.br\"}","utm":{"source":"google","medium":"cpc","gclid":"g"},"mensagem":["um","dois"],"origem":""}`,
		email: "isa@exemplo.com.br", nome: "Isa", fallback: "google", mensagem: "um\ndois", note: []string{"utm medium: cpc"},
	},
	{
		name: "the name of something else", body: `{"first_name":"Ana","last_name":"Sá","name":"Formulário X","email":"ana@exemplo.com.br"}`,
		email: "ana@exemplo.com.br", nome: "Ana Sá", note: []string{"name: Formulário X"},
	},
	{
		name: "jotform api", body: `{"id":"1","form_id":"2","answers":{"3":{"name":"nomeCompleto","order":"1","text":"Nome completo","type":"control_fullname","answer":{"first":"Ari","last":"Luz"},
			"prettyFormat":"Ari Luz"},"4":{"name":"email","order":"2","text":"E-mail","type":"control_email","answer":"ari@exemplo.com.br"},
			"5":{"name":"cor","order":"3","text":"Qual cor?","type":"control_radio","answer":"Azul"},"6":{"name":"head","text":"Título","type":"control_head"}}}`,
		email: "ari@exemplo.com.br", nome: "Ari Luz", note: []string{"Qual cor?: Azul"},
	},
	{
		name: "answers by id", body: `{"answers":{"p1":"Ana","p2":"ana@exemplo.com.br","p3":"Azul"},"questions":[{"id":"p1","title":"Seu nome"},{"id":"p2","title":"E-mail"},{"id":"p3","title":"Qual cor?"}]}`,
		email: "ana@exemplo.com.br", nome: "Ana", note: []string{"Qual cor?: Azul"}, not: []string{"Seu nome"},
	},
	{
		name: "properties", body: `{"properties":[{"property":"email","value":"bia@exemplo.com.br"},{"property":"firstname","value":"Bia"}]}`,
		email: "bia@exemplo.com.br", nome: "Bia",
	},
	{
		name: "dados pessoais", body: `{"dados_pessoais":{"nome":"Bel","email":"bel@exemplo.com.br"},"endereco":{"cidade":"Poá","uf":"SP"},"produto":{"nome":"Cadeira","valor":"R$ 900"}}`,
		email: "bel@exemplo.com.br", nome: "Bel", note: []string{"cidade: Poá", "Cadeira", "R$ 900"},
	},
	{
		name: "linkedin lead gen", body: `{"id":"urn-1","leadType":"SPONSORED","submittedAt":1757858400000,"testLead":false,"owner":{"sponsoredAccount":"urn:li:sponsoredAccount:5"},
			"versionedLeadGenFormUrn":"urn:li:versionedLeadGenForm:(urn:li:leadGenForm:3162,1)","associatedEntity":{
			"associatedCreative":"urn:li:sponsoredCreative:7"},"submitter":"urn:li:person:abc","leadMetadata":{"sponsoredLeadMetadata":{
			"campaign":"urn:li:sponsoredCampaign:9"}},"formResponse":{"answers":[{"questionId":1,"name":"First name","answerDetails":{"textQuestionAnswer":{
			"answer":"Rita"}}},{"questionId":2,"name":"Last name","answerDetails":{"textQuestionAnswer":{"answer":"Maia"}}},{"questionId":3,
			"name":"Email address","answerDetails":{"textQuestionAnswer":{"answer":"rita@exemplo.com.br"}}},{"questionId":4,"name":"Company name",
			"answerDetails":{"textQuestionAnswer":{"answer":"Maia ME"}}},{"questionId":5,"name":"Tamanho da equipe","answerDetails":{"multipleChoiceAnswer":{
			"options":["2"]}}}],"consentResponses":[{"accepted":true,"consentId":6}]}}`,
		email: "rita@exemplo.com.br", nome: "Rita Maia", empresa: "Maia ME", note: []string{"Tamanho da equipe: 2"}, not: []string{"textQuestionAnswer"},
	},
	{
		name: "notion page", body: `{"source":{"type":"automation","automation_id":"a"},"data":{"object":"page","id":"p1","created_time":"2026-09-14T10:00:00.000Z","parent":{
			"type":"database_id","database_id":"d1"},"archived":false,"properties":{"Nome":{"id":"title","type":"title","title":[{"type":"text","text":{
			"content":"Iza Melo","link":null},"annotations":{"bold":false,"italic":false,"color":"default"},"plain_text":"Iza Melo","href":null}]},"E-mail":{
			"id":"em","type":"email","email":"iza@exemplo.com.br"},"Telefone":{"id":"ph","type":"phone_number","phone_number":"84999990000"},"Mensagem":{
			"id":"ms","type":"rich_text","rich_text":[{"type":"text","text":{"content":"Olá","link":null},"plain_text":"Olá","href":null}]},"Plano":{"id":"pl",
			"type":"select","select":{"id":"s","name":"Ouro","color":"blue"}},"Interesses":{"id":"in","type":"multi_select","multi_select":[{"id":"1",
			"name":"A","color":"red"},{"id":"2","name":"B","color":"red"}]},"Valor":{"id":"va","type":"number","number":1500},"Aceita":{"id":"ac",
			"type":"checkbox","checkbox":true},"Data":{"id":"da","type":"date","date":{"start":"2026-10-01","end":null,"time_zone":null}},"Criado por":{
			"id":"cb","type":"created_by","created_by":{"object":"user","id":"u1","name":"Dono","person":{"email":"dono@exemplo.com.br"}}}},
			"url":"https://www.notion.so/x"}}`,
		email: "iza@exemplo.com.br", nome: "Iza Melo", fone: "84999990000", mensagem: "Olá", valor: 1500, note: []string{"Plano: Ouro", "Interesses: A, B", "Data: 2026-10-01", "dono@exemplo.com.br"},
		not: []string{"color", "d1", "plain_text"},
	},
	{
		name: "stripe checkout", body: `{"id":"evt_1","object":"event","api_version":"2024-06-20","created":1757858400,"data":{"object":{"id":"cs_1","object":"checkout.session",
			"amount_subtotal":9900,"amount_total":9900,"currency":"brl","customer":"cus_1","customer_details":{"address":{"city":null,"country":"BR"},
			"email":"rosa@exemplo.com.br","name":"Rosa Reis","phone":"+5511988887777","tax_exempt":"none","tax_ids":[]},"custom_fields":[{"key":"empresa",
			"label":{"custom":"Empresa","type":"custom"},"optional":false,"text":{"value":"Reis ME"},"type":"text"}],"livemode":true,"metadata":{
			"origem":"site"},"mode":"payment","payment_status":"paid","status":"complete","success_url":"https://x.com/ok","total_details":{
			"amount_discount":0,"amount_shipping":0,"amount_tax":0}}},"livemode":true,"pending_webhooks":1,"request":{"id":null,"idempotency_key":null},
			"type":"checkout.session.completed"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+5511988887777", empresa: "Reis ME", valor: 99,
	},
	{
		name: "intercom", body: `{"type":"notification_event","app_id":"a","id":"notif_1","topic":"contact.lead.created","created_at":1757858400,"data":{
			"type":"notification_event_data","item":{"type":"contact","id":"5","role":"lead","name":"Rosa Reis","email":"rosa@exemplo.com.br",
			"phone":"+5511988887777","owner_id":null,"custom_attributes":{"empresa":"Reis ME"},"companies":{"type":"list","data":[]}}}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+5511988887777", empresa: "Reis ME",
	},
	{
		name: "graphql", body: `{"query":"mutation CreateLead($input: LeadInput!) { createLead(input: $input) { id } }","variables":{"input":{"name":"Rosa Reis",
			"email":"rosa@exemplo.com.br","phone":"11988887777","budget":5000}},"operationName":"CreateLead"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", valor: 5000, not: []string{"CreateLead"},
	},
	{
		name: "sympla", body: `{"event_id":"s1","order_num":"L1","ticket_number":"T1","first_name":"Rosa","last_name":"Reis","email":"rosa@exemplo.com.br","ticket_name":"VIP",
			"ticket_sale_price":150,"custom_form":[{"id":1,"name":"Celular","value":"11988887777"},{"id":2,"name":"Empresa","value":"Reis ME"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", note: []string{"VIP"},
	},
	{
		name: "opnform", body: `{"form_title":"Contato","form_slug":"contato","submission":{"Nome":"Rosa Reis","E-mail":"rosa@exemplo.com.br","Cores":["Azul","Verde"]},"data":{"a1":{
			"value":"Rosa Reis","name":"Nome"},"b2":{"value":"rosa@exemplo.com.br","name":"E-mail"},"c3":{"value":["Azul","Verde"],"name":"Cores"}},
			"edit_link":null}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", note: []string{"Cores: Azul, Verde"}, not: []string{"a1", "c3"},
	},
	{
		name: "entries of a form", body: `{"lead":{"fields":[["nome","Rosa Reis"],["email","rosa@exemplo.com.br"]]}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis",
	},
	{
		name: "json under a key of one's own", body: `{"formulario_json":"{\"nome\":\"Rosa Reis\",\"email\":\"rosa@exemplo.com.br\",\"telefone\":\"11988887777\"}","pagina":"https://reis.com"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", not: []string{"{"},
	},
	{
		name: "a query in a field", body: `{"nome":"Rosa Reis","email":"rosa@exemplo.com.br","query":"utm_source=fb&utm_campaign=c1&fbclid=F1","page":"/contato"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fallback: "fb", note: []string{"utm_campaign: c1"}, not: []string{"F1"},
	},
	{
		name: "hubspot with versions", body: `{"vid":51,"canonical-vid":51,"merged-vids":[],"portal-id":62515,"is-contact":true,"properties":{"firstname":{"value":"Bia","versions":[{"value":"Bia",
			"source-type":"FORM","source-id":"abc","timestamp":1757858400000,"selected":false}]},"lastname":{"value":"Cruz","versions":[]},"email":{
			"value":"bia@exemplo.com.br","versions":[{"value":"bia@exemplo.com.br","source-type":"FORM","source-id":"abc","timestamp":1757858400000}]},
			"mobilephone":{"value":"+5511988887777"},"createdate":{"value":"1757858400000"},"lifecyclestage":{"value":"lead"},"hubspot_owner_id":{
			"value":"778"},"hs_analytics_first_url":{"value":"https://bia.com/?utm_source=google"}},"form-submissions":[{"conversion-id":"x-1",
			"timestamp":1757858400000,"form-id":"f-1","portal-id":62515,"page-url":"https://bia.com/contato","title":"Contato | Bia","form-type":"HUBSPOT",
			"meta-data":[]}],"list-memberships":[],"identity-profiles":[{"vid":51,"saved-at-timestamp":1757858400000,"identities":[{"type":"EMAIL",
			"value":"bia@exemplo.com.br","timestamp":1757858400000,"is-primary":true},{"type":"LEAD_GUID","value":"b7-aa","timestamp":1757858400000}]}],
			"merge-audits":[],"profile-url":"https://app.hubspot.com/contacts/62515/contact/51","associated-company":{"company-id":1,"portal-id":62515,
			"properties":{"name":{"value":"Bia ME"},"domain":{"value":"bia.com"}}}}`,
		email: "bia@exemplo.com.br", nome: "Bia Cruz", fone: "+5511988887777", empresa: "Bia ME", not: []string{"versions"},
	},
	{
		name: "calcom", body: `{"triggerEvent":"BOOKING_CREATED","createdAt":"2026-09-14T10:00:00.000Z","payload":{"type":"30min","title":"30min entre Vendedora e Iza Melo",
			"description":"","additionalNotes":"Quero falar de preço","customInputs":{},"startTime":"2026-09-20T13:30:00Z","endTime":"2026-09-20T14:00:00Z",
			"organizer":{"id":5,"name":"Vendedora","email":"vendas@exemplo.com.br","username":"vend","timeZone":"America/Sao_Paulo","language":{"locale":"pt"},
			"timeFormat":"h:mma"},"responses":{"name":{"label":"your_name","value":"Iza Melo","isHidden":false},"email":{"label":"email_address",
			"value":"iza@exemplo.com.br","isHidden":false},"attendeePhoneNumber":{"label":"phone_number","value":"+5584999990000","isHidden":false},
			"location":{"label":"location","value":{"optionValue":"","value":"integrations:daily"},"isHidden":false},"notes":{"label":"additional_notes",
			"value":"Quero falar de preço","isHidden":false},"guests":{"label":"additional_guests","value":[],"isHidden":false}},"userFieldsResponses":{},
			"attendees":[{"email":"iza@exemplo.com.br","name":"Iza Melo","timeZone":"America/Sao_Paulo","language":{"locale":"pt"}}],
			"location":"integrations:daily","destinationCalendar":{"id":10,"integration":"google_calendar","externalId":"dono@exemplo.com.br","userId":5},
			"eventTypeId":7,"uid":"bF","bookingId":91,"status":"ACCEPTED","metadata":{"videoCallUrl":"https://x"},"length":30}}`,
		email: "iza@exemplo.com.br", nome: "Iza Melo", fone: "+5584999990000", mensagem: "Quero falar de preço", note: []string{"2026-09-20T13:30:00Z"}, not: []string{"isHidden", "your_name"},
	},
	{
		name: "surveymonkey details", body: `{"id":"5007154402","href":"https://api.surveymonkey.com/v3/x","survey_id":"1","collector_id":"2","recipient_id":"","total_time":62,"custom_value":"",
			"edit_url":"https://x","analyze_url":"https://y","ip_address":"203.0.113.4","response_status":"completed","collection_mode":"default",
			"date_created":"2026-09-14T10:00:00+00:00","custom_variables":{"utm_source":"ig"},"metadata":{"contact":{"first_name":{"type":"string",
			"value":"Iza"},"last_name":{"type":"string","value":"Melo"},"email":{"type":"string","value":"iza@exemplo.com.br"}}},"pages":[{"id":"1",
			"questions":[{"id":"11","family":"open_ended","subtype":"single","heading":"Qual a sua cidade?","answers":[{"tag_data":[],"text":"Natal",
			"simple_text":"Natal"}]},{"id":"12","heading":"Dias","answers":[{"choice_id":"1","simple_text":"Seg"},{"choice_id":"2","simple_text":"Ter"}]}]}]}`,
		email: "iza@exemplo.com.br", nome: "Iza Melo", fallback: "ig", note: []string{"Qual a sua cidade?: Natal", "Dias: Seg, Ter"}, not: []string{"simple_text", "open_ended"},
	},
	{
		name: "wufoo", typ: formType, body: pairs("Field1", "Gil", "Field2", "Braga", "Field3", "gil@exemplo.com.br", "Field4", "51999990000", "Field5", "Gostaria de um orçamento",
			"CreatedBy", "public", "DateCreated", "2026-09-14 10:00:00", "EntryId", "77", "IP", "203.0.113.1", "HandshakeKey", "segredo",
			"FieldStructure", `{"Fields":[{"Title":"Nome","Instructions":"","IsRequired":"1","ClassNames":"","DefaultVal":"","Page":"1","SubFields":[{"DefaultVal":"","ID":"Field1","Label":"First"},{"DefaultVal":"","ID":"Field2","Label":"Last"}],"Type":"shortname","ID":"Field1"},{"Title":"Email","Type":"email","ID":"Field3"},{"Title":"WhatsApp","Type":"phone","ID":"Field4"},{"Title":"Mensagem","Type":"textarea","ID":"Field5"}]}`,
			"FormStructure", `{"Name":"Contato Site","Description":"Form","RedirectMessage":"Ok","Url":"contato-site","Email":"dono@exemplo.com.br","IsPublic":"1","Language":"portugues","StartDate":"2000-01-01 12:00:00","EndDate":"2030-01-01 12:00:00","EntryLimit":"0","DateCreated":"2026-01-01 10:00:00","Hash":"z1"}`),
		email: "gil@exemplo.com.br", nome: "Gil Braga", fone: "51999990000", mensagem: "Gostaria de um orçamento", not: []string{"SubFields"},
	},
	{
		name: "apps script with items", body: `{"formId":"1FAI","formTitle":"Inscrição Workshop","responseId":"2_ABaOnu","timestamp":"2026-09-14T13:00:00.000Z",
			"respondentEmail":"rosa@exemplo.com.br","editResponseUrl":"https://docs.google.com/x","items":[{"title":"Nome","type":"TEXT",
			"response":"Rosa Dias"},{"title":"Telefone","type":"TEXT","response":"85988880000"},{"title":"Dias disponíveis","type":"CHECKBOX","response":[
			"Seg","Ter"]},{"title":"Avalie","type":"GRID","response":["Bom",null,"Ruim"]}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Dias", fone: "85988880000", note: []string{"Dias disponíveis: Seg, Ter"},
	},
	{
		name: "chatwoot message", body: `{"account":{"id":1,"name":"Agência"},"content":"Oi, quero preço","content_type":"text","conversation":{"id":9,"channel":"Channel::Whatsapp",
			"contact_inbox":{"id":3,"source_id":"5511988887777"},"meta":{"sender":{"id":5,"name":"Rosa Reis","email":"rosa@exemplo.com.br",
			"phone_number":"+5511988887777","type":"contact"},"assignee":{"id":1,"name":"Atendente","email":"atendente@exemplo.com.br"}},"status":"open"},
			"created_at":"2026-09-14T10:00:00Z","id":11,"inbox":{"id":1,"name":"WhatsApp"},"message_type":"incoming","sender":{"id":5,"name":"Rosa Reis",
			"email":"rosa@exemplo.com.br","phone_number":"+5511988887777"},"event":"message_created"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+5511988887777", note: []string{"content: Oi, quero preço", "atendente@exemplo.com.br"},
	},
	{
		name: "airtable automation", body: `{"record":{"id":"rec1","createdTime":"2026-09-14T10:00:00.000Z","fields":{"Nome":"Iza Melo","E-mail":"iza@exemplo.com.br",
			"Telefone":"(84) 99999-0000","Status":"Novo","Serviços":["A","B"],"Anexos":[{"id":"att1","url":"https://dl/x.png","filename":"x.png","size":10,
			"type":"image/png"}],"Responsável":{"id":"usr1","email":"vendas@exemplo.com.br","name":"Vendedora"}}},"base":{"id":"app1"}}`,
		email: "iza@exemplo.com.br", nome: "Iza Melo", fone: "(84) 99999-0000", note: []string{"Anexos: x.png https://dl/x.png"}, not: []string{"image/png"},
	},
	{
		name: "outgrow", body: `{"event":"lead","lead":{"name":"Rosa Reis","email":"rosa@exemplo.com.br"},"answers":[{"q":"Cor?","a":"Azul"},{"q":"Tamanho?","a":"M"}],
			"result":"Perfil A","score":40}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", note: []string{"Cor?: Azul", "Tamanho?: M"},
	},
	{
		name: "zendesk ticket", body: `{"ticket":{"id":"35436","title":"Dúvida de preço","description":"Quanto custa?","requester":{"name":"Rosa Reis","email":"rosa@exemplo.com.br",
			"phone":"11988887777"},"via":"Web Form","status":"New","assignee":{"name":"Atendente","email":"atendente@exemplo.com.br"}}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", mensagem: "Quanto custa?", note: []string{"Dúvida de preço"},
	},
	{
		name: "rows and columns by id", kind: FormService, body: `{"data":{"fields":[{"key":"a","label":"E-mail","type":"INPUT_EMAIL","value":"lia@exemplo.com.br"},
			{"key":"b","label":"Avalie","type":"MATRIX","value":{"r1":["c2"],"r2":["c1"]},"rows":[{"id":"r1","text":"Preço"},{"id":"r2","text":"Prazo"}],
			"columns":[{"id":"c1","text":"Ruim"},{"id":"c2","text":"Bom"}]}]}}`,
		email: "lia@exemplo.com.br", nome: "lia", note: []string{"Avalie Preço: Bom", "Avalie Prazo: Ruim"},
	},
	{
		name: "activecampaign deal", typ: formType, body: pairs("type", "deal_add", "date_time", "2026-09-14T10:00:00-03:00", "initiated_from", "admin", "deal[id]", "12",
			"deal[title]", "Site novo", "deal[value]", "R$1,500.00", "deal[value_raw]", "1500.00", "deal[currency]", "brl",
			"deal[stage_title]", "Novo", "deal[pipeline_title]", "Vendas", "deal[owner]", "1", "deal[owner_firstname]", "Vera",
			"deal[owner_lastname]", "Vendas", "deal[contact_email]", "lia@exemplo.com.br", "deal[contact_firstname]", "Lia",
			"deal[contact_lastname]", "Sá", "deal[orgname]", "Sá ME", "contact[id]", "5", "contact[email]", "lia@exemplo.com.br",
			"contact[first_name]", "Lia", "contact[last_name]", "Sá", "contact[phone]", "", "contact[tags]", "vip, site",
			"contact[fields][whatsapp]", "11988887777"),
		email: "lia@exemplo.com.br", nome: "Lia Sá", fone: "11988887777", empresa: "Sá ME", valor: 1500, note: []string{"Site novo", "Vera", "vip, site"},
	},
	{
		name: "hubspot form in the page", body: `{"submittedAt":"1757858400000","fields":[{"objectTypeId":"0-1","name":"email","value":"bia@exemplo.com.br"},{"objectTypeId":"0-1","name":"firstname",
			"value":"Bia"},{"objectTypeId":"0-1","name":"lastname","value":"Cruz"},{"objectTypeId":"0-2","name":"name","value":"Bia ME"},{"objectTypeId":"0-1",
			"name":"phone","value":"11988887777"}],"context":{"hutk":"abc9","pageUri":"https://bia.com/x?utm_source=fb","pageName":"Landing da Bia",
			"ipAddress":"203.0.113.9"},"legalConsentOptions":{"consent":{"consentToProcess":true,"text":"Concordo com o tratamento","communications":[{
			"value":true,"subscriptionTypeId":999,"text":"Quero receber"}]}}}`,
		email: "bia@exemplo.com.br", nome: "Bia Cruz", fone: "11988887777", empresa: "Bia ME", fallback: "fb",
	},
	{
		name: "bitrix24", typ: formType, body: pairs("event", "ONCRMLEADADD", "data[FIELDS][ID]", "77", "data[FIELDS][TITLE]", "Lead do site", "data[FIELDS][NAME]", "Rosa",
			"data[FIELDS][LAST_NAME]", "Reis", "data[FIELDS][EMAIL][0][VALUE]", "rosa@exemplo.com.br", "data[FIELDS][EMAIL][0][VALUE_TYPE]", "WORK",
			"data[FIELDS][PHONE][0][VALUE]", "11988887777", "data[FIELDS][PHONE][0][VALUE_TYPE]", "MOBILE", "data[FIELDS][OPPORTUNITY]", "1500.00",
			"data[FIELDS][CURRENCY_ID]", "BRL", "data[FIELDS][COMPANY_TITLE]", "Reis ME", "data[FIELDS][SOURCE_ID]", "WEB",
			"data[FIELDS][COMMENTS]", "Quero orçamento", "ts", "1757858400", "auth[domain]", "x.bitrix24.com.br",
			"auth[application_token]", "segredo"),
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", valor: 1500, mensagem: "Quero orçamento", not: []string{"segredo"},
	},
	{
		name: "agendor", body: `{"event":"on_deal_created","data":{"id":1,"title":"Site","value":5000,"dealStatus":{"id":1,"name":"Em andamento"},"owner":{"name":"Vendedora",
			"contact":{"email":"vendas@exemplo.com.br"}},"person":{"id":2,"name":"Rosa Reis","cpf":"52998224725","contact":{"email":"rosa@exemplo.com.br",
			"mobile":"11988887777","work":"1133334444","whatsapp":"11988887777"}},"organization":{"id":3,"name":"Reis ME","cnpj":"11222333000181"},
			"leadOrigin":{"id":5,"name":"Indicação"}}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", valor: 5000, origem: "Indicação", note: []string{"1133334444", "Vendedora"},
	},
	{
		name: "icarros", body: `{"idLead":"99","dataHora":"2026-09-14T10:00:00","nome":"Rosa Reis","email":"rosa@exemplo.com.br","dddTelefone":"11","telefone":"988887777",
			"mensagem":"Aceita troca?","anuncio":{"id":1,"placa":"ABC1D23","marca":"Fiat","modelo":"Uno","anoModelo":2015,"preco":25000}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", mensagem: "Aceita troca?", note: []string{"ABC1D23", "25000"},
	},
	{
		name: "mercado livre question", body: `{"id":11436370259,"seller_id":1,"text":"Tem na cor azul?","status":"UNANSWERED","item_id":"MLB608007087",
			"date_created":"2026-09-14T10:00:00.000-03:00","from":{"id":5,"answered_questions":0,"first_name":"Rosa","last_name":"Reis",
			"email":"rosa@exemplo.com.br","phone":{"area_code":"11","number":"988887777"}}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "(11) 988887777", mensagem: "Tem na cor azul?",
	},
	{
		name: "email parser", body: `{"from":"Rosa Reis <rosa@exemplo.com.br>","to":"contato@empresa.com.br","subject":"Orçamento","text":"Olá, quero preço",
			"html":"<p>Olá, quero preço</p>","date":"Mon, 14 Sep 2026 10:00:00 -0300"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", mensagem: "Olá, quero preço", note: []string{"Orçamento", "contato@empresa.com.br"},
	},
	{
		name: "spanish", body: `{"nombre":"Rosa","apellido":"Reis","correo electrónico":"rosa@exemplo.com.br","teléfono":"+54 11 5555-4444","empresa":"Reis SA",
			"presupuesto":"$ 5.000","mensaje":"Hola"}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+54 11 5555-4444", empresa: "Reis SA", valor: 5000, mensagem: "Hola",
	},
	{
		name: "formidable", body: `{"form_id":"8","id":"77","item_key":"abc12","name":"Contato","created_at":"2026-09-14 10:00:00","ip":"203.0.113.1","is_draft":"0","user_id":"0",
			"7y5p1":{"first":"Nara","last":"Reis"},"nomecompleto":"Nara Reis","29yf4d":"nara@exemplo.com.br","e6lis6":"Dúvida","9jv0r1":"Gostaria de saber"}`,
		email: "nara@exemplo.com.br", nome: "Nara Reis", note: []string{"name: Contato", "Gostaria de saber"}, not: []string{"abc123"},
	},
	{
		name: "pagar.me", body: `{"id":"hook_1","account":{"id":"acc","name":"Loja do Dono"},"type":"order.paid","created_at":"2026-09-14T10:00:00Z","data":{"id":"or_1","code":"C1",
			"amount":29900,"currency":"BRL","closed":true,"items":[{"id":"oi","description":"Chaveiro","amount":29900,"quantity":1}],"customer":{"id":"cus_1",
			"name":"Rosa Reis","email":"rosa@exemplo.com.br","document":"52998224725","type":"individual","delinquent":false,"phones":{"home_phone":{
			"country_code":"55","number":"33334444","area_code":"11"},"mobile_phone":{"country_code":"55","number":"988887777","area_code":"11"}}},
			"status":"paid","charges":[{"id":"ch_1","amount":29900,"status":"paid","payment_method":"pix","customer":{"name":"Rosa Reis",
			"email":"rosa@exemplo.com.br"}}]}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "55 (11) 988887777", valor: 299, note: []string{"55 (11) 33334444", "Chaveiro"},
	},
	{
		name: "shopify order", body: `{"id":820982911946154508,"admin_graphql_api_id":"gid://shopify/Order/8","app_id":null,"browser_ip":null,"cart_token":null,
			"contact_email":"rosa@exemplo.com.br","created_at":"2026-09-14T10:00:00-03:00","currency":"BRL","current_total_price":"398.00",
			"email":"rosa@exemplo.com.br","financial_status":"paid","landing_site":"/?utm_source=ig","name":"#9999","note":"Entregar à tarde",
			"note_attributes":[{"name":"cor","value":"azul"}],"number":234,"order_number":1234,"phone":null,"referring_site":"https://instagram.com",
			"source_name":"web","subtotal_price":"388.00","total_price":"398.00","total_tax":"0.00","customer":{"id":1,"email":"rosa@exemplo.com.br",
			"first_name":"Rosa","last_name":"Reis","phone":"+5511988887777"},"billing_address":{"first_name":"Rosa","last_name":"Reis","address1":"Rua A",
			"phone":"11 3333-4444","city":"Poá","company":"Reis ME","name":"Rosa Reis"},"line_items":[{"id":1,"name":"Camiseta","price":"199.00","quantity":2,
			"title":"Camiseta","properties":[{"name":"gravação","value":"Ana"}]}],"shipping_lines":[{"price":"10.00","title":"PAC"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+5511988887777", empresa: "Reis ME", valor: 398, mensagem: "Entregar à tarde", origem: "web", fallback: "ig", note: []string{"Camiseta", "gravação: Ana"},
	},
	{
		name: "woocommerce order", body: `{"id":727,"parent_id":0,"number":"727","order_key":"wc_order_58d2d042d1d","created_via":"checkout","version":"9.0.0","status":"processing",
			"currency":"BRL","date_created":"2026-09-14T10:00:00","discount_total":"0.00","shipping_total":"10.00","total":"329.35","total_tax":"0",
			"customer_id":0,"customer_ip_address":"203.0.113.4","customer_user_agent":"Mozilla","customer_note":"Deixar na portaria","billing":{
			"first_name":"Rosa","last_name":"Reis","company":"Reis ME","address_1":"Rua A","address_2":"","city":"Poá","state":"SP","postcode":"08550-000",
			"country":"BR","email":"rosa@exemplo.com.br","phone":"(11) 98888-7777"},"shipping":{"first_name":"Rosa","last_name":"Reis","address_1":"Rua A",
			"city":"Poá"},"payment_method":"bacs","payment_method_title":"Pix","transaction_id":"","meta_data":[{"id":13106,"key":"_billing_cpf",
			"value":"52998224725"},{"id":13107,"key":"_wc_order_attribution_utm_source","value":"google"}],"line_items":[{"id":315,"name":"Camisa",
			"product_id":93,"quantity":2,"subtotal":"300.00","total":"300.00"}],"set_paid":false}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "(11) 98888-7777", empresa: "Reis ME", valor: 329, mensagem: "Deixar na portaria", fallback: "google", note: []string{"Camisa"}, not: []string{"203.0.113"},
	},
	{
		name: "eduzz legacy", typ: formType, body: pairs("trans_cod", "12345", "trans_value", "297.00", "trans_paid", "297.00", "trans_status", "3", "trans_paymentmethod", "15",
			"trans_createdate", "20260914", "cus_cod", "99", "cus_name", "Raul Gil", "cus_email", "raul@exemplo.com.br", "cus_tel", "1133334444",
			"cus_cel", "11955443322", "cus_taxnumber", "52998224725", "cus_address", "Rua A", "cus_address_city", "Poá", "product_cod", "77",
			"product_name", "E-book", "api_key", "segredo", "pro_email", "dono@exemplo.com.br", "tracker_utm_source", "google"),
		email: "raul@exemplo.com.br", nome: "Raul Gil", fone: "11955443322", valor: 297, fallback: "google", note: []string{"E-book", "1133334444"}, not: []string{"segredo"},
	},
	{
		name: "greatpages", typ: formType, body: pairs("nome", "Rosa Reis", "email", "rosa@exemplo.com.br", "telefone", "(11) 98888-7777", "Qual_seu_faturamento", "De 10 a 20 mil",
			"gp_page_url", "https://lp.reis.com", "URL", "https://lp.reis.com/?utm_source=fb", "Pagina_titulo", "LP Reis",
			"IP_do_usuario", "203.0.113.4", "Data_da_conversao", "14/09/2026", "Referral_Source", "https://facebook.com", "Dispositivo", "Mobile",
			"utm_source", "fb", "utm_campaign", "c1"),
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "(11) 98888-7777", fallback: "fb", note: []string{"Qual_seu_faturamento: De 10 a 20 mil", "https://facebook.com"}, not: []string{"203.0.113"},
	},
	{
		name: "perfectpay", body: `{"token":"segredo","code":"PPC1","sale_amount":197.5,"currency_enum":1,"customer":{"customer_type_enum":1,"full_name":"Rosa Reis",
			"email":"rosa@exemplo.com.br","identification_number":"52998224725","phone_extension":"55","phone_area_code":"11","phone_number":"988887777",
			"city":"Poá"},"product":{"name":"Curso"},"metadata":{"utm_source":"fb"},"sale_status_enum":2}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+55 11988887777", valor: 198, fallback: "fb", not: []string{"segredo"},
	},
	{
		name: "campo e valor", body: `{"dados":[{"campo":"nome","valor":"Rosa Reis"},{"campo":"email","valor":"rosa@exemplo.com.br"},{"campo":"mensagem","valor":"Oi"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", mensagem: "Oi", not: []string{"campo"},
	},
	{
		name: "chave e valor", body: `{"respostas":[{"chave":"nome","valor":"Rosa Reis"},{"chave":"email","valor":"rosa@exemplo.com.br"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis",
	},
	{
		name: "nome e valor", body: `{"campos":[{"nome":"Nome","valor":"Rosa Reis"},{"nome":"Email","valor":"rosa@exemplo.com.br"},{"nome":"Telefone","valor":"11988887777"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777",
	},
	{
		name: "answers in objects", body: `{"responses":[{"question":{"id":"1","text":"Seu nome"},"answer":{"text":"Rosa Reis"}},{"question":{"id":"2","text":"Seu e-mail"},"answer":{
			"text":"rosa@exemplo.com.br"}},{"question":{"id":"3","text":"Cores?"},"answer":{"choices":["Azul","Verde"]}}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", note: []string{"Cores?: Azul, Verde"},
	},
	{
		name: "pipedrive deal", body: `{"data":{"title":"Rosa Reis deal","value":5000,"person_id":{"name":"Rosa Reis","email":[{"value":"rosa@exemplo.com.br","primary":true}],"phone":[{
			"value":"11988887777","primary":true}]},"org_id":{"name":"Reis ME","address":"Rua A"},"user_id":{"name":"Vera","email":"vera@agencia.com.br"}}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", valor: 5000, note: []string{"vera@agencia.com.br"},
	},
	{
		name: "nectar", body: `{"nome":"Rosa Reis","emails":["rosa@exemplo.com.br"],"telefones":["11988887777"],"empresa":{"nome":"Reis ME"},"responsavel":{"nome":"Vera",
			"email":"vera@agencia.com.br"},"origem":{"id":1,"nome":"Site"}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", origem: "Site", note: []string{"Vera"},
	},
	{
		name: "d36 piperun", body: `{"id":1,"title":"Oportunidade Rosa","value":1500.00,"person":{"name":"Rosa Reis","contact_emails":[{"email":"rosa@exemplo.com.br"}],"contact_phones":[
			{"number":"11988887777"}]},"company":{"name":"Reis ME","cnpj":"11222333000181"},"owner":{"name":"Vera","email":"vera@agencia.com.br"},"origin":{
			"name":"Google Ads"}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", empresa: "Reis ME", valor: 1500, origem: "Google Ads",
	},
	{
		name: "kommo api", body: `{"unsorted":{"add":[{"uid":"1","source_name":"Site","category":"forms","data":{"contacts":[{"name":"Rosa Reis","custom_fields_values":[{
			"field_name":"Telefone","field_code":"PHONE","values":[{"value":"11988887777"}]},{"field_name":"Email","field_code":"EMAIL","values":[{
			"value":"rosa@exemplo.com.br"}]}]}],"leads":[{"name":"Lead #1","price":1500}]}}]}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", valor: 1500, origem: "Site", delivery: "kommo:1", not: []string{"PHONE"},
	},
	{
		name: "d38 mautic", body: `{"mautic.lead_post_save_new":[{"contact":{"id":1,"points":0,"fields":{"core":{"firstname":{"id":"2","label":"First Name","alias":"firstname",
			"type":"text","value":"Rosa"},"lastname":{"label":"Last Name","alias":"lastname","type":"text","value":"Reis"},"email":{"label":"Email",
			"alias":"email","type":"email","value":"rosa@exemplo.com.br"},"mobile":{"label":"Mobile","alias":"mobile","type":"tel","value":"11988887777"}}},
			"owner":{"username":"dono","email":"dono@exemplo.com.br"}},"timestamp":"2026-09-14T10:00:00Z"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "11988887777", not: []string{"alias"},
	},
	{
		name: "embeds", body: `{"embeds":[{"title":"Novo lead","fields":[{"name":"Nome","value":"Rosa Reis","inline":true},{"name":"Email","value":"rosa@exemplo.com.br",
			"inline":true}]}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", note: []string{"Novo lead"},
	},
	{
		name: "means of contact", body: `{"name":"Rosa","contact_methods":[{"type":"email","value":"rosa@exemplo.com.br"},{"type":"phone","value":"11988887777"}]}`,
		email: "rosa@exemplo.com.br", nome: "Rosa", fone: "11988887777",
	},
	{
		name: "e46 schema.org", body: `{"@type":"Person","givenName":"Rosa","familyName":"Reis","email":"mailto:rosa@exemplo.com.br","telephone":"+55 11 98888-7777","worksFor":{
			"@type":"Organization","name":"Reis ME"}}`,
		email: "rosa@exemplo.com.br", nome: "Rosa Reis", fone: "+55 11 98888-7777", empresa: "Reis ME",
	},
	{
		name: "asp.net", typ: formType, body: pairs("ctl00$ContentPlaceHolder1$txtNome", "Rosa", "ctl00$ContentPlaceHolder1$txtEmail", "rosa@exemplo.com.br",
			"__VIEWSTATE", "/wEPDwUKMTY3"),
		email: "rosa@exemplo.com.br", nome: "Rosa", not: []string{"VIEWSTATE"},
	},
}

func TestProducts(t *testing.T) {
	for _, p := range products {
		kind, typ := p.kind, p.typ
		if kind == "" {
			kind = Generic
		}
		if typ == "" {
			typ = "application/json"
		}
		t.Run(p.name, func(t *testing.T) {
			d, err := Read(Options{Kind: kind}, typ, []byte(p.body))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range [][3]string{
				{"email", d.Email, p.email}, {"nome", d.DisplayName(kind), p.nome}, {"telefone", d.Phone, p.fone}, {"empresa", d.Company, p.empresa},
				{"mensagem", d.Message, p.mensagem}, {"origem", d.Origin, p.origem}, {"fallback", d.FallbackOrigin, p.fallback}, {"delivery", d.DeliveryID, p.delivery},
			} {
				if c[1] != c[2] {
					t.Errorf("%s = %q, want %q", c[0], c[1], c[2])
				}
			}
			if d.Amount%100 != 0 || (d.Amount+5000)/10000 != p.valor {
				t.Errorf("valor = %d, want %d", d.Amount, p.valor)
			}
			if d.Test != p.test {
				t.Errorf("test = %v", d.Test)
			}
			note := d.Note()
			for _, s := range p.note {
				if !strings.Contains(note, s) {
					t.Errorf("note has no %q", s)
				}
			}
			for _, s := range p.not {
				if strings.Contains(note, s) {
					t.Errorf("note has %q", s)
				}
			}
			for _, l := range d.Leftover {
				if strings.Count("\n"+note+"\n", "\n"+l.Key+": "+l.Value+"\n") > 1 {
					t.Errorf("note repeats %q", l)
				}
			}
			if t.Failed() || testing.Verbose() {
				t.Logf("%+v\nNOTE:\n%s", d, note)
			}
		})
	}
}

package browser

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"fichario/tests/testkit"
	"fichario/tests/testkit/browsertest"
	"fichario/tests/testkit/contracttest"
	"fichario/tests/testkit/lookuptest"
)

// ask looks a person up through the API.
func (p *place) ask(t *testing.T, key, cpf string) map[string]any {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, p.URL+"/api/v1/cpf/"+cpf, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := contracttest.Transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	answer := map[string]any{}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

func TestSlowALookupWithAMaskIsPaidOnceAndSharedWithTheAPI(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		key := testkit.JSON[map[string]string](t,
			testkit.Run(t, p.env, "key", "create", "--org", p.org, "--name", "CRM", "--scopes", "cpf", "--json"))["key"]
		b.Visit("/consultar")
		b.Fill("#documento", "529.982.247-52")
		b.See("Este CPF não existe")
		b.Accessible()
		b.Fill("#documento", "900.000.001-75") // all its named fields are null
		b.See("Cadastro", "R$ 0,45")
		b.Accessible()
		b.Press("Consultar")
		b.See("não informado", "Resposta original do bureau", "R$ 0,45")
		b.SeeNot("52998224725")
		if !strings.HasPrefix(b.Path(), "/consultas/") || strings.Contains(b.Path(), "90000000175") {
			t.Error("the result's address is not that of a lookup, or it holds the document")
		}
		b.Accessible()
		answer := p.ask(t, key, "90000000175")
		if answer["cache"] != true || answer["valorCobrado"] != 0.0 {
			t.Errorf("the API asks again: cache %v, charged %v", answer["cache"], answer["valorCobrado"])
		}
		p.ask(t, key, "52998224725")
		b.Visit("/consultar")
		b.Fill("#documento", "52998224725")
		b.Key("\r")
		b.See("Abrir do histórico")
		lookuptest.Eventually(t, "after Enter the focus is on the product", func() bool {
			return browsertest.Eval[string](b, "document.activeElement?.name ?? ''") == "escolhido"
		})
		b.Press("Abrir do histórico")
		b.See("Histórico, grátis")
		b.Back() // not to a form that would have to be posted again
		b.At("/consultar")
		b.See("O que você quer consultar?")
		b.Visit("/consultas")
		b.Fill("#procurar", "52998224725")
		b.Key("\r")
		b.See("Tirar a procura")
		b.Click("tbody th a")
		b.See("Histórico, grátis")
		b.Back()
		b.At("/consultas")
		b.See("Nome ou documento")
		b.SeeNot("O que você escreveu e não enviou está de volta")
		b.Visit("/consultar")
		b.Fill("#documento", "52998224725")
		b.See("Abrir do histórico")
		b.Press("Abrir do histórico")
		b.See("Histórico, grátis")
		b.Press("Atualizar")
		b.Click("#atualizar button[type=submit]")
		b.See("Cobrada")
		b.Size(360, true)
		b.Accessible()
	})
}

// TestSlowASlowBureauCanBeLeftAndAFailureIsSaidInWords holds the bureau's answer until the waiting page has been
// checked, which then gives way to the answer by itself.
func TestSlowASlowBureauCanBeLeftAndAFailureIsSaidInWords(t *testing.T) {
	t.Parallel()
	const slow, failing = "90000000680", "90000000841"
	answer := make(chan struct{}, 1)
	bureau := lookuptest.StartBureau(t, func(w http.ResponseWriter, r *http.Request, document string) {
		if document == failing {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		select {
		case <-answer:
		case <-r.Context().Done():
		}
		lookuptest.Ordinary(w, r, document)
	})
	journey(t, func(t *testing.T, _ *place, b *browsertest.Browser) {
		b.Visit("/consultar")
		b.Fill("#documento", slow)
		b.See("R$ 0,45")
		b.Press("Consultar")
		b.See("Perguntando ao bureau")
		b.Accessible()
		at := b.Path()
		b.Visit("/contatos")
		b.Visit(at)
		b.See("Perguntando ao bureau")
		answer <- struct{}{}
		b.See("Resposta original do bureau")
		b.Visit("/consultar")
		b.Fill("#documento", failing)
		b.See("R$ 0,45")
		b.Press("Consultar")
		b.See("O bureau respondeu com um erro", "R$ 0,45")
		b.Accessible()
	}, map[string]string{
		"FICHARIO_BUREAU": lookuptest.BureauFile(t, bureau.URL, lookuptest.Patient), "TESTE_TOKEN": lookuptest.Secret,
	})
}

func TestSlowAKeyIsMadeUsedAndRevoked(t *testing.T) {
	t.Parallel()
	journey(t, func(t *testing.T, p *place, b *browsertest.Browser) {
		b.Visit("/chaves/nova")
		b.Fill("#nome", "ERP, produção")
		b.Accessible()
		b.Press("Criar chave")
		b.See("curl")
		secret := browsertest.Eval[string](b, "document.querySelector('#segredo').textContent.trim()")
		if answer := p.ask(t, secret, "52998224725"); answer["cache"] != false {
			t.Errorf("the key does not work: %v", answer["code"])
		}
		b.Visit("/chaves")
		b.See("ERP, produção", "Ativa")
		b.Accessible()
		b.Press("ERP, produção")
		b.See("R$ 0,45", "529.982.247-25")
		b.Accessible()
		b.Press("Alterar")
		b.Accessible()
		b.Size(360, true)
		b.Accessible()
		b.Size(1280, false)
		b.Fill("#redes", "127.0.0.1, ::1")
		b.Press("Guardar")
		b.See("Chave alterada", "só de 127.0.0.1, ::1")
		b.Visit("/extrato?quem=equipe")
		b.See("Nenhuma consulta aqui")
		b.Press("Tirar o filtro")
		b.See("R$ 0,45", "529.982.247-25", "por dia e produto")
		b.Accessible()
		b.Press("ERP, produção")
		b.Press("Revogar")
		b.Click("dialog:modal button[type=submit]")
		b.See("Revogada")
		if answer := p.ask(t, secret, "52998224725"); answer["code"] != "nao_autenticado" && answer["cache"] != true {
			t.Errorf("the revoked key: %v", answer["code"])
		}
	})
}

package destinations

import (
	"encoding/json"
	"testing"

	"fichario/domain/automation"
)

// TestMessagesSayWhatHappened: the message for an event without a contact says what happened, and to what.
func TestMessagesSayWhatHappened(t *testing.T) {
	t.Parallel()
	for name, c := range map[automation.EventName]struct{ data, title, rest string }{
		automation.CapReached: {
			`{"chave":{"id":"k","nome":"Site & CRM","prefixo":"fic_a"},"periodo":"mes","percentual":80,"limite":500,"cobradas":400}`,
			"Limite de uma chave", "Site & CRM: 80% do limite do mês, 400 de 500 consultas",
		},
		automation.BatchCompleted: {
			`{"id":"b","nome":"Carteira","produto":"cnpj","situacao":"concluido","itens":{"total":9,"validos":8},
				"progresso":{"feitos":8,"gasto":3.60}}`,
			"Lote encerrado", "Carteira: concluído, 8 de 8 consultados, R$ 3,60",
		},
		automation.DeliveryRefused: {
			`{"id":"d","webhook":"Site","codigo":"requisicao_invalida","mensagem":"Falta o e-mail."}`,
			"Envio recusado", "Site: Falta o e-mail.",
		},
		automation.LookupCompleted: {
			`{"produto":"cnpj","documento":"11222333000181","campos":{"score":742},"contato":null}`,
			"Consulta respondida", "Consulta: cnpj\nscore: 742",
		},
		"algo.novo": {`{}`, "algo.novo", ""},
	} {
		for destination, values := range map[string]map[string]string{
			"slack":    {"webhook": "https://hooks.slack.com/services/a"},
			"telegram": {"token": "1:a", "chat": "-1"},
		} {
			e := event(t, c.data)
			e.Name = name
			r, _, err := filled(t, automation.Action{Destination: destination, Values: values}).Request(t.Context(), e)
			if err != nil {
				t.Errorf("%s %s: %v", destination, name, err)
				continue
			}
			want := c.title
			if destination == "slack" {
				want = "*" + want + "*"
			}
			if rest := c.rest; rest != "" {
				if destination == "slack" && name == automation.CapReached {
					rest = "Site &amp; CRM" + rest[len("Site & CRM"):]
				}
				want += "\n" + rest
			}
			var got struct{ Text string }
			if err := json.Unmarshal(r.Body, &got); err != nil || got.Text != want {
				t.Errorf("%s %s: %q, not %q", destination, name, got.Text, want)
			}
		}
	}
}

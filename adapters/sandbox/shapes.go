package sandbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// The shapes of the answers. The order of fields is the order of keys.
type (
	envelope struct {
		Success bool        `json:"sucesso"`
		Notice  string      `json:"aviso"`
		Query   query       `json:"consulta"`
		Credits json.Number `json:"saldoDeCreditos"`
		Result  any         `json:"resultado"`
		Message string      `json:"mensagem"`
	}
	query struct {
		Document string `json:"documento"`
		Type     string `json:"tipo"`
	}
	situation struct {
		Code   int    `json:"codigo"`
		Text   string `json:"descricao"`
		Since  string `json:"desde"`
		Reason string `json:"motivo"`
	}
	phone struct {
		Area    string `json:"ddd"`
		Number  string `json:"numero"`
		Kind    string `json:"tipo"`
		Carrier string `json:"operadora"`
		Apps    apps   `json:"aplicativos"`
	}
	apps struct {
		WhatsApp *bool `json:"whatsapp,omitempty"`
	}
	address struct {
		Kind       string      `json:"tipo"`
		StreetKind string      `json:"tipoLogradouro"`
		Street     string      `json:"logradouro"`
		Number     string      `json:"numero"`
		Complement string      `json:"complemento"`
		District   string      `json:"bairro"`
		City       city        `json:"municipio"`
		PostalCode string      `json:"cep"`
		Latitude   json.Number `json:"latitude"`
		Longitude  json.Number `json:"longitude"`
	}
	city struct {
		Name string `json:"nome"`
		UF   string `json:"uf"`
	}
	contacts struct {
		Phones    oneOrMany[phone]   `json:"telefones"`
		Emails    oneOrMany[string]  `json:"emails"`
		Addresses oneOrMany[address] `json:"enderecos"`
	}
	parents struct {
		Mother string `json:"mae"`
		Father string `json:"pai"`
	}
	person struct {
		Name       string      `json:"nomeCompleto"`
		Parents    parents     `json:"filiacao"`
		Born       string      `json:"dataNascimento"`
		Sex        string      `json:"sexo"`
		Situation  situation   `json:"situacao"`
		Contacts   contacts    `json:"contatos"`
		Income     json.Number `json:"rendaEstimada"`
		Occupation int         `json:"codigoOcupacao"`
	}
	coded struct {
		Code int    `json:"codigo"`
		Text string `json:"descricao"`
	}
	activity struct {
		Code string `json:"codigo"`
		Text string `json:"descricao"`
	}
	trade struct {
		Main   activity            `json:"principal"`
		Others oneOrMany[activity] `json:"secundarias"`
	}
	partner struct {
		Name       string `json:"nome"`
		Document   string `json:"documento"`
		Role       coded  `json:"qualificacao"`
		Occupation int    `json:"codigoOcupacao"`
		Since      string `json:"entrada"`
	}
	company struct {
		Name      string             `json:"razaoSocial"`
		TradeName string             `json:"nomeFantasia"`
		Opened    string             `json:"dataAbertura"`
		Situation situation          `json:"situacao"`
		Nature    coded              `json:"naturezaJuridica"`
		Size      string             `json:"porte"`
		Capital   json.Number        `json:"capitalSocial"`
		Trade     trade              `json:"atividades"`
		Contacts  contacts           `json:"contatos"`
		Partners  oneOrMany[partner] `json:"quadroSocietario"`
	}
	status struct {
		Name      string    `json:"nome"`
		Situation situation `json:"situacao"`
	}
	death struct {
		Indication *bool  `json:"indicio,omitempty"`
		Date       string `json:"data"`
	}
	share struct {
		Document string      `json:"cnpj"`
		Name     string      `json:"razaoSocial"`
		Role     coded       `json:"qualificacao"`
		Percent  json.Number `json:"percentual"`
		Since    string      `json:"entrada"`
	}
	shares struct {
		Companies oneOrMany[share] `json:"empresas"`
	}
	protest struct {
		Notary string      `json:"cartorio"`
		City   city        `json:"municipio"`
		Date   string      `json:"data"`
		Amount json.Number `json:"valor"`
	}
	protests struct {
		Count int                `json:"quantidade"`
		Total json.Number        `json:"valorTotal"`
		Items oneOrMany[protest] `json:"titulos"`
	}
	score struct {
		Points int         `json:"pontos"`
		Band   string      `json:"classe"`
		Risk   json.Number `json:"probabilidade"`
	}
	years struct {
		Made  int `json:"fabricacao"`
		Model int `json:"modelo"`
	}
	vehicle struct {
		Plate    string            `json:"placa"`
		Chassis  string            `json:"chassi"`
		Renavam  string            `json:"renavam"`
		Model    string            `json:"marcaModelo"`
		Years    years             `json:"ano"`
		Color    string            `json:"cor"`
		Fuel     string            `json:"combustivel"`
		City     city              `json:"municipio"`
		Limits   oneOrMany[string] `json:"restricoes"`
		Latitude json.Number       `json:"latitude"`
	}
	mailbox struct {
		Valid       *bool  `json:"valido,omitempty"`
		Deliverable *bool  `json:"entregavel,omitempty"`
		Disposable  *bool  `json:"descartavel,omitempty"`
		Provider    string `json:"provedor"`
	}
)

// unknownDate is how this bureau writes a missing date.
const unknownDate = "0001-01-01T00:00:00Z"

// oneOrMany is encoded as its element when it has exactly one, a habit of some bureaus.
type oneOrMany[T any] []T

// MarshalJSON encodes an object or a list.
func (l oneOrMany[T]) MarshalJSON() ([]byte, error) {
	switch len(l) {
	case 0:
		return []byte("[]"), nil
	case 1:
		return plainJSON(l[0])
	}
	return plainJSON([]T(l))
}

func plainJSON(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return buf.Bytes(), err
}

// render encodes an answer with spaces, and with one letter escaped, so that even a change of a single byte in transit
// shows.
func render(v any) []byte {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return nil // the shapes are fixed: they always encode
	}
	return []byte(escape.Replace(buf.String()))
}

var escape = strings.NewReplacer("é", `\u00e9`)

// day is a random date between two years, in this bureau's notation.
func (d *dice) day(from, to int) string {
	t := time.Date(from+d.n(to-from+1), time.Month(1+d.n(12)), 1+d.n(28), 0, 0, 0, 0, time.UTC)
	return t.Format("2006-01-02T15:04:05Z")
}

// cents writes an amount with two decimals, zeros included.
func cents(n int) json.Number { return json.Number(fmt.Sprintf("%d.%02d", n/100, n%100)) }

func yes(b bool) *bool { return &b }

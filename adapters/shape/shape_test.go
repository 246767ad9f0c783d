package shape

import (
	"errors"
	"testing"
	"time"

	"fichario/domain/fault"
)

type sample struct {
	Product  string  `json:"produto" validate:"omitempty,product"`
	Limit    *string `form:"limite" validate:"omitempty,whole=1 200"`
	Cache    string  `form:"cache" validate:"omitempty,oneof=true false"`
	Day      string  `form:"de" validate:"omitempty,day"`
	Email    string  `form:"email" validate:"omitempty,document=email"`
	Page     string  `yaml:"pagina" validate:"omitempty,address"`
	Name     string  `env:"NOME" validate:"required,max=5"`
	Per      int     `form:"minuto" validate:"min=0,max=9"`
	Password string  `form:"senha" validate:"omitempty,min=3"`
	Amount   *int    `form:"valor" validate:"omitempty,min=0" says:"Escreva um valor só."`
	Bureau   *string `form:"bureau" validate:"omitempty,min=1"`
	Purpose  *string `form:"finalidade" validate:"omitzero,product"`
	Cap      *int    `form:"teto" validate:"required,max=9"`
	Zone     string  `env:"FUSO" validate:"omitempty,timezone"`
	Org      string  `form:"org" validate:"omitempty,uuid"`
	List     []int   `json:"lista" validate:"omitempty,max=2"`

	Wait   time.Duration `env:"ESPERA" validate:"max=10m"`
	Beside *struct {
		Near string `json:"perto" validate:"oneof=a b"`
	}
	_      string `validate:"required"`
	Within struct {
		Deep string `json:"fundo" validate:"omitempty,oneof=a"`
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	text := func(s string) *string { return &s }
	const (
		noAddress = "O campo pagina deve ser um endereço http:// ou https:// completo."
		noProduct = "O campo produto deve ser o id de um produto, como cpf; GET /api/v1/produtos os lista."
	)
	for name, c := range map[string]struct {
		change  func(*sample)
		field   string
		message string
	}{
		"as it should be":  {func(*sample) {}, "", ""},
		"missing":          {func(s *sample) { s.Name = "" }, "NOME", "Falta o campo NOME."},
		"too long":         {func(s *sample) { s.Name = "ananas" }, "NOME", "O campo NOME pode ter até 5 caracteres."},
		"counted in runes": {func(s *sample) { s.Name = "ééééé" }, "", ""},
		"too short":        {func(s *sample) { s.Password = "ab" }, "senha", "O campo senha deve ter ao menos 3 caracteres."},
		"too small":        {func(s *sample) { s.Per = -1 }, "minuto", "O campo minuto deve ser no mínimo 0."},
		"too large":        {func(s *sample) { s.Per = 10 }, "minuto", "O campo minuto deve ser no máximo 9."},
		"in its own words": {func(s *sample) { s.Amount = new(-1) }, "valor", "Escreva um valor só."},
		"no choice":        {func(s *sample) { s.Cache = "sim" }, "cache", "O campo cache deve ser true ou false."},
		"out of bounds":    {func(s *sample) { s.Limit = text("201") }, "limite", "O campo limite vai de 1 a 200."},
		"no number":        {func(s *sample) { s.Limit = text("1e2") }, "limite", "O campo limite vai de 1 a 200."},
		"a number":         {func(s *sample) { s.Limit = text("200") }, "", ""},
		"no day":           {func(s *sample) { s.Day = "2026-02-30" }, "de", "O campo de deve ser uma data entre 2000 e 9998, como 2026-11-01."},
		"no year":          {func(s *sample) { s.Day = "9999-12-31" }, "de", "O campo de deve ser uma data entre 2000 e 9998, como 2026-11-01."},
		"no e-mail":        {func(s *sample) { s.Email = "ana@" }, "email", "O campo email não é um e-mail válido."},
		"no address":       {func(s *sample) { s.Page = "ontem" }, "pagina", noAddress},
		"no host in it":    {func(s *sample) { s.Page = "https://:8080" }, "pagina", noAddress},
		"a user in it":     {func(s *sample) { s.Page = "https://a:b@x.example" }, "pagina", noAddress},
		"within":           {func(s *sample) { s.Within.Deep = "b" }, "fundo", "O campo fundo deve ser a."},
		"pointing to nothing, which is something": {
			func(s *sample) { s.Bureau = text("") }, "bureau", "O campo bureau veio vazio: envie-o com um valor, ou não o envie.",
		},
		"pointing to nothing, which is nothing": {func(s *sample) { s.Purpose = text("") }, "", ""},
		"pointing to no product":                {func(s *sample) { s.Purpose = text("../x") }, "finalidade", "O campo finalidade deve ser o id de um produto, como cpf; GET /api/v1/produtos os lista."},
		"pointing nowhere":                      {func(s *sample) { s.Cap = nil }, "teto", "Falta o campo teto."},
		"a zero that is there":                  {func(s *sample) { s.Cap = new(0) }, "", ""},
		"no zone":                               {func(s *sample) { s.Zone = "Marte/Olympus" }, "FUSO", "O campo FUSO deve ser um fuso horário, como America/Sao_Paulo."},
		"the machine's own zone":                {func(s *sample) { s.Zone = "Local" }, "FUSO", "O campo FUSO deve ser um fuso horário, como America/Sao_Paulo."},
		"a zone":                                {func(s *sample) { s.Zone = "America/Manaus" }, "", ""},
		"no id":                                 {func(s *sample) { s.Org = "{01a22d84-82b8-7000-8000-000000000000}" }, "org", "O campo org não tem a forma esperada."},
		"an id":                                 {func(s *sample) { s.Org = "01a22d84-82b8-7000-8000-000000000000" }, "", ""},
		"too many":                              {func(s *sample) { s.List = make([]int, 3) }, "lista", "O campo lista deve ser no máximo 2."},
		"too long a wait":                       {func(s *sample) { s.Wait = 10*time.Minute + 1 }, "ESPERA", "O campo ESPERA deve ser no máximo 10m."},
		"as long as it may be":                  {func(s *sample) { s.Wait = 10 * time.Minute }, "", ""},
		"beside": {func(s *sample) {
			s.Beside = &struct {
				Near string `json:"perto" validate:"oneof=a b"`
			}{"c"}
		}, "perto", "O campo perto deve ser a ou b."},
		"no product": {func(s *sample) { s.Product = "../x" }, "produto", noProduct},
	} {
		s := sample{Name: "ana", Cap: new(1)}
		c.change(&s)
		err := Check(s)
		if c.field == "" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		f, ok := err.(*fault.Error) //nolint:errorlint // never wrapped
		if !ok || f.Code != fault.InvalidRequest || f.Field != c.field || f.Message != c.message {
			t.Errorf("%s: %#v", name, err)
		}
	}
	if Check(3) == nil {
		t.Error("a value without fields passes")
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	type form struct{ sample }
	for field, message := range map[string]string{
		"valor": "Escreva um valor só.", "minuto": "O campo minuto não tem a forma esperada.",
	} {
		var f *fault.Error
		if err := Unreadable(&form{}, field); !errors.As(err, &f) || f.Field != field || f.Message != message ||
			f.Code != fault.InvalidRequest {
			t.Errorf("%s: %#v", field, err)
		}
	}
}

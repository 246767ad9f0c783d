package web

import (
	"bytes"
	"encoding/json"
	"html/template"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"fichario/domain/catalog"
	"fichario/domain/document"
)

// What a page shows of one answer at most. A hostile or huge answer stays a page: the
// rest is in the file to download.
const (
	sheetText = 30_000 // characters of all values
	cellText  = 1_000  // characters of one value
	listRows  = 80
	treeNodes = 400
	treeText  = 20_000
	nodeText  = 300
	treeDepth = 40
	rawText   = 40_000 // bytes, as text
)

// section is a group of an answer's fields.
type section struct {
	Title string
	Rows  []sheetRow
	// Phones, Addresses and Table are lists of records; only one is set.
	Phones    []phone
	Addresses []address
	Table     *sheetTable
	// Bare is set for a single row that is called as its section.
	Bare bool
	// Absent is a list that the bureau does not inform.
	Absent bool
	// More is how many elements are not shown.
	More int
}

type sheetRow struct {
	Label string
	Value cell
}

type sheetTable struct {
	Columns []sheetColumn
	Rows    [][]cell
}

type sheetColumn struct {
	Label string
	Right bool
}

// cell is a value as people read it: kinds are none, text, doc, date, mail and list.
type cell struct {
	Kind string
	// Label and Right are the column's.
	Label string
	Right bool
	Text  string
	// Note stands beside the text: the code of an activity.
	Note string
	ISO  string
	List []cell
	// Cut is whether the text is longer.
	Cut bool
}

type phone struct {
	Shown cell
	Call  template.URL
	Kind  cell
	// WhatsApp is sim, não, or empty when the bureau does not inform it.
	WhatsApp string
}

type address struct{ Street, Place, Kind, Code cell }

// groups say how the fields of known products are put together; what they do not name
// comes last.
var groups = map[string][]struct {
	title  string
	fields []string
}{
	"cpf": {
		{"Identificação", []string{"nome", "nomeMae", "nascimento", "sexo", "situacaoCadastral"}},
		{"Telefones", []string{"telefones"}}, {"E-mails", []string{"emails"}}, {"Endereços", []string{"enderecos"}},
	},
	"cnpj": {
		{"Identificação", []string{"razaoSocial", "nomeFantasia", "abertura", "situacaoCadastral", "naturezaJuridica", "porte", "capitalSocial"}},
		{"Atividades", []string{"atividadePrincipal", "atividadesSecundarias"}}, {"Sócios", []string{"socios"}},
		{"Telefones", []string{"telefones"}}, {"E-mails", []string{"emails"}}, {"Endereços", []string{"enderecos"}},
	},
	"situacao_cadastral":      {{"Situação na Receita Federal", []string{"nome", "situacao", "situacaoEm", "motivo"}}},
	"obito":                   {{"Registro de óbito", []string{"obito", "obitoEm"}}},
	"participacao_societaria": {{"Participações", []string{"participacoes"}}},
	"protestos":               {{"Resumo", []string{"quantidade", "valorTotal"}}, {"Protestos", []string{"protestos"}}},
	"score":                   {{"Pontuação de crédito", []string{"score", "faixa", "probabilidadeInadimplencia"}}},
	"veiculo": {
		{"Veículo", []string{"marcaModelo", "placa", "anoFabricacao", "anoModelo", "cor", "combustivel"}},
		{"Registro", []string{"chassi", "renavam", "cidade", "uf", "restricoes"}},
	},
	"validacao_email": {{"Validação", []string{"valido", "entregavel", "descartavel", "provedor"}}},
}

// labels are the names of known fields for people. Fields of other products are called
// by their description.
var labels = map[string]string{
	"nome": "Nome", "nomeMae": "Nome da mãe", "nascimento": "Nascimento", "sexo": "Sexo", "situacaoCadastral": "Situação cadastral",
	"emails": "E-mails", "telefones": "Telefones", "enderecos": "Endereços", "razaoSocial": "Razão social", "nomeFantasia": "Nome fantasia",
	"abertura": "Abertura", "naturezaJuridica": "Natureza jurídica", "porte": "Porte", "capitalSocial": "Capital social",
	"atividadePrincipal": "Principal", "atividadesSecundarias": "Secundárias", "socios": "Sócios", "documento": "Documento",
	"qualificacao": "Qualificação", "entrada": "Entrada", "situacao": "Situação", "situacaoEm": "Desde", "motivo": "Motivo",
	"obito": "Há registro de óbito", "obitoEm": "Data do óbito", "participacoes": "Participações", "cnpj": "CNPJ", "percentual": "Participação",
	"quantidade": "Quantidade", "valorTotal": "Valor total", "protestos": "Protestos", "cartorio": "Cartório", "cidade": "Cidade", "uf": "UF",
	"data": "Data", "valor": "Valor", "score": "Score", "faixa": "Faixa", "probabilidadeInadimplencia": "Chance de inadimplência",
	"placa": "Placa", "chassi": "Chassi", "renavam": "Renavam", "marcaModelo": "Marca e modelo", "anoFabricacao": "Ano de fabricação",
	"anoModelo": "Ano do modelo", "cor": "Cor", "combustivel": "Combustível", "restricoes": "Restrições", "valido": "Endereço válido",
	"entregavel": "Recebe mensagens", "descartavel": "Serviço descartável", "provedor": "Provedor",
}

// sheet puts the named fields of an answer into groups. budget is what may still be
// shown of it.
type sheet struct {
	left int
	// standard is whether the product's field names mean what labels says.
	standard bool
}

// readSheet makes the groups of an answer's named fields.
func readSheet(p catalog.Product, fields []byte) []section {
	dec := json.NewDecoder(bytes.NewReader(fields))
	dec.UseNumber()
	values := map[string]any{}
	if dec.Decode(&values) != nil {
		return nil
	}
	_, standard := catalog.Standard().Find(p.ID)
	s := &sheet{left: sheetText, standard: standard}
	var out []section
	seen := map[string]bool{}
	for _, g := range groups[p.ID] {
		var list []catalog.Field
		for _, name := range g.fields {
			if f, ok := p.Field(name); ok {
				list = append(list, f)
			}
			seen[name] = true
		}
		out = append(out, s.sections(g.title, list, values)...)
	}
	var rest []catalog.Field
	for _, f := range p.Fields {
		// A field that says the same as another one is shown once.
		if !seen[f.Name] && (f.Twin == "" || !seen[f.Twin]) {
			rest = append(rest, f)
		}
	}
	title := "Dados"
	if len(out) > 0 {
		title = "Outros dados"
	}
	return append(out, s.sections(title, rest, values)...)
}

// sections makes one group of plain values, and one for each list of records or object.
func (s *sheet) sections(title string, fields []catalog.Field, values map[string]any) []section {
	var out []section
	plain := section{Title: title}
	for _, f := range fields {
		v := values[f.Name]
		switch {
		case f.Kind == catalog.List && len(f.Fields) > 0 && !isActivity(f):
			own := s.records(f, v)
			own.Title = s.label(f)
			if len(fields) == 1 {
				own.Title = title
			}
			out = append(out, own)
		case f.Kind == catalog.Object && len(f.Fields) > 0 && !isActivity(f):
			object, _ := v.(map[string]any)
			own := section{Title: s.label(f), Absent: object == nil}
			if object != nil {
				for _, in := range f.Fields {
					own.Rows = append(own.Rows, sheetRow{s.label(in), s.cell(in, object[in.Name])})
				}
			}
			out = append(out, own)
		default:
			plain.Rows = append(plain.Rows, sheetRow{s.label(f), s.cell(f, v)})
		}
	}
	if len(plain.Rows) > 0 {
		plain.Bare = len(plain.Rows) == 1 && plain.Rows[0].Label == title
		out = slices.Insert(out, 0, plain)
	}
	return out
}

func isActivity(f catalog.Field) bool {
	return strings.HasPrefix(f.Name, "atividade") && len(f.Fields) == 2 && f.Fields[0].Name == "codigo"
}

// label is what a field is called.
func (s *sheet) label(f catalog.Field) string {
	if known, ok := labels[f.Name]; ok && s.standard {
		return known
	}
	text := strings.TrimSuffix(strings.TrimSpace(f.Description), ".")
	if text == "" {
		text = strings.TrimSpace(spaced(f.Name))
	}
	return shorten(80, text)
}

// spaced makes words of a name such as rendaPresumida.
func spaced(name string) string {
	var b strings.Builder
	for i, r := range name {
		switch {
		case i == 0:
			b.WriteRune(unicode.ToUpper(r))
		case r == '_':
			b.WriteByte(' ')
		case unicode.IsUpper(r):
			b.WriteString(" " + string(unicode.ToLower(r)))
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// records makes the group of a list of records.
func (s *sheet) records(f catalog.Field, v any) section {
	list, _ := v.([]any)
	out := section{Absent: len(list) == 0}
	if len(list) > listRows {
		out.More, list = len(list)-listRows, list[:listRows]
	}
	table := &sheetTable{}
	for _, in := range f.Fields {
		table.Columns = append(table.Columns, sheetColumn{s.label(in), in.Kind == catalog.Number || in.Kind == catalog.Date})
	}
	for _, item := range list {
		object, _ := item.(map[string]any)
		switch {
		case f.Name == "telefones" && s.standard:
			out.Phones = append(out.Phones, s.phone(object))
		case f.Name == "enderecos" && s.standard:
			out.Addresses = append(out.Addresses, s.address(object))
		default:
			row := make([]cell, len(f.Fields))
			for i, in := range f.Fields {
				row[i] = s.cell(in, object[in.Name])
				row[i].Label, row[i].Right = table.Columns[i].Label, table.Columns[i].Right
			}
			table.Rows = append(table.Rows, row)
		}
	}
	if len(table.Rows) > 0 {
		out.Table = table
	}
	return out
}

func (s *sheet) phone(v map[string]any) phone {
	ddd, number := onlyDigits(plainText(v["ddd"])), onlyDigits(plainText(v["numero"]))
	p := phone{Kind: s.text(plainText(v["tipo"]))}
	whole := ddd + number
	p.Shown = cell{Kind: "doc", Text: shorten(cellText, plainText(v["numero"]))}
	if n := len(number); (n == 8 || n == 9) && len(ddd) == 2 {
		p.Shown.Text = "(" + ddd + ") " + number[:n-4] + "-" + number[n-4:]
		whole = "+55" + whole
	}
	if p.Shown.Text == "" {
		p.Shown.Kind = "none"
	}
	if n := len(onlyDigits(whole)); n >= 8 && n <= 15 {
		p.Call = template.URL("tel:" + whole) //nolint:gosec // it is digits only
	}
	if yes, known := v["whatsapp"].(bool); known {
		p.WhatsApp = map[bool]string{true: "sim", false: "não"}[yes]
	}
	return p
}

func (s *sheet) address(v map[string]any) address {
	join := func(names ...string) cell {
		var parts []string
		for _, name := range names {
			if t := strings.TrimSpace(plainText(v[name])); t != "" {
				parts = append(parts, t)
			}
		}
		return s.text(strings.Join(parts, ", "))
	}
	code := s.text(plainText(v["cep"]))
	if d := onlyDigits(code.Text); len(d) == 8 && len(code.Text) <= 10 {
		code = cell{Kind: "doc", Text: d[:5] + "-" + d[5:]}
	}
	return address{join("logradouro", "numero", "complemento"), join("bairro", "cidade", "uf"), s.text(plainText(v["tipo"])), code}
}

// cell makes a value readable.
func (s *sheet) cell(f catalog.Field, v any) cell {
	if v == nil {
		return cell{Kind: "none"}
	}
	switch x := v.(type) {
	case bool:
		return cell{Kind: "text", Text: map[bool]string{true: "Sim", false: "Não"}[x]}
	case json.Number:
		return s.text(s.number(f.Name, x.String()))
	case string:
		return s.string(f, x)
	case []any:
		out := cell{Kind: "list"}
		for i, item := range x {
			if i == listRows {
				out.List = append(out.List, cell{Kind: "text", Text: "e mais " + count(len(x)-listRows) + " na resposta original"})
				break
			}
			out.List = append(out.List, s.cell(catalog.Field{Name: f.Name, Kind: f.Items, Fields: f.Fields}, item))
		}
		if len(x) == 0 {
			out.Kind = "none"
		}
		return out
	case map[string]any:
		if isActivity(f) {
			if name := plainText(x["descricao"]); name != "" {
				out := s.text(name)
				out.Note = shorten(40, plainText(x["codigo"]))
				return out
			}
			return s.text(plainText(x["codigo"]))
		}
	}
	plain, err := json.Marshal(v)
	if err != nil {
		return cell{Kind: "none"}
	}
	return s.text(string(plain))
}

func (s *sheet) string(f catalog.Field, x string) cell {
	if f.Kind == catalog.Date {
		if t, err := time.Parse(time.DateOnly, x); err == nil {
			return cell{Kind: "date", Text: t.Format("02/01/2006"), ISO: x}
		}
	}
	if !s.standard {
		return s.text(x)
	}
	switch f.Name {
	case "emails":
		if _, err := document.Normalize(document.Email, x); err == nil {
			return cell{Kind: "mail", Text: x}
		}
	case "documento", "cnpj":
		return s.identity(x)
	case "chassi", "renavam", "placa":
		c := s.text(x)
		if c.Kind == "text" {
			c.Kind = "doc"
		}
		return c
	}
	return s.text(x)
}

// identity writes a document that is part of somebody else's record: of a CPF only a
// part, as the rules for pages want it; what the bureau has masked stays as it is.
func (s *sheet) identity(x string) cell {
	if d, err := document.Normalize(document.CPF, x); err == nil {
		return cell{Kind: "doc", Text: d.Masked()}
	}
	if d, err := document.Normalize(document.CNPJ, x); err == nil {
		return cell{Kind: "doc", Text: masked(d)}
	}
	c := s.text(x)
	if c.Kind == "text" {
		c.Kind = "doc"
	}
	return c
}

// text takes a text out of what may still be shown.
func (s *sheet) text(x string) cell {
	if strings.TrimSpace(x) == "" {
		return cell{Kind: "none"}
	}
	limit := min(cellText, max(s.left, 1))
	shown := shorten(limit, x)
	s.left -= len([]rune(shown))
	return cell{Kind: "text", Text: shown, Cut: shown != x}
}

// number writes a number as people in Brazil do, as an amount or a share where the
// field is one.
func (s *sheet) number(field, text string) string {
	if !s.standard {
		return decimal(text, 0)
	}
	switch field {
	case "capitalSocial", "valorTotal", "valor":
		return "R$\u00a0" + decimal(text, 2)
	case "percentual", "probabilidadeInadimplencia":
		return decimal(text, 0) + "%"
	case "anoFabricacao", "anoModelo":
		return text
	}
	return decimal(text, 0)
}

// decimal puts points and a comma into a JSON number; one with an exponent stays as it
// is.
func decimal(text string, least int) string {
	sign, rest := "", text
	if strings.HasPrefix(rest, "-") {
		sign, rest = "-", rest[1:]
	}
	if strings.ContainsAny(rest, "eE") {
		return text
	}
	whole, fraction, _ := strings.Cut(rest, ".")
	if len(fraction) > least {
		fraction = strings.TrimRight(fraction, "0")
	}
	for len(fraction) < least {
		fraction += "0"
	}
	if fraction != "" {
		fraction = "," + fraction
	}
	return sign + grouped(whole) + fraction
}

func plainText(v any) string {
	switch x := v.(type) {
	case string:
		return x
	case json.Number:
		return x.String()
	}
	return ""
}

func onlyDigits(s string) string {
	return strings.Map(func(r rune) rune {
		if r < '0' || r > '9' {
			return -1
		}
		return r
	}, s)
}

// node is a value in the tree of the bureau's own answer.
type node struct {
	Key string
	// Kind is of the value: s for a text, n for a number or a truth value, 0 for null,
	// empty for what has children.
	Kind, Text string
	// Size is how many children there are, as {3} or [3].
	Size     string
	Children []node
	// More is whether some children are not shown.
	More, Open bool
}

// rawAnswer is the bureau's own answer, to be looked at.
type rawAnswer struct {
	Size string
	// Valid is whether it is JSON; what is not is shown as text only.
	Valid, Empty bool
	Tree         []node
	Text         string
	// Cut is whether only a part is shown.
	Cut    bool
	AsText bool
}

// readRaw makes the tree or the text of a bureau's answer.
func readRaw(raw []byte, asText bool) rawAnswer {
	r := rawAnswer{Size: bytesText(len(raw)), Empty: len(bytes.TrimSpace(raw)) == 0, Valid: json.Valid(raw)}
	r.AsText = asText || !r.Valid
	if r.AsText {
		shown := raw[:min(len(raw), rawText)]
		r.Text, r.Cut = strings.ToValidUTF8(string(shown), "\uFFFD"), len(raw) > rawText
		return r
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	t := treeReader{dec: dec, nodes: treeNodes, text: treeText}
	top := t.value("", 0)
	r.Tree, r.Cut = top.Children, t.cut
	if top.Kind != "" {
		r.Tree = []node{top}
	}
	return r
}

// treeReader reads tokens, so that the order of keys, repeated keys and the text of
// numbers survive.
type treeReader struct {
	dec         *json.Decoder
	nodes, text int
	cut         bool
}

func (t *treeReader) value(key string, depth int) node {
	n := node{Key: shorten(nodeText, key)}
	token, err := t.dec.Token()
	if err != nil {
		t.cut = true
		return n
	}
	switch v := token.(type) {
	case json.Delim:
		t.children(&n, v, depth)
		return n
	case string:
		n.Kind, n.Text = "s", shorten(nodeText, v)
		t.cut = t.cut || n.Text != v
	case json.Number:
		n.Kind, n.Text = "n", shorten(nodeText, v.String())
	case bool:
		n.Kind, n.Text = "n", strconv.FormatBool(v)
	default:
		n.Kind, n.Text = "0", "null"
	}
	t.text -= len(n.Text) + len(n.Key)
	return n
}

func (t *treeReader) children(n *node, open json.Delim, depth int) {
	total, shown := 0, 0
	for t.dec.More() {
		key := strconv.Itoa(total)
		if open == '{' {
			token, err := t.dec.Token()
			if err != nil {
				t.cut = true
				return
			}
			key, _ = token.(string)
		}
		total++
		if t.nodes <= 0 || t.text <= 0 || depth >= treeDepth {
			t.cut, n.More = true, true
			t.skip()
			continue
		}
		t.nodes--
		shown++
		n.Children = append(n.Children, t.value(key, depth+1))
	}
	_, _ = t.dec.Token() // the closing mark: the whole is valid
	n.Size = "{" + count(total) + "}"
	if open == '[' {
		n.Size = "[" + count(total) + "]"
	}
	n.Open = depth < 2 && shown <= 12
}

// skip passes over one value.
func (t *treeReader) skip() {
	for depth := 0; ; {
		token, err := t.dec.Token()
		if err != nil {
			return
		}
		if d, ok := token.(json.Delim); ok {
			if d == '{' || d == '[' {
				depth++
			} else {
				depth--
			}
		}
		if depth == 0 {
			return
		}
	}
}

// bytesText is a size as people read it.
func bytesText(n int) string {
	switch {
	case n < 1000:
		return plural(n, "byte", "bytes")
	case n < 1_000_000:
		return strings.Replace(strconv.FormatFloat(float64(n)/1000, 'f', 1, 64), ".", ",", 1) + "\u00a0kB"
	}
	return strings.Replace(strconv.FormatFloat(float64(n)/1e6, 'f', 1, 64), ".", ",", 1) + "\u00a0MB"
}

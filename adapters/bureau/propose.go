package bureau

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"fichario/adapters/jq"
	"fichario/domain/catalog"
	"fichario/domain/text"
)

// aliases are how bureaus call a named field, without accents, separators and case, the likeliest first. A field's own
// name comes before them.
var aliases = map[string][]string{
	"nome": {"nomecompleto", "name", "fullname", "nomecivil", "nomesocio"}, "nomeMae": {"maenome", "mae", "mothername"},
	"nascimento": {"datanascimento", "dtnascimento", "birthdate", "birth"}, "sexo": {"genero", "gender"},
	"situacaoCadastral":     {"descricaosituacaocadastral", "situacao", "taxidstatus", "status"},
	"situacao":              {"situacaocadastral", "descricaosituacaocadastral", "taxidstatus", "status"},
	"situacaoEm":            {"datasituacaocadastral", "situacaocadastraldata", "datasituacao", "taxidstatusdate", "statusdate"},
	"motivo":                {"descricaomotivosituacaocadastral", "motivosituacao", "motivosituacaocadastral", "reason"},
	"emails":                {"email", "correioeletronico", "extendedemails", "enderecoemail"},
	"telefones":             {"telefone", "fones", "phones", "extendedphones", "dddtelefone1", "celular"},
	"enderecos":             {"endereco", "addresses", "address", "extendedaddresses"},
	"razaoSocial":           {"nomeempresarial", "companyname", "nome", "name"},
	"nomeFantasia":          {"fantasia", "tradename", "alias"},
	"abertura":              {"datainicioatividade", "dataabertura", "aberturadata", "datafundacao", "founded"},
	"naturezaJuridica":      {"naturezajuridicadescricao", "nature"},
	"porte":                 {"size"},
	"capitalSocial":         {"equity", "capital"},
	"atividadePrincipal":    {"cnaeprincipal", "mainactivity", "cnaefiscal"},
	"atividadesSecundarias": {"cnaessecundarios", "cnaesecundarias", "sideactivities"},
	"socios":                {"qsa", "members", "quadrosocietario"},
	"participacoes":         {"empresas", "participacoesempresas", "sociedades"},
	"obito":                 {"possuiobito", "hasobitindication", "falecido"}, "obitoEm": {"dataobito"},
	"score": {"pontuacao", "pontos"}, "quantidade": {"total", "quantidadeprotestos"},
	"marcaModelo": {"modelo"}, "renavam": {"codigorenavam"}, "entregavel": {"deliverable"}, "valido": {"valid"},
	"ddd": {"area", "areacode"}, "numero": {"number", "num"},
	"tipo": {"type", "tipotelefone"}, "whatsapp": {"zap", "haswhatsapp"},
	"logradouro": {"street", "rua", "addressmain"}, "complemento": {"details", "complement"},
	"bairro": {"district", "neighborhood"}, "cidade": {"municipio", "city"}, "uf": {"estado", "state"},
	"cep": {"zipcode", "zip"}, "documento": {"cpf", "cnpj", "cpfcnpj", "taxid", "cnpjcpfdosocio"},
	"qualificacao": {"qualificacaosocio", "qual", "cargo", "role"},
	"entrada":      {"dataentrada", "dataentradasociedade", "datainclusao", "since"},
	"codigo":       {"code", "id"}, "descricao": {"text", "description"}, "cnpj": {"taxid"},
}

// textKeys are where an object has its text, as in {"id": 2, "text": "Ativa"}.
var textKeys = []string{"text", "descricao", "name", "nome"}

// place is a value of an example, and the jq that reads it.
type place struct {
	path, parent, name string
	key                string // the name without accents, separators and case
	value              any
	depth              int
}

// proposal is the search for the named fields in an example.
type proposal struct {
	ctx    context.Context
	places []place
	used   map[string]bool // paths that a field reads
	shapes map[string]*jq.Program
}

// Propose writes a bureau file for an example of a bureau's answer, in JSON or XML: a mapping for each named field of
// the product that it recognises by its name and the shape of its value. missing are the others. The file is valid, and
// maps the example without a fault; its address, path and price are to be filled in. The error says that the example
// cannot be read, or that nothing in it is recognised.
func Propose(ctx context.Context, p catalog.Product, example []byte) (file []byte, missing []string, err error) {
	c := &Client{file: &File{xml: bytes.HasPrefix(bytes.TrimSpace(example), []byte("<"))}}
	came := c.receive(status{}, example)
	if came.unread != nil {
		return nil, nil, fmt.Errorf("the example %w", came.unread)
	}
	s := &proposal{ctx: ctx, used: map[string]bool{}, shapes: map[string]*jq.Program{}}
	for _, name := range []string{"data_br", "telefone", "reais"} {
		if s.shapes[name], err = jq.Compile(name); err != nil {
			return nil, nil, err
		}
	}
	s.walk(came.decoded, "", 0)
	lines := map[string]string{}
	for _, f := range p.Fields {
		if program := s.field(f); program != "" {
			lines[f.Name] = program
		}
	}
	for {
		file, missing = proposed(p, lines, c.file.xml)
		if len(lines) == 0 {
			return nil, nil, errors.New("no named field of the product is recognised in the example")
		}
		bad, err := faultsOf(ctx, p.ID, file, example)
		if err != nil || len(bad) == 0 {
			return file, missing, err
		}
		for _, name := range bad {
			delete(lines, name)
		}
	}
}

// faultsOf returns the fields whose mapping does not suit the example.
func faultsOf(ctx context.Context, id string, file, example []byte) ([]string, error) {
	parsed, err := Parse("", file, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	c := New(parsed)
	defer c.Close()
	m := c.mappings[id]
	doc := asked{Document: Sample(m.product.Documents[0])}
	r, fail := c.read(ctx, m, doc, c.receive(status{code: parsed.answered[0]}, example))
	if fail != nil {
		return nil, fail
	}
	var bad []string
	for _, path := range c.project(ctx, m, doc, r).Dropped {
		name, _, _ := strings.Cut(path, ".")
		bad = append(bad, strings.TrimSuffix(name, "[]"))
	}
	return bad, nil
}

// proposed is the file, and the names of the fields that it does not map.
func proposed(p catalog.Product, lines map[string]string, isXML bool) (file []byte, missing []string) {
	var b bytes.Buffer
	b.WriteString("# Proposed from an example. Fill in what is marked with TODO, compare each mapping with the bureau's documentation,\n" +
		"# and see what nothing reads: fichario bureau check FILE --answer EXAMPLE\n" +
		"name: meu-bureau                        # TODO\nbase_url: https://api.bureau.example    # TODO\n" +
		"# TODO headers: { Authorization: \"Bearer ${TOKEN}\" }\n" +
		"# TODO failed: what says that the bureau failed, or that the answer is about somebody else\n")
	if isXML {
		b.WriteString("answer: xml\n")
	}
	fmt.Fprintf(&b, "products:\n  %s:\n    price: \"1.00\"                       # TODO\n"+
		"    request: { method: GET, path: \"/consulta/{documento}\" }   # TODO\n    fields:\n", p.ID)
	for _, f := range p.Fields {
		if program := lines[f.Name]; program != "" {
			fmt.Fprintf(&b, "      %s: '%s'\n", f.Name, strings.ReplaceAll(program, "'", "''"))
		} else if f.Twin == "" || f.Group != "" {
			missing = append(missing, f.Name)
		}
	}
	if len(missing) > 0 {
		fmt.Fprintf(&b, "      # Not recognised in the example: %s.\n", strings.Join(missing, ", "))
	}
	return b.Bytes(), missing
}

// The bounds of the search.
const (
	maxProposalDepth = 12
	maxPlaces        = 5000
)

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	keySigns   = regexp.MustCompile(`[^a-z0-9]+`)
	digits     = regexp.MustCompile(`[0-9]+`)
)

// join is the path of a key below a path; an empty one is the input itself.
func join(path, key string) string {
	switch {
	case identifier.MatchString(key):
		return path + "." + key
	case path == "":
		path = "."
	}
	return path + "[" + strconv.Quote(key) + "]"
}

// plainKey is a key without accents, separators and case.
func plainKey(key string) string { return keySigns.ReplaceAllString(text.Fold(key), "") }

// walk collects the values of an object, and of the first element of a list.
func (s *proposal) walk(v any, path string, depth int) {
	if depth > maxProposalDepth {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			if len(s.places) >= maxPlaces {
				return
			}
			at := join(path, key)
			s.places = append(s.places, place{at, path, key, plainKey(key), v[key], depth})
			s.walk(v[key], at, depth+1)
		}
	case []any:
		if len(v) > 0 {
			s.walk(v[0], cmp.Or(path, ".")+"[0]", depth+1)
		}
	}
}

// find returns the likeliest place of a field whose value fits.
func (s *proposal) find(places []place, name string, fits func(any) bool) (place, bool) {
	for _, alias := range append([]string{plainKey(name)}, aliases[name]...) {
		var best *place
		for i, p := range places {
			if p.key == alias && !s.used[p.path] && fits(p.value) && (best == nil || p.depth < best.depth) {
				best = &places[i]
			}
		}
		if best != nil {
			return *best, true
		}
	}
	return place{}, false
}

// one returns the likeliest place of a field of one value. Where a text is wanted, a code in digits is the second
// choice.
func (s *proposal) one(places []place, f catalog.Field) (place, bool) {
	if f.Kind == catalog.String {
		at, ok := s.find(places, f.Name, func(v any) bool {
			_, isNumber := v.(json.Number)
			return !isNumber && s.scalar(f, "", v) != ""
		})
		if ok {
			return at, true
		}
	}
	return s.find(places, f.Name, func(v any) bool { return s.scalar(f, "", v) != "" })
}

// field is the program of a named field; empty if it is not recognised.
func (s *proposal) field(f catalog.Field) string {
	if f.Twin != "" && f.Group == "" {
		return ""
	}
	program, at := "", place{}
	switch f.Kind {
	case catalog.List:
		program, at = s.list(f)
	case catalog.Object:
		found, ok := s.find(s.places, f.Name, func(v any) bool { return s.members(f, firstObject(v)) != "" })
		if ok {
			at = found
			program = at.path + firstOf(at.value) + " | objects | " + s.members(f, firstObject(at.value))
		}
	default:
		if found, ok := s.one(s.places, f); ok {
			at = found
			program = s.scalar(f, at.path, at.value)
		}
	}
	if program != "" {
		s.used[at.path] = true
	}
	return program
}

// firstOf reaches into a list that has the object.
func firstOf(v any) string {
	if _, is := v.([]any); is {
		return "[0]"
	}
	return ""
}

// firstObject is v, or the first object of the list v, completed with the keys of the others; nil if there is none.
func firstObject(v any) map[string]any {
	if object, is := v.(map[string]any); is {
		return object
	}
	all := map[string]any{}
	list, _ := v.([]any)
	for _, e := range list {
		object, _ := e.(map[string]any)
		for key, value := range object {
			if empty(all[key]) {
				all[key] = value
			}
		}
	}
	return all
}

// scalar is the jq that reads a value as the field's kind, or empty where it is none. An empty path asks only that.
func (s *proposal) scalar(f catalog.Field, path string, v any) string {
	object, _ := v.(map[string]any)
	for _, key := range textKeys {
		if said, is := object[key].(string); is && f.Kind == catalog.String {
			return s.scalar(f, join(path, key), said)
		}
	}
	_, isText := v.(string)
	_, isNumber := v.(json.Number)
	switch {
	case f.Kind == catalog.Boolean:
		return yesOrNo(path, v)
	case f.Kind == catalog.Date && s.gives("data_br", v):
		return path + " | data_br"
	case f.Kind == catalog.Number && (isNumber || s.gives("reais", v)):
		return path + " | reais"
	case f.Format == catalog.Identity && (isText || isNumber):
		return path + " | documento"
	case f.Kind == catalog.String && isText && !s.gives("data_br", v):
		return cmp.Or(path, ".")
	case f.Kind == catalog.String && isNumber:
		return path + " | if . != null then tostring end"
	}
	return ""
}

// yesOrNo is the jq that reads a value as true or false, or empty where it is neither.
func yesOrNo(path string, v any) string {
	if _, is := v.(bool); is {
		return cmp.Or(path, ".")
	}
	said, _ := v.(string)
	for _, words := range [][2]string{{"S", "N"}, {"Sim", "Não"}, {"SIM", "NAO"}, {"true", "false"}} {
		if slices.Contains(words[:], said) {
			return fmt.Sprintf(`%s | if . == %q then true elif . == %q then false else null end`, path, words[0], words[1])
		}
	}
	return ""
}

// gives reports whether a function of ours recognises a value.
func (s *proposal) gives(function string, v any) bool {
	got, err := s.shapes[function].Run(s.ctx, v)
	return err == nil && got != nil
}

// members is the jq of an object of a field's fields, over an object of the example; empty where it has none of them.
func (s *proposal) members(f catalog.Field, object map[string]any) string {
	var places []place
	for _, key := range slices.Sorted(maps.Keys(object)) {
		places = append(places, place{path: join("", key), key: plainKey(key), value: object[key]})
	}
	var pairs []string
	for _, sub := range f.Fields {
		inner := &proposal{ctx: s.ctx, shapes: s.shapes, places: places}
		if at, ok := inner.one(places, sub); ok {
			pairs = append(pairs, sub.Name+": ("+s.scalar(sub, at.path, at.value)+")")
		}
	}
	if len(pairs) == 0 {
		return ""
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

// list is the program of a list.
func (s *proposal) list(f catalog.Field) (string, place) {
	each := func(v any) string { return s.element(f, v) }
	at, ok := s.find(s.places, f.Name, func(v any) bool { return each(v) != "" })
	switch {
	case ok && isList(at.value):
		return "[" + at.path + "[]? | " + each(at.value) + "]", at
	case ok:
		return "[" + strings.Join(s.numbered(at), ", ") + " | " + each(at.value) + "]", at
	case f.Format != catalog.Address:
		return "", place{}
	}
	// The parts of an address may stand beside the other fields.
	street, ok := s.find(s.places, "logradouro", func(v any) bool { _, is := v.(string); return is })
	if !ok {
		return "", place{}
	}
	beside := map[string]any{}
	for _, p := range s.places {
		if p.parent == street.parent && !s.used[p.path] {
			beside[p.name] = p.value
		}
	}
	return "[" + cmp.Or(street.parent, ".") + " | " + s.members(f, beside) + "]", street
}

// numbered are the paths of a value and of those beside it whose names differ in a number only: phone_1, phone_2.
func (s *proposal) numbered(at place) []string {
	var paths []string
	stem := digits.ReplaceAllString(at.key, "")
	for _, p := range s.places {
		_, isText := p.value.(string)
		if p.path == at.path || isText && p.parent == at.parent && digits.ReplaceAllString(p.key, "") == stem {
			paths = append(paths, p.path)
		}
	}
	return paths
}

func isList(v any) bool { _, is := v.([]any); return is }

// element is the jq that makes an element of a list field of one of the example's; empty where it cannot.
func (s *proposal) element(f catalog.Field, v any) string {
	object := firstObject(v)
	sample := v
	if list, is := v.([]any); is && len(list) > 0 {
		sample = list[0]
	}
	said, isText := sample.(string)
	switch {
	case f.Format == catalog.Phone && s.gives("telefone", sample):
		return "telefone | values"
	case f.Format == catalog.Email && isText && strings.Contains(said, "@"):
		return "strings"
	case f.Format == catalog.Email:
		for _, key := range slices.Sorted(maps.Keys(object)) {
			if said, is := object[key].(string); is && strings.Contains(said, "@") {
				return join("", key) + " | strings"
			}
		}
	case f.Items == catalog.String && isText:
		return "strings"
	case f.Format == catalog.Phone:
		return s.phone(f, object)
	case len(f.Fields) > 0 && len(object) > 0:
		if made := s.members(f, object); made != "" {
			return "objects | " + made
		}
	}
	return ""
}

// phone is the jq that makes a phone of an object: of area code and number, or of both in one text.
func (s *proposal) phone(f catalog.Field, object map[string]any) string {
	rest := catalog.Field{Fields: slices.DeleteFunc(slices.Clone(f.Fields), func(sub catalog.Field) bool {
		return sub.Name == "numero"
	})}
	made := s.members(f, object)
	if strings.Contains(made, "ddd: ") && strings.Contains(made, "numero: ") {
		return "objects | " + made
	}
	for _, key := range slices.Sorted(maps.Keys(object)) {
		if !s.gives("telefone", object[key]) {
			continue
		}
		one := "(" + join("", key) + " | telefone | values)"
		if more := s.members(rest, object); more != "" {
			one += " + " + more
		}
		return "objects | " + one
	}
	return ""
}

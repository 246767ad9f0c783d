package intake

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// part is the role of a member in an object that holds one answer.
type part uint8

const (
	unknownPart part = iota
	titlePart        // the question as a person reads it
	namePart         // the question's technical name
	valuePart        // the answer
	typePart         // the type of the field
	otherPart        // the rest of a field: whether it is required, where it stands
)

// itemPart is the role of a member, and its rank among the members of that role.
type itemPart struct {
	part part
	rank int
}

// itemParts holds the members of an answer's object, in normal form.
var itemParts = func() map[string]itemPart {
	m := map[string]itemPart{}
	for p, list := range itemWords {
		for i, w := range strings.Fields(list) {
			m[w] = itemPart{p, i}
		}
	}
	return m
}()

// itemWords are the members of each role; earlier ones take precedence. "text" has none: beside a question it is a part
// of the answer.
var itemWords = map[part]string{
	titlePart: `
		title label question questiontitle questiontext questionname columnname fieldlabel fieldtitle displayname humanlabel
		heading pergunta titulo rotulo q`,
	namePart: `
		name nome fieldname campo customkey key chave code columnid slug field id fieldid ref questionid property
		attribute param parameter variable variavel atributo parametro coluna fieldcode fieldidentifier alias fieldkey
		metakey jsonkey attributename`,
	valuePart: `
		value answer stringvalue values answers fieldvalue uservalue response resposta valor selectedoptions rawvalue
		textvalue answerdetails a normalizedvalue submittedvalue answervalue answertext metavalue attributevalue choice`,
	typePart: `type fieldtype questiontype inputtype element controltype family subtype tipo`,
	otherPart: `
		required options order position index visible properties description hidden group sublabel placeholder itemid enum
		enumid primary tag settings multiple uuid currency currencyvalue currencycode validations choices rows columns
		questionref questionindex versions ishidden optional short inline object fieldorder fieldgroup kind adminonly
		maxlength minlength maxvalue minvalue defaultvalue maximumlength minimumlength`,
}

// partOf looks up the role of a member.
func partOf(key string) itemPart {
	var buf [64]byte
	return itemParts[string(names.Append(buf[:0], key))]
}

// anatomy is an object taken apart as one answer.
type anatomy struct {
	title, name, value, typ *tree.Node
	unknown                 []*tree.Node // members of no known kind
	also                    []*tree.Node // further values
}

// dissect takes an object apart. ok is false when it holds no value.
func dissect(n *tree.Node) (a anatomy, ok bool) {
	if n.Kind != tree.Object || len(n.Children) > 40 {
		return a, false
	}
	var title, name, value, typ ranked
	for i := range n.Children {
		k := &n.Children[i]
		switch known := partOf(k.Key); known.part {
		case titlePart:
			title.take(k, known.rank)
		case namePart:
			name.take(k, known.rank)
		case typePart:
			typ.take(k, known.rank)
		case valuePart:
			if lesser := value.takeValue(k, known.rank); lesser != nil {
				a.also = append(a.also, lesser)
			}
		case unknownPart:
			if !k.Empty() && (!k.Scalar() || !noisySuffix(k.Key, false)) {
				a.unknown = append(a.unknown, k)
			}
		}
	}
	a.title, a.name, a.value, a.typ = title.node, name.node, value.node, typ.node
	a.takeText()
	return a, a.value != nil
}

// takeText takes the text beside the key of a question for its answer, where nothing else is: {"chave": …, "texto": …}.
func (a *anatomy) takeText() {
	if a.value != nil || len(a.unknown) != 1 || a.name == nil || a.name.Kind != tree.String ||
		bareName(a.name.Key) || isID[names.Of(a.name.Key)] {
		return
	}
	switch k := a.unknown[0]; names.Of(k.Key) {
	case "texto", "conteudo", "dado", "content":
		if k.Scalar() {
			a.value, a.unknown = k, nil
		}
	}
}

// isID are keys of a record's own id, which asks nothing.
var isID = names.Set(`id uuid ref slug`)

// ranked is the member chosen for a role, with its rank in itemWords.
type ranked struct {
	node *tree.Node
	rank int
}

// take takes a non-empty member if it ranks before the one taken so far.
func (r *ranked) take(k *tree.Node, rank int) {
	if !k.Empty() && (r.node == nil || rank < r.rank) {
		*r = ranked{k, rank}
	}
}

// takeValue is take for an answer, which may be empty. Of two answers to one question, such as a code and its words, it
// returns the lower-ranked.
func (r *ranked) takeValue(k *tree.Node, rank int) (lesser *tree.Node) {
	if r.node != nil && !r.node.Empty() {
		if k.Empty() {
			return nil
		}
		if rank >= r.rank {
			return k
		}
		lesser = r.node
	}
	*r = ranked{k, rank}
	return lesser
}

// labelOf returns the title and the technical name that an object gives, wherever the product puts them.
func (r *reader) labelOf(n *tree.Node, a anatomy) (title, name string) {
	title, name = labelText(a.title), labelText(a.name)
	for _, holder := range [...]string{"question", "field", "settings", "campo", "pergunta"} {
		h := n.Child(holder)
		if h == nil || h.Kind != tree.Object {
			continue
		}
		for _, k := range [...]string{
			"title", "question_title", "label", "text", "name", "body", "titulo", "rotulo", "texto", "enunciado", "nome",
		} {
			if title == "" {
				title = h.Str(k)
			}
		}
		for _, k := range [...]string{"id", "ref", "key", "question_id"} {
			if known := r.titles[h.Str(k)]; title == "" && known != "" {
				title = known
			}
			if name == "" {
				name = h.Str(k)
			}
		}
	}
	if title == "" {
		title = r.titles[name]
	}
	if title == "" && a.value != nil && a.value.Key != "text" {
		title = n.Str("text") // Jotform's API gives the label this name
	}
	if title == "" && name == "" && a.value != nil && a.typ != nil {
		title = n.Str("description") // Snapchat's own questions
	}
	return title, name
}

// labelText is the text of a label, even of one that is an object.
func labelText(n *tree.Node) string {
	if n != nil && n.Kind == tree.Object {
		n = n.Child("custom") // Stripe's label
	}
	if n != nil && (n.Kind == tree.String || n.Kind == tree.Number) {
		return text.OneLine(text.Clean(n.Text))
	}
	return ""
}

// typeOfItem returns the type that an object gives its answer.
func typeOfItem(n *tree.Node, a anatomy) answerType {
	word := ""
	if a.typ != nil && a.typ.Kind == tree.String {
		word = a.typ.Text
	}
	for _, p := range [...][2]string{{"field", "type"}, {"question", "question_type"}, {"question", "type"}} {
		if t := n.Path(p[0]); t != nil && t.Kind == tree.Object && t.Str(p[1]) != "" {
			word = t.Str(p[1])
		}
	}
	return typeOf(word)
}

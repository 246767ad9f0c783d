package intake

import (
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
)

// choiceMember describes a member of an object that may be a choice.
type choiceMember struct {
	textRank int8 // 1: the words of the choice; 2: its words where there are no others; 0: no words
	names    bool // it says which choice it is
	answers  bool // it is also a name of an answer's value
}

// choiceMembers are the members that a choice may have, in normal form. "type" is one of them, see choiceOf.
var choiceMembers = map[string]choiceMember{
	"value": {textRank: 1, answers: true}, "answer": {textRank: 1, answers: true},
	"text": {textRank: 1}, "simpletext": {textRank: 1}, "label": {textRank: 1, names: true},
	"name": {textRank: 2, names: true}, "title": {textRank: 2, names: true},
	"id": {names: true}, "ref": {}, "enum": {}, "enumid": {}, "choiceid": {}, "rowid": {}, "selected": {}, "order": {},
	"weight": {}, "color": {}, "type": {}, "enumcode": {},
}

// choiceText reads a choice that is an object: {label}, {id, text}, {value, enum}. In a list that is not an answer's
// value (bare), an object with both a name and a value is an answer instead of a choice.
func (r *reader) choiceText(n *tree.Node, bare bool) (string, bool) {
	if n.Kind != tree.Object {
		return "", false
	}
	text, from := fileText(n), (*tree.Node)(nil)
	if text == "" {
		if from = choiceOf(n, bare); from == nil {
			return "", false
		}
		text = tree.ScalarText(from)
	}
	for i := range n.Children {
		if k := &n.Children[i]; k != from {
			r.drop("furniture", k)
		}
	}
	return text, true
}

// fileText returns the note's text for a file, or for a piece of Notion's formatted text; "" for any other object.
func fileText(n *tree.Node) string {
	url := n.Str("url")
	if url != "" && (n.Child("name") != nil || n.Child("mimeType") != nil || n.Child("filename") != nil) {
		return join(n.Str("name"), n.Str("filename"), url)
	}
	if n.Child("annotations") != nil || n.Str("type") == "text" {
		return n.Str("plain_text")
	}
	return ""
}

// choiceOf returns the member that holds the words of a choice, or nil when the object is not one.
func choiceOf(n *tree.Node, bare bool) *tree.Node {
	if len(n.Children) > 8 {
		return nil
	}
	var best *tree.Node
	bestRank := int8(0)
	named, answered := false, false
	for i := range n.Children {
		k := &n.Children[i]
		if k.Empty() {
			continue
		}
		var buf [64]byte
		key := names.Append(buf[:0], k.Key)
		m, known := choiceMembers[string(key)]
		if !known || !k.Scalar() {
			return nil
		}
		if string(key) == "type" {
			t := typeOf(k.Text)
			m.names = t == emailType || t == phoneType
		}
		named = named || m.names
		answered = answered || m.answers
		if m.textRank > 0 && (best == nil || m.textRank < bestRank) {
			best, bestRank = k, m.textRank
		}
	}
	if bare && named && answered && n.Child("color") == nil {
		return nil
	}
	return best
}

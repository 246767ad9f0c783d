package intake

import (
	"strings"

	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// learnTitles records the question of each id. Typeform may put fields inside a group.
func (r *reader) learnTitles(fields *tree.Node) {
	if fields == nil || fields.Scalar() {
		return
	}
	if r.titles == nil {
		r.titles = map[string]string{}
	}
	for i := range fields.Children {
		f := &fields.Children[i]
		title := ""
		for _, k := range [...]string{"title", "label", "question", "name", "Title", "Label"} {
			if title = f.Str(k); title != "" {
				break
			}
		}
		for _, k := range [...]string{"id", "ref", "ID"} {
			if id := f.Str(k); id != "" && title != "" {
				r.titles[id] = title
			}
		}
		if group := f.Path("properties"); group != nil {
			r.learnTitles(group.Child("fields"))
		}
		r.learnTitles(f.Child("SubFields"))
	}
}

// learnWufoo learns the titles of Wufoo, which sends its questions as a JSON text.
func (r *reader) learnWufoo(k *tree.Node) bool {
	structure, ok, _ := tree.EmbeddedJSON(k.Text, 1)
	if ok {
		r.learnTitles(structure.Child("Fields"))
	}
	return ok
}

// unanswered reports whether a list holds only questions.
func unanswered(list *tree.Node) bool {
	for i := range list.Children {
		if _, ok := dissect(&list.Children[i]); ok || list.Children[i].Kind != tree.Object {
			return false
		}
	}
	return true
}

// humanAnswers replaces "yes" and "no" by the wording of a consent, and returns the titles that need not be read twice
// (Respondi).
func (r *reader) humanAnswers(raw, answers *tree.Node) map[string]bool {
	titles := map[string]bool{}
	for i := range raw.Children {
		item := &raw.Children[i]
		title, value := item.Str("question", "question_title"), item.Child("answer")
		human := answers.Child(title)
		if title == "" || value == nil || human == nil {
			continue
		}
		if human.Kind == tree.String && value.Kind == tree.String && (value.Text == "yes" || value.Text == "no") {
			r.dropText("mirror", value.Text)
			value.Text = human.Text
		}
		titles[title] = human.Kind != tree.String || sameAnswer(value, human.Text)
	}
	return titles
}

// sameAnswer reports whether a structured answer and a text say the same.
func sameAnswer(value *tree.Node, human string) bool {
	if value.Scalar() {
		return text.Fold(value.Text) == text.Fold(human)
	}
	rest := text.Fold(human)
	for i := range value.Children {
		if k := &value.Children[i]; k.Scalar() {
			rest = strings.Replace(rest, text.Fold(k.Text), "", 1)
		}
	}
	return strings.Trim(rest, " ,;/+-()") == ""
}

// maxJotformRead bounds how much text is searched for labels in all: no form has thousands.
const maxJotformRead = 16 << 20

// jotformTitle finds the label of a Jotform answer, whose key holds only its first words, in the text that repeats all
// labels.
func (r *reader) jotformTitle(k *tree.Node) string {
	if r.jotformText == "" || k.Kind != tree.String || len(k.Text) < 2 || !numberedKey(k.Key) {
		return ""
	}
	if r.jotformRead += len(r.jotformText); r.jotformRead > maxJotformRead {
		return ""
	}
	value, _, _ := strings.Cut(text.OneLine(text.Clean(k.Text)), "\n")
	i := strings.Index(r.jotformText, ":"+value)
	if i < 0 || strings.Count(r.jotformText, ":"+value) > 1 {
		return ""
	}
	label := r.jotformText[:i]
	label = label[strings.LastIndex(label, ", ")+1:]
	label = strings.TrimSpace(strings.TrimPrefix(label, ","))
	// Only a label that begins like the key surely belongs to this answer.
	_, words, _ := strings.Cut(k.Key, "_")
	if words = names.Of(words); len(words) < 2 || !strings.HasPrefix(names.Of(label), words) {
		return ""
	}
	return label
}

// numberedKey reports whether a key begins with the number of its question: "q4_email".
func numberedKey(key string) bool {
	return len(key) >= 3 && key[0] == 'q' && key[1] >= '0' && key[1] <= '9'
}

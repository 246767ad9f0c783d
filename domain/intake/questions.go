package intake

import (
	"strings"

	"fichario/domain/text"
)

// learnTitles records the question of each id. Typeform may put fields inside a group.
func (r *reader) learnTitles(fields *node) {
	if fields == nil || fields.scalar() {
		return
	}
	if r.titles == nil {
		r.titles = map[string]string{}
	}
	for i := range fields.children {
		f := &fields.children[i]
		title := ""
		for _, k := range [...]string{"title", "label", "question", "name", "Title", "Label"} {
			if title = f.str(k); title != "" {
				break
			}
		}
		for _, k := range [...]string{"id", "ref", "ID"} {
			if id := f.str(k); id != "" && title != "" {
				r.titles[id] = title
			}
		}
		if group := f.path("properties"); group != nil {
			r.learnTitles(group.child("fields"))
		}
		r.learnTitles(f.child("SubFields"))
	}
}

// learnWufoo learns the titles of Wufoo, which sends its questions as a JSON text.
func (r *reader) learnWufoo(k *node) bool {
	structure, ok, _ := embeddedJSON(k.text, 1)
	if ok {
		r.learnTitles(structure.child("Fields"))
	}
	return ok
}

// unanswered reports whether a list holds only questions.
func unanswered(list *node) bool {
	for i := range list.children {
		if _, ok := dissect(&list.children[i]); ok || list.children[i].kind != isObject {
			return false
		}
	}
	return true
}

// humanAnswers replaces "yes" and "no" by the wording of a consent, and returns the titles that need not be read twice
// (Respondi).
func (r *reader) humanAnswers(raw, answers *node) map[string]bool {
	titles := map[string]bool{}
	for i := range raw.children {
		item := &raw.children[i]
		title, value := item.str("question", "question_title"), item.child("answer")
		human := answers.child(title)
		if title == "" || value == nil || human == nil {
			continue
		}
		if human.kind == isString && value.kind == isString && (value.text == "yes" || value.text == "no") {
			r.dropText("mirror", value.text)
			value.text = human.text
		}
		titles[title] = human.kind != isString || sameAnswer(value, human.text)
	}
	return titles
}

// sameAnswer reports whether a structured answer and a text say the same.
func sameAnswer(value *node, human string) bool {
	if value.scalar() {
		return text.Fold(value.text) == text.Fold(human)
	}
	rest := text.Fold(human)
	for i := range value.children {
		if k := &value.children[i]; k.scalar() {
			rest = strings.Replace(rest, text.Fold(k.text), "", 1)
		}
	}
	return strings.Trim(rest, " ,;/+-()") == ""
}

// maxJotformRead bounds how much text is searched for labels in all: no form has thousands.
const maxJotformRead = 16 << 20

// jotformTitle finds the label of a Jotform answer, whose key holds only its first words, in the text that repeats all
// labels.
func (r *reader) jotformTitle(k *node) string {
	if r.jotformText == "" || k.kind != isString || len(k.text) < 2 || !numberedKey(k.key) {
		return ""
	}
	if r.jotformRead += len(r.jotformText); r.jotformRead > maxJotformRead {
		return ""
	}
	value, _, _ := strings.Cut(text.OneLine(text.Clean(k.text)), "\n")
	i := strings.Index(r.jotformText, ":"+value)
	if i < 0 || strings.Count(r.jotformText, ":"+value) > 1 {
		return ""
	}
	label := r.jotformText[:i]
	label = label[strings.LastIndex(label, ", ")+1:]
	label = strings.TrimSpace(strings.TrimPrefix(label, ","))
	// Only a label that begins like the key surely belongs to this answer.
	_, words, _ := strings.Cut(k.key, "_")
	if words = nameOf(words); len(words) < 2 || !strings.HasPrefix(nameOf(label), words) {
		return ""
	}
	return label
}

// numberedKey reports whether a key begins with the number of its question: "q4_email".
func numberedKey(key string) bool {
	return len(key) >= 3 && key[0] == 'q' && key[1] >= '0' && key[1] <= '9'
}

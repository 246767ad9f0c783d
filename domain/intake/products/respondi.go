package products

import (
	"strings"

	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// Respondi sends each answer twice, in "answers" as a text and in "raw_answers" in parts.
var respondi = Product{
	Name: "respondi",
	IDs: []ID{
		{Has: "respondent.respondent_id form.form_id", From: "form.form_id respondent.respondent_id"},
	},
	Envelopes: []Envelope{{Marks: "raw_answers", Of: respondiAnswers}},
}

// respondiAnswers replaces "yes" and "no" by the wording of a consent, and leaves out the answers that raw_answers
// answers better.
func respondiAnswers(w Walk, object, raw *tree.Node) *Members {
	answers := object.Child("answers")
	if answers == nil {
		return nil
	}
	twice := humanAnswers(w, raw, answers)
	return &Members{By: map[string]Reading{"answers": func(w Walk, k *tree.Node) bool {
		if k.Kind != tree.Object {
			return false
		}
		for i := range k.Children {
			if c := &k.Children[i]; twice[c.Key] {
				w.Drop("mirror", c)
			} else {
				w.Read(c, Answer)
			}
		}
		return true
	}}}
}

// humanAnswers returns the titles that need not be read twice.
func humanAnswers(w Walk, raw, answers *tree.Node) map[string]bool {
	titles := map[string]bool{}
	for i := range raw.Children {
		item := &raw.Children[i]
		title, value := item.Str("question", "question_title"), item.Child("answer")
		human := answers.Child(title)
		if title == "" || value == nil || human == nil {
			continue
		}
		if human.Kind == tree.String && value.Kind == tree.String && (value.Text == "yes" || value.Text == "no") {
			w.Drop("mirror", &tree.Node{Kind: tree.String, Text: value.Text})
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

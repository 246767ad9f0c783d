package intake

import (
	"fichario/domain/intake/tree"
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

// unanswered reports whether a list holds only questions.
func unanswered(list *tree.Node) bool {
	for i := range list.Children {
		if _, ok := dissect(&list.Children[i]); ok || list.Children[i].Kind != tree.Object {
			return false
		}
	}
	return true
}

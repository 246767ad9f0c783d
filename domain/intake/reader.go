package intake

import (
	"slices"
	"strings"

	"fichario/domain/intake/fields"
	"fichario/domain/intake/names"
	"fichario/domain/intake/tree"
	"fichario/domain/text"
)

// reader turns one tree into answers, and gives the best of them to the fields.
type reader struct {
	opt          Options
	answers      []answer
	titles       map[string]string                         // question titles by the id that answers refer to
	keys         []string                                  // the names that arrived, in order of arrival
	keyPlaces    []tree.Place                              // the place of arrival of each
	at           tree.Place                                // the place of arrival of the part being read
	closedForm   bool                                      // an address stands in what describes a form
	closedParent bool                                      // an address stands in the record of a parent
	openParents  bool                                      // parents are who asks
	openForm     bool                                      // that is what was typed into the form
	openLines    bool                                      // texts of titled lines are what was typed into a form
	deepText     string                                    // the key of JSON inside more texts than are read
	emptyEmail   string                                    // the e-mail field that came without a value
	emptyParts   []stem                                    // numbered keys that came without a value
	parents      []int32                                   // the record around each, by its number less one; 0 is the body
	recordKeys   []string                                  // the key of each, likewise
	test         bool                                      // the sender calls the submission a test
	labelled     bool                                      // some answers carry question titles
	findLabel    func(*tree.Node) (label string, cost int) // see labelByProduct
	labelCost    int                                       // how much of texts was searched for labels
	options      *tree.Node                                // the options whose texts are in optionTexts
	optionTexts  map[string]string                         // by the ids of options
	emailKey     string                                    // Options.EmailKey in normal form
	mapped       int                                       // the answer under it, by its number from 1; 0 for none
	examples     map[string]string                         // the first text of each key; nil unless Answers asks
	attributed   []Pair                                    // what products say of how the contact came here
	consents     []Consent                                 // see rememberConsent
	err          error

	// trace is told of every part that a rule drops. Only tests set it.
	trace func(rule string, n *tree.Node)

	chooser      chooser
	singles      []string   // see single
	firstAnswers [13]answer // backs answers, unless there are more
}

func newReader(o Options, trace func(rule string, n *tree.Node)) *reader {
	r := &reader{opt: o, trace: trace, emailKey: names.Of(o.EmailKey)}
	r.answers = r.firstAnswers[:0]
	return r
}

// drop tells the trace what a rule drops.
func (r *reader) drop(rule string, n *tree.Node) {
	if r.trace != nil {
		r.trace(rule, n)
	}
}

func (r *reader) dropText(rule, text string) {
	if r.trace != nil {
		r.trace(rule, &tree.Node{Kind: tree.String, Text: text})
	}
}

// single makes a list of one text. The lists of a body share one array, because most answers are one text.
func (r *reader) single(text string) []string {
	if len(r.singles) == cap(r.singles) {
		r.singles = make([]string, 0, 2*cap(r.singles)+16)
	}
	r.singles = append(r.singles, text)
	n := len(r.singles)
	return r.singles[n-1 : n : n]
}

// maxKeys bounds the keys that a refusal names.
const maxKeys = 40

// rememberKey records a cleaned name for refusals.
func (r *reader) rememberKey(name string) {
	if len(r.keys) >= maxKeys {
		return
	}
	name = keyName(name)
	if name == "" || slices.Contains(r.keys, name) {
		return
	}
	if r.keys == nil {
		r.keys, r.keyPlaces = make([]string, 0, 12), make([]tree.Place, 0, 12)
	}
	i := len(r.keys)
	for i > 0 && r.keyPlaces[i-1] > r.at {
		i--
	}
	r.keys, r.keyPlaces = slices.Insert(r.keys, i, name), slices.Insert(r.keyPlaces, i, r.at)
}

// withoutPersonalData hides a key that is a person's number or address: refusals show keys and are stored in clear.
func withoutPersonalData(key string) string {
	switch {
	case names.CountDigits(text.PlainDigits(key)) >= 10:
		return "(um número)"
	case strings.IndexByte(key, '@') > 0 && slices.ContainsFunc(strings.Fields(key), fields.WholeAddress):
		return "(um endereço)"
	}
	return key
}

// keep adds an answer, unless it is empty or noise.
func (r *reader) keep(a *answer) {
	a.at = r.at
	if known := r.titles[a.key]; a.title == "" && known != "" {
		a.title, a.labelled = known, true // refers to its question by id
	}
	r.rememberKey(a.label())
	if r.examples != nil {
		r.rememberExample(a)
	}
	a.inCents()
	if a.title != "" || a.entry == (entry{}) {
		a.entry = lookup(a.name())
	}
	if len(a.values) == 0 {
		r.rememberEmpty(a)
		return
	}
	value := a.values[0]
	r.test = r.test || isTestAnswer(value)
	if len(a.values) == 1 && (value == "null" || value == "undefined" || value == "[object Object]") {
		r.dropText("no answer", value) // what scripts write for no answer
		return
	}
	r.replaceFiles(a)
	r.withoutOwnLabel(a)
	a.inPlainDigits()
	value = a.values[0]
	r.rememberConsent(a, value)
	mapped := r.isMapped(a)
	if !mapped && a.noisy(value) {
		r.dropText("noise", a.text())
		for _, v := range a.values {
			r.dropText("noise", v)
		}
		return
	}
	if len(a.values) == 1 {
		if bare := a.pageWithoutTokens(value); bare != value {
			r.dropText("noise", value)
			value, a.values[0] = bare, bare
		}
		a.attr = a.attribution(value)
	}
	r.labelled = r.labelled || a.labelled
	r.answers = append(r.answers, *a)
	if mapped {
		r.mapped = len(r.answers)
	}
}

// inPlainDigits writes a number that was typed on a keyboard for Japanese or Arabic in the digits of ours.
func (a *answer) inPlainDigits() {
	if plain := text.PlainDigits(a.values[0]); a.entry.field == fieldPhone || phoneLike(plain) {
		a.values[0] = plain
	}
}

// rememberEmpty records the numbered keys that came without a value, see candidate.numberParts, and the e-mail field
// that did, for the refusal.
func (r *reader) rememberEmpty(a *answer) {
	if n := len(a.key); n > 2 && n <= 12 && a.key[n-1] <= '9' && (a.key[n-2] == '.' || a.key[n-2] == '_') {
		r.emptyParts = append(r.emptyParts, stem{a.group, a.key})
	}
	if r.emptyEmail != "" || a.closed {
		return
	}
	e, _, ok := aliasOf(a.name())
	if ok && e.field == fieldEmail && !e.weak || a.typ == emailType {
		r.emptyEmail = a.label()
	}
}

// replaceFiles puts a word in place of each file in base64, which nobody reads in a note.
func (r *reader) replaceFiles(a *answer) {
	for i, v := range a.values {
		if isFile(v) {
			r.dropText("file", v)
			a.values[i] = "(arquivo)"
		}
	}
}

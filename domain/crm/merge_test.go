package crm_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
)

func documents(values ...string) (out []document.Document) {
	for _, v := range values {
		out = append(out, document.Restore(document.CPF, v))
	}
	return out
}

// TestMerge: the other contact fills empty fields, and values that differ go to the note.
func TestMerge(t *testing.T) {
	t.Parallel()
	full := crm.Contact{
		ID: "1", Name: "Ana", Email: "ana@x.example", Phone: "11 98765-4321", PhoneE164: "+5511987654321", Company: "Rocha",
		Documents: documents("52998224725"), Amount: catalog.Real, OriginID: "site", Note: "uma nota",
		Attribution: []crm.Attribute{{Key: "utm_source", Value: "google"}}, StageID: "s", AssigneeID: "m",
	}
	bare := crm.Contact{ID: "2", Name: crm.NoName, Email: "ANA@x.example", StageID: "t"}
	other := crm.Contact{
		ID: "3", Name: "Ana Rocha", Email: "outra@x.example", Phone: "11 3333-4444", PhoneE164: "+551133334444",
		Company: "Rocha & Filhos", Documents: documents("52998224725", "11144477735"), Amount: 2 * catalog.Real,
		OriginID: "radio", Note: "outra nota",
		Attribution: []crm.Attribute{{Key: "utm_source", Value: "meta"}, {Key: "gclid", Value: "x"}},
	}
	names := func(id string) string { return map[string]string{"radio": "Rádio"}[id] }
	if got := crm.Merge(full, bare, names); !reflect.DeepEqual(got, full) {
		t.Errorf("one that knows nothing changes it to %+v", got)
	}
	filled := crm.Merge(bare, full, names)
	want := full
	want.ID, want.Email, want.StageID, want.AssigneeID = "2", bare.Email, "t", ""
	want.Note = "Do contato unido Ana:\numa nota"
	if !reflect.DeepEqual(filled, want) {
		t.Errorf("got  %+v\nwant %+v", filled, want)
	}
	both := crm.Merge(full, other, names)
	for _, said := range []string{
		"uma nota", "outra nota", "Nome: Ana Rocha", "E-mail: outra@x.example", "Telefone: 11 3333-4444",
		"Empresa: Rocha & Filhos", "Valor: R$", "Origem: Rádio", "utm_source: meta",
	} {
		if !strings.Contains(both.Note, said) {
			t.Errorf("the note does not say %q:\n%s", said, both.Note)
		}
	}
	if both.Phone != full.Phone || len(both.Documents) != 2 || len(both.Attribution) != 2 {
		t.Errorf("got %+v", both)
	}
	if len(full.Documents) != 1 || len(full.Attribution) != 1 {
		t.Errorf("the merge changed what it was given: %+v", full)
	}
}

// TestParted: what was changed since the merge stays.
func TestParted(t *testing.T) {
	t.Parallel()
	before := crm.Contact{Name: "Ana", Email: "a@x.example", Note: "um"}
	after := before
	after.Phone, after.PhoneE164, after.Company, after.Note = "11 98765-4321", "+5511987654321", "Rocha", "um\n\ndois"
	gone := crm.Removal{Contact: crm.Contact{ID: "2"}, IntoID: "1", Before: before, After: after}
	if got := gone.Parted(after); !reflect.DeepEqual(got, before) {
		t.Errorf("got %+v", got)
	}
	since := after
	since.Company, since.Note, since.Amount = "Prado", after.Note+"\n\ntrês", catalog.Real
	want := before
	want.Company, want.Note, want.Amount = "Prado", "um\n\ntrês", catalog.Real
	if got := gone.Parted(since); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
	rewritten := after
	rewritten.Note = "reescrita"
	if got := gone.Parted(rewritten); got.Note != "reescrita" {
		t.Errorf("the note is %q", got.Note)
	}
}

// TestNotesOfPartedContacts: what a merge added to a note leaves with who brought it, in whatever order contacts are
// parted, and wherever it stands by then.
func TestNotesOfPartedContacts(t *testing.T) {
	t.Parallel()
	one := crm.Contact{ID: "1", Name: "Ana", Note: "da Ana"}
	merged := func(into, from crm.Contact) (crm.Contact, crm.Removal) {
		both := crm.Merge(into, from, func(string) string { return "" })
		return both, crm.Removal{Contact: from, IntoID: into.ID, Before: into, After: both}
	}
	two, first := merged(one, crm.Contact{ID: "2", Name: "Bia", Email: "b@x.example", Note: "da Bia"})
	three, second := merged(two, crm.Contact{ID: "3", Name: "Caio", Note: "do Caio\n\nem duas partes"})
	same, again := merged(two, crm.Contact{ID: "4", Name: "Bia", Note: "outra nota"})
	edited := func(c crm.Contact, pairs ...string) crm.Contact {
		c.Note = strings.NewReplacer(pairs...).Replace(c.Note)
		return c
	}
	for what, c := range map[string]struct {
		now           crm.Contact
		parted        []crm.Removal
		note, another string
	}{
		"in the order of the merges": {three, []crm.Removal{first, second}, "da Ana", "do Caio\n\nem duas partes"},
		"in the other order":         {three, []crm.Removal{second, first}, "da Ana", "da Bia"},
		"with a line before": {edited(three, "da Ana", "ligar\nda Ana"), []crm.Removal{first, second},
			"ligar\nda Ana", "do Caio\n\nem duas partes"},
		"with a line behind": {edited(two, "da Bia", "da Bia\n\nligar"), []crm.Removal{first},
			"da Ana\n\nligar", "da Bia"},
		"with a line behind, and one before": {edited(two, "da Ana", "antes", "da Bia", "da Bia\n\nligar"),
			[]crm.Removal{first}, "antes\n\nligar", "da Bia"},
		"changed": {edited(three, "da Bia", "da Bia, que viaja"), []crm.Removal{first},
			"da Ana\n\nDo contato unido Caio:\nNome: Caio\ndo Caio\n\nem duas partes",
			"da Bia\n\nDo contato unido Bia:\nNome: Bia\nda Bia, que viaja"},
		"without its heading": {edited(two, "Do contato unido Bia:\n", ""), []crm.Removal{first}, "da Ana", "da Bia"},
		"changed, of a namesake": {edited(same, "outra nota", "outra nota, que mudou"), []crm.Removal{again},
			two.Note, "outra nota\n\nDo contato unido Bia:\nNome: Bia\noutra nota, que mudou"},
		"rewritten": {edited(two, two.Note, "da Ana, nova"), []crm.Removal{first}, "da Ana, nova", "da Bia"},
	} {
		var another string
		for _, gone := range c.parted {
			another = gone.Back(c.now).Note
			c.now = gone.Parted(c.now)
		}
		if c.now.Note != c.note || another != c.another {
			t.Errorf("%s:\n got %q and %q\nwant %q and %q", what, c.now.Note, another, c.note, c.another)
		}
	}
}

// TestListsOfPartedContacts: each has its own documents, attribution and consents back, whatever came to them since;
// what was withdrawn since, both have withdrawn.
func TestListsOfPartedContacts(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	said := func(key string, given bool, minute int) crm.Consent {
		return crm.Consent{Key: key, Given: given, At: at.Add(time.Duration(minute) * time.Minute)}
	}
	mine, theirs := said("novidades", true, 1), said("aceite", true, 2)
	yes, no := said("ligar", true, 3), said("aceite", false, 4)
	three := documents("52998224725", "11144477735", "12345678909")
	own, other, third := three[0], three[1], three[2]
	from, to := crm.Attribute{Key: "utm_source", Value: "google"}, crm.Attribute{Key: "gclid", Value: "1"}
	type lists struct {
		documents   []document.Document
		attribution []crm.Attribute
		consents    []crm.Consent
	}
	before := lists{[]document.Document{own}, []crm.Attribute{from}, []crm.Consent{mine}}
	after := lists{[]document.Document{own, other}, []crm.Attribute{from, to}, []crm.Consent{mine, theirs}}
	of := func(l lists) crm.Contact {
		return crm.Contact{Documents: l.documents, Attribution: l.attribution, Consents: l.consents}
	}
	gone := crm.Removal{
		Contact: of(lists{[]document.Document{other}, []crm.Attribute{to}, []crm.Consent{theirs}}), IntoID: "1",
		Before: of(before), After: of(after),
	}
	for what, c := range map[string]struct {
		now, stays lists
		back       []crm.Consent
	}{
		"nothing since": {after, before, []crm.Consent{theirs}},
		"something more": {
			lists{[]document.Document{own, other, third}, []crm.Attribute{from, to}, []crm.Consent{mine, theirs, yes}},
			lists{[]document.Document{own, third}, before.attribution, []crm.Consent{mine, yes}}, []crm.Consent{theirs},
		},
		"a withdrawal": {
			lists{after.documents, after.attribution, []crm.Consent{mine, theirs, yes, no}},
			lists{before.documents, before.attribution, []crm.Consent{mine, yes, no}}, []crm.Consent{theirs, no},
		},
		"something less": {
			lists{[]document.Document{other}, []crm.Attribute{to}, []crm.Consent{theirs, no}},
			lists{[]document.Document{}, []crm.Attribute{}, []crm.Consent{no}}, []crm.Consent{theirs, no},
		},
	} {
		if got := gone.Parted(of(c.now)); !reflect.DeepEqual(got, of(c.stays)) {
			t.Errorf("%s:\n got %+v\nwant %+v", what, got, of(c.stays))
		}
		if got := gone.Parted(of(c.now), crm.Removal{Contact: gone.Contact}); !reflect.DeepEqual(got, of(c.now)) {
			t.Errorf("%s, with another one that brought the same:\n got %+v\nwant %+v", what, got, of(c.now))
		}
		want := gone.Contact
		want.Consents = c.back
		if got := gone.Back(of(c.now)); !reflect.DeepEqual(got, want) {
			t.Errorf("%s, who is back:\n got %+v\nwant %+v", what, got, want)
		}
	}
}

func TestRemovalsAreUndoneForAWhile(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		gone  crm.Removal
		after time.Duration
		want  bool
	}{
		{crm.Removal{At: at}, crm.UndoDeletion, true},
		{crm.Removal{At: at}, crm.UndoDeletion + 1, false},
		{crm.Removal{At: at, IntoID: "1"}, crm.UndoMerge, true},
		{crm.Removal{At: at, IntoID: "1"}, crm.UndoMerge + 1, false},
		{crm.Removal{At: at, Unreadable: true}, 0, false},
	} {
		if got := c.gone.CanUndo(at.Add(c.after)); got != c.want {
			t.Errorf("%+v after %s: %t", c.gone, c.after, got)
		}
	}
}

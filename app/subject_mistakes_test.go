package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/crm"
	"fichario/domain/privacy"
)

// mistakes are contacts of up to two people that a team made one, and which of them an erasure is for. The names of the
// contacts are letters; their addresses and notes have them.
var mistakes = map[string]struct {
	cpfs   string   // of a, b, c and so on, as an index of cpfs; - for none
	merges []string // "ab" merges b into a
	edit   string   // the index of the CPF that is left on a afterwards; empty for all
	who    int      // whose CPF is asked for
	erased string
}{
	"a mistake below a merge, for who is above": {cpfs: "-01", merges: []string{"bc", "ab"}, who: 0, erased: "ab"},
	"a mistake below a merge, for who is below": {cpfs: "-01", merges: []string{"bc", "ab"}, who: 1, erased: "c"},
	"two of one person in another's, for those": {cpfs: "011", merges: []string{"ab", "ac"}, who: 1, erased: "bc"},
	"two of one person in another's, for who stayed": {
		cpfs: "011", merges: []string{"ab", "ac"}, who: 0, erased: "a",
	},
	"one of two was merged rightly":                  {cpfs: "0-1", merges: []string{"ab", "ac"}, who: 0, erased: "ab"},
	"one of two was merged wrongly":                  {cpfs: "0-1", merges: []string{"ab", "ac"}, who: 1, erased: "c"},
	"a pair in another's, for the pair":              {cpfs: "01-", merges: []string{"bc", "ab"}, who: 1, erased: "bc"},
	"a pair in another's, for the other":             {cpfs: "01-", merges: []string{"bc", "ab"}, who: 0, erased: "a"},
	"the CPF of who stayed was mistyped":             {cpfs: "01", merges: []string{"ab"}, edit: "1", who: 1, erased: "ab"},
	"the other's CPF was taken away, for who stayed": {cpfs: "01", merges: []string{"ab"}, edit: "0", who: 0, erased: "a"},
	"the other's CPF was taken away, for the other":  {cpfs: "01", merges: []string{"ab"}, edit: "0", who: 1, erased: "b"},
}

// TestPeopleWhoWereMergedAreErasedApart: what is told of a person has nothing of whoever was merged with them by
// mistake, and neither has the copy of the journal, replayed, erased more than that.
func TestPeopleWhoWereMergedAreErasedApart(t *testing.T) {
	t.Parallel()
	for what, c := range mistakes {
		for _, replayed := range []bool{false, true} {
			t.Run(fmt.Sprint(what, " ", replayed), func(t *testing.T) {
				t.Parallel()
				inBubble(t, func(t *testing.T, s *setting) {
					owner, ctx := s.add("dona", crm.Owner), t.Context()
					ids, form := map[string]string{}, func(letter string) contacts.ContactForm {
						return contacts.ContactForm{
							Name: "nome-" + letter, Email: letter + "@x.example", Note: "nota-" + letter,
						}
					}
					for i, n := range strings.Split(c.cpfs, "") {
						f := form(string(rune('a' + i)))
						if n != "-" {
							f.Documents = cpfs[n[0]-'0']
						}
						ids[f.Name[5:]] = must(s.contacts.Create(ctx, owner, f)).ID
					}
					for _, pair := range c.merges {
						done(s.contacts.Merge(ctx, owner, ids[pair[:1]], ids[pair[1:]]))
					}
					if c.edit != "" {
						now := s.contact(ids["a"])
						done(s.contacts.Edit(ctx, owner, ids["a"], contacts.ContactForm{
							Name: now.Name, Email: now.Email, Note: now.Note, Documents: cpfs[c.edit[0]-'0'],
						}))
					}
					who := privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[c.who]}
					told := s.exported(owner, who)
					if replayed {
						repos := s.store.Repos()
						entry := privacy.Entry{
							ID: lookups.NewKeyID(), OrgID: s.orgID, KeyID: must(repos.Subjects.KeyID(ctx)), At: s.now(),
							Hashes: must(repos.Subjects.Hashes(ctx, s.orgID, must(privacy.ByDocument(cpfs[c.who])))),
						}
						for _, letter := range strings.Split(c.erased, "") {
							entry.Contacts = append(entry.Contacts, ids[letter])
						}
						again, err := s.subjects.Replay(ctx, app.Operator(), "", []privacy.Entry{entry})
						equal(t, "replayed", line(again, err), "{1 0 0 0 0} <nil>")
					} else {
						s.erase(owner, who)
					}
					equal(t, "left", s.left(owner, who), "map[]")
					var left string
					for letter, id := range ids {
						erased := strings.Contains(c.erased, letter)
						equal(t, "what is told of "+letter, strings.Contains(told, letter+"@x.example"), erased)
						equal(t, "the note of "+letter, strings.Contains(told, "nota-"+letter), erased)
						if !erased {
							stays, err := s.store.Repos().Removals.Survivor(ctx, id)
							if err != nil {
								t.Error(letter, "is gone")
								continue
							}
							now, history, err := s.contacts.Show(ctx, owner, stays)
							done(err)
							left += fmt.Sprint(now.Name, now.Email, now.Note, history)
							if stays == id {
								equal(t, "name", now.Name, "nome-"+letter)
								equal(t, "address", now.Email, letter+"@x.example")
							}
							continue
						}
						_, err := s.contacts.View(ctx, owner, id)
						equal(t, letter, said(err), "nao_encontrado contact")
					}
					for letter := range ids {
						for _, has := range []string{"nome-" + letter, letter + "@x.example", "nota-" + letter} {
							equal(t, has+" is left", strings.Contains(left, has), !strings.Contains(c.erased, letter))
						}
					}
				})
			})
		}
	}
}

// exported is what an export has of contacts.
func (s *setting) exported(owner app.Caller, who privacyapp.SubjectQuery) string {
	s.t.Helper()
	export := must(s.subjects.Export(s.t.Context(), owner, who))
	all := fmt.Sprint(slices.Collect(func(yield func(string) bool) {
		for _, i := range export.Identities {
			yield(i.Value)
		}
	}))
	for _, k := range []privacy.Kind{privacy.Contacts, privacy.Removed} {
		for one, err := range export.Held(s.t.Context(), k) {
			done(err)
			switch one := one.(type) {
			case privacyapp.SubjectContact:
				all += fmt.Sprint(one.Name, one.Email, one.Note, one.Events)
			case crm.Removal:
				all += fmt.Sprint(one.Contact.Name, one.Contact.Email, one.Contact.Note)
			}
		}
	}
	return all
}

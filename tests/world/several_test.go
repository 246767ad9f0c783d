package world_test

import (
	"context"
	"fmt"
	"time"

	"fichario/app"
	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/fault"
)

// several are worlds of posts with several people, and of contacts that are parted again; keys change their secrets.
var several = theme{verbs: "people 6 post 2 merge 3 part 4 move 2 rotate 2 fresh 3 undelete 1 delete 1 sweep 2 undo 2 erase 1 wait 1", first: "people"}

// severalChanges are what makes something that was read before wrong there.
const severalChanges = "people 3 merge 4 part 4 delete 2 sweep 2 undo 3 erase 2 rotate 3"

// aboutSeveral reports whether the world of a seed is about them: by the seed, as aboutAds.
func aboutSeveral(seed uint64) bool { return seed%19 == 8 }

// together are how many people such a post has.
const together = 3

func init() {
	// people: a post about several people, of whom the first is one whom others post, too. It is repeated with its key.
	verbs["people"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		h.key = fmt.Sprintf("varios-%d-%d", h.op.a, h.op.c%3)
		var people []map[string]string
		for n := range together {
			people = append(people, map[string]string{
				"nome": fmt.Sprintf("Pessoa %d", n), "email": fmt.Sprintf("%s-%d@x.example", h.key, n), "cpf": cpf(h.op.a + 30*n),
			})
		}
		accepted, err := w.send(ctx, i, people, h.key)
		if h.err, h.id = err, accepted.ContactID; err == nil && len(accepted.Others) != together-1 {
			w.fail("several", "%q has %d people, and %d contacts", h.op, together, 1+len(accepted.Others))
		}
		w.keep(h.op.a, accepted.ContactID, err)
	}
	// part takes a contact out of the one that it was merged into.
	verbs["part"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		all := w.rows(fmt.Sprintf("SELECT into_id, id FROM removed_contacts WHERE org_id = '%s' AND into_id IS NOT NULL ORDER BY id", w.orgID))
		if err != nil || len(all) == 0 {
			h.err = errAway
			return
		}
		pair := all[h.op.c%len(all)]
		h.id, h.err = pair[1], i.contacts.Part(ctx, by, pair[0], pair[1])
	}
	// sweep deletes all contacts, by a bulk action that may be undone.
	verbs["sweep"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		by, err := i.member(ctx, w.owner)
		var ids []string
		for _, row := range w.rows(fmt.Sprintf("SELECT id FROM contacts WHERE org_id = '%s' ORDER BY id", w.orgID)) {
			ids = append(ids, row[0])
		}
		if err != nil || len(ids) == 0 {
			h.err = errAway
			return
		}
		made, err := i.bulks.Start(ctx, by, contacts.NewBulk{Kind: crm.BulkDelete, Of: contacts.Selection{IDs: ids}})
		h.err, h.id = err, made.ID
	}
	// rotate gives a key another secret, with or without some time for the one before.
	verbs["rotate"] = func(w *world, ctx context.Context, i *instance, h *happening) {
		was, mine, alone := w.rotating()
		_, secret, err := i.keys.Rotate(ctx, app.Operator(), w.keys[1].id, time.Duration(h.op.c%2)*time.Minute)
		if h.err = err; err != nil {
			return
		}
		time.Sleep(150 * time.Millisecond) // what an instance has read lasts for a tenth of a second
		_, err = i.keys.Authenticate(ctx, was, nobody)
		alone = w.rotated(secret.Reveal(), mine) && alone
		if h.op.c%2 == 0 && alone && fault.CodeOf(err) != fault.Unauthenticated && !unknown(err) {
			w.fail("several", "after %q the secret of before serves: %v", h.op, err)
		}
	}
}

// rotating notes that the second key is about to get another secret than was, and reports which time that is, and
// whether nobody else is about to give it one.
func (w *world) rotating() (was string, number int, alone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	alone = w.rotations[0] == w.rotations[1]
	w.rotations[0]++
	return w.keys[1].secret, w.rotations[0], alone
}

// rotated keeps the newest secret of the second key, and reports whether nobody else has begun to give it one.
func (w *world) rotated(secret string, number int) (alone bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.keys[1].secret = secret
	w.rotations[1]++
	return w.rotations[0] == number
}

// judgeSeveral: of a post, all people are there, once, or none.
func (w *world) judgeSeveral() {
	if w.did("erase", "delete", "merge", "sweep") {
		return
	}
	accepted := map[string]bool{}
	for _, h := range w.happened {
		if h.op.verb == "people" {
			accepted[h.key] = accepted[h.key] || h.err == nil
		}
	}
	for key, taken := range accepted {
		var there [together]int64
		for n := range together {
			there[n] = w.numbers(fmt.Sprintf("SELECT count(*) FROM contacts WHERE org_id = '%%s' AND email = '%s-%d@x.example'", key, n))
		}
		if none := [together]int64{}; there != [together]int64{1, 1, 1} && (taken || there != none) {
			w.fail("several", "of the post %s, which was taken (%t), there are %v", key, taken, there)
		}
	}
}

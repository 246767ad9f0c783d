package faults

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"fichario/tests/testkit/intaketest"
	"fichario/tests/testkit/lookuptest"
)

// party is a post with several people, with names that no other post has.
type party struct {
	names []string
	ids   []string // in the answer
}

// parties sends posts with several people concurrently until the service is gone.
func parties(o *org, h hook, round int, acked *atomic.Int64) (wait func() []party) {
	var work sync.WaitGroup
	var mu sync.Mutex
	var all []party
	for c := range 8 {
		work.Go(func() {
			for i := 0; ; i++ {
				p := party{}
				for j := range 5 {
					p.names = append(p.names, fmt.Sprintf("grupo %d-%d-%d-%d", round, c, i, j))
				}
				a, err := o.Send(context.Background(), request{
					Path: h.Path, Header: intaketest.JSON, Body: intaketest.Numbered(p.names...),
				})
				if a.Status == http.StatusOK {
					p.ids = a.LeadIDs()
					acked.Add(1)
				}
				mu.Lock()
				all = append(all, p)
				mu.Unlock()
				if err != nil {
					return
				}
			}
		})
	}
	return func() []party { work.Wait(); return all }
}

// killingSeveral kills the program while it takes posts with several people. Of each post all people are stored or
// none, and a retry, whole or in part, makes only the missing ones.
func killingSeveral(t *testing.T, env map[string]string) {
	s := intaketest.StartService(t, env)
	o := s.Org(t)
	h := o.NewHook("Em grupo", "generic")
	var posts []party
	for round := range 3 {
		var acked atomic.Int64
		wait := parties(o, h, round, &acked)
		lookuptest.Eventually(t, "posts are accepted", func() bool { return acked.Load() >= 30 })
		s.Kill()
		posts = append(posts, wait()...)
		s.Restart()
	}
	byPerson := map[string]string{}
	for id, email := range o.Census(t).Emails {
		byPerson[email] = id
	}
	lost := 0
	for i := range posts {
		p := &posts[i]
		var there []string
		for _, name := range p.names {
			if id, ok := byPerson[intaketest.Email(name)]; ok {
				there = append(there, id)
			}
		}
		switch {
		case len(there) != 0 && len(there) != len(p.names):
			t.Errorf("%d people of %d are there", len(there), len(p.names))
		case p.ids != nil && !slices.Equal(there, p.ids):
			t.Error("an acknowledged post has other contacts")
		case p.ids == nil:
			lost++
		}
		if p.ids != nil && i%10 > 0 {
			continue // check one in ten of the acknowledged ones
		}
		for _, names := range [][]string{{p.names[4], p.names[0]}, p.names} {
			a := o.Do(request{Path: h.Path, Header: intaketest.JSON, Body: intaketest.Numbered(names...)})
			ids := a.LeadIDs()
			if len(ids) != len(names) {
				t.Fatalf("a retry is answered with %s and %d contacts", a, len(ids))
			}
			for j, id := range ids {
				if p.ids != nil && id != p.ids[slices.Index(p.names, names[j])] {
					t.Error("a retry is answered with another contact")
				}
			}
			if len(names) == len(p.names) {
				p.ids = ids
			}
		}
	}
	all := whole(t, o, h)
	expect(t, "contacts", all, 5*len(posts))
	t.Logf("%d posts, %d without an answer", len(posts), lost)
}

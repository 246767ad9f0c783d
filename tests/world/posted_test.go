package world_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"fichario/ports"
)

// A bureau may post the answers that come later, besides giving them to whoever asks: once, twice, never, at once, when
// the time is almost over or after that, to any instance; and again where it was not taken.

// postedTo is the address below which bureaus post.
const postedTo = "https://f.example/"

// postsAnswers reports whether bureaus do in the world of a seed: by the seed, so that the earlier worlds stay what
// they were.
func postsAnswers(seed uint64) bool { return seed%5 == 2 || seed%5 == 4 }

// callbacks is where bureaus post answers; empty where they do not.
func (w *world) callbacks() string {
	if !postsAnswers(w.plan.seed) {
		return ""
	}
	return postedTo
}

// reply is an answer that a bureau has posted, and that was taken while its question waited for it.
type reply struct {
	number int
	entry  string
}

// posts lets the bureau post the answer to one of its questions.
func (s seenBy) posts(callback string, number int) {
	w := s.world
	if callback == "" {
		return
	}
	most := s.later(number).For
	for n := range []int{0, 1, 1, 1, 2}[w.chance(5, "posts", number)] {
		after := time.Duration(w.chance(int(most/time.Millisecond)+2000, "when", number, n)) * time.Millisecond
		switch w.chance(4, "how soon", number, n) {
		case 0: // perhaps before it is stored that the question was taken
			after = time.Duration(w.chance(50, "at once", number)) * time.Millisecond
		case 1: // when nobody asks any more
			after = most - time.Second + time.Duration(w.chance(2000, "at the end", number))*time.Millisecond
		}
		s.mu.Lock()
		s.posting++
		s.mu.Unlock()
		go func() {
			defer func() {
				s.mu.Lock()
				defer s.mu.Unlock()
				s.posting--
			}()
			time.Sleep(after)
			for range 4 {
				if s.post(callback, number, n) == nil {
					return
				}
				time.Sleep(3 * time.Second)
			}
		}()
	}
}

// post posts once, and keeps what was taken. What is no answer to the question comes before it now and then.
func (s seenBy) post(callback string, number, n int) error {
	w := s.world
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	w.sched.await("bureau "+s.name, "bureau", "posts")
	said := func(number int) func() (map[string][]string, []byte, error) {
		return func() (map[string][]string, []byte, error) { return nil, fmt.Append(nil, number), nil }
	}
	token, ledger := strings.TrimPrefix(callback, postedTo), w.at(w.chance(3, "to whom", number, n)).ledger
	if w.chance(4, "another's first", number, n) == 0 {
		_ = ledger.CalledBack(ctx, token, said(number+1))
	}
	err := ledger.CalledBack(ctx, token, said(number))
	entry, _, _ := strings.Cut(token, ".")
	if err == nil && w.waitsFor(entry) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.replies = append(s.replies, reply{number, entry})
	}
	return err
}

// waitsFor reports whether a question whose answer has been posted is not given up yet.
func (w *world) waitsFor(entry string) bool {
	rows := w.rows(fmt.Sprintf("SELECT until FROM later_answers WHERE id = '%s' AND reply IS NOT NULL", entry))
	if len(rows) == 0 {
		return false
	}
	until, err := time.Parse(time.RFC3339, rows[0][0])
	if err != nil {
		w.fail("judge", "%v", err)
	}
	return time.Now().Before(until)
}

// posted is what a bureau has posted as an answer says.
func (s seenBy) posted(q ports.Question) (ports.Answer, error) {
	if string(q.Reply.Body) != q.Ticket {
		return ports.Answer{Later: &ports.Later{}}, nil
	}
	return s.ends(q)
}

// posting reports whether a bureau is still about to post.
func (w *world) posting() bool {
	w.bureau.mu.Lock()
	defer w.bureau.mu.Unlock()
	return w.bureau.posting > 0
}

// judgeReplies: an answer that was taken in time is how its question ends, unless its person was erased meanwhile, or
// an instance whose clock is ahead gave it up.
func (w *world) judgeReplies() {
	if w.did("erase", "clock") {
		return
	}
	for _, r := range w.bureau.replies {
		is := w.rows(fmt.Sprintf("SELECT status FROM lookups WHERE id = '%s'", r.entry))
		if len(is) != 1 || is[0][0] != "concluida" && is[0][0] != "falhou" {
			w.fail("posted", "the answer %d was posted and taken, and its question %s is %v%s", r.number, r.entry, is, w.calls())
		}
	}
}

package app_test

import (
	"testing"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/webhook"
)

// TestWhoWatchesIsToldOfChanges of the own organisation, on whichever instance they are made, and of none before.
func TestWhoWatchesIsToldOfChanges(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		s.arrive(hook, "antes")
		time.Sleep(time.Second)
		changes := app.NewChanges(s.store, s.now, s.log.logger())
		ana := s.add("ana", crm.Common)
		mine, stop, err := changes.Watch(ana, "")
		theirs, leave, err2 := changes.Watch(s.another().add("bruno", crm.Common), "")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		told := func() (n int) {
			for {
				select {
				case <-mine:
					n++
				default:
					return n
				}
			}
		}
		time.Sleep(3 * time.Second)
		equal(t, "of what was before", told(), 0)
		contact := s.arrive(hook, "bia")
		s.arrive(hook, "caio")
		time.Sleep(3 * time.Second)
		equal(t, "of two that came", told(), 1)
		time.Sleep(3 * time.Second)
		equal(t, "of them again", told(), 0)
		done(s.contacts.Note(t.Context(), ana, contact.ID, "liguei"))
		time.Sleep(3 * time.Second)
		equal(t, "of a note", told(), 1)
		equal(t, "another organisation", len(theirs), 0)
		stop()
		since := changes.Mark()
		time.Sleep(time.Second)
		s.arrive(hook, "davi")
		late, stop, err := changes.Watch(ana, since)
		done(err)
		time.Sleep(3 * time.Second)
		equal(t, "what came between a page and its stream", len(late), 1)
		stop()
		leave()
		var stops []func()
		for range 12 {
			_, stop, err := changes.Watch(ana, "")
			done(err)
			stops = append(stops, stop)
		}
		_, _, err = changes.Watch(ana, "")
		equal(t, "one too many", said(err), "servico_indisponivel")
		for _, stop := range stops {
			stop()
		}
		time.Sleep(5 * time.Second) // nobody looks any more
	})
}

package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"fichario/app/contacts"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// TestWhoWatchesIsToldOfChanges of the own organisation, made on any instance, and of none before.
func TestWhoWatchesIsToldOfChanges(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook := s.hook(webhook.Signature{})
		s.arrive(hook, "antes")
		time.Sleep(time.Second)
		changes := contacts.NewChanges(s.store, s.now, s.log.logger())
		ana := s.add("ana", crm.Common)
		mine := must(changes.Watch(ana, ""))
		theirs := must(changes.Watch(s.another().add("bruno", crm.Common), ""))
		told := func() (n int) {
			for {
				select {
				case <-mine.Changed():
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
		equal(t, "another organisation", len(theirs.Changed()), 0)
		mine.Stop()
		since := changes.Present()
		time.Sleep(time.Second)
		s.arrive(hook, "davi")
		late := must(changes.Watch(ana, since))
		time.Sleep(3 * time.Second)
		equal(t, "what came between a page and its stream", len(late.Changed()), 1)
		late.Stop()
		theirs.Stop()
		var all []*contacts.Watcher
		for range 12 {
			all = append(all, must(changes.Watch(ana, "")))
		}
		_, err := changes.Watch(ana, "")
		equal(t, "one too many", said(err), "servico_indisponivel")
		for _, w := range all {
			w.Stop()
		}
		time.Sleep(5 * time.Second) // nobody watches any more
	})
}

// TestNoChangeIsMissedBetweenStreams: what happens after the last look of a stream is told to the next one, which
// starts at the last place that was sent.
func TestNoChangeIsMissedBetweenStreams(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook, ana := s.hook(webhook.Signature{}), s.add("ana", crm.Common)
		changes := contacts.NewChanges(s.store, s.now, s.log.logger())
		stream := must(changes.Watch(ana, changes.Present()))
		time.Sleep(time.Second) // after one look, before the next
		s.arrive(hook, "bia")
		place := stream.Place()
		stream.Stop()
		equal(t, "told by the stream that ends", len(stream.Changed()), 0)
		next := must(changes.Watch(ana, place))
		time.Sleep(3 * time.Second)
		equal(t, "told by the next one", len(next.Changed()), 1)
		next.Stop()
		time.Sleep(3 * time.Second)
	})
}

// TestAnEventThatIsSeenLateIsTold: an event from a slow clock or a long transaction is older than what was told.
func TestAnEventThatIsSeenLateIsTold(t *testing.T) {
	t.Parallel()
	inBubble(t, func(t *testing.T, s *setting) {
		hook, ana := s.hook(webhook.Signature{}), s.add("ana", crm.Common)
		contact := s.arrive(hook, "bia")
		changes := contacts.NewChanges(s.store, s.now, s.log.logger())
		stream := must(changes.Watch(ana, ""))
		for _, after := range []time.Duration{3 * time.Second, 10 * time.Second, time.Minute} {
			time.Sleep(after)
			done(s.store.InTx(t.Context(), func(_ context.Context, r ports.Repos) error {
				return r.ContactHistory.AddNote(t.Context(), crm.Event{
					ID: IDAt(s.now().Add(-5 * time.Second)), OrgID: s.orgID, ContactID: contact.ID, Kind: crm.NoteAdded,
					At: s.now(), Subject: "liguei",
				})
			}))
			time.Sleep(3 * time.Second)
			if equal(t, fmt.Sprint("told after ", after), len(stream.Changed()), 1); t.Failed() {
				break
			}
			<-stream.Changed()
			time.Sleep(3 * time.Second)
			equal(t, "told again", len(stream.Changed()), 0)
		}
		stream.Stop()
		time.Sleep(3 * time.Second)
	})
}

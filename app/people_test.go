package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"fichario/app"
	"fichario/app/intake"
	"fichario/domain/fault"
	"fichario/domain/webhook"
	"fichario/ports"
)

// numbered makes a post of several leads, each with one of the ids.
func numbered(ids ...int) string {
	all := make([]string, len(ids))
	for i, id := range ids {
		all[i] = fmt.Sprintf(`{"lead_id":"%d","full_name":"p%[1]d","email":"p%[1]d@x.example"}`, id)
	}
	return `{"leads":[` + strings.Join(all, ",") + `]}`
}

// contactIDs returns all contacts of a result, in order.
func contactIDs(a intake.Accepted) []string { return append([]string{a.ContactID}, a.Others...) }

// names returns the names of the contacts of a result, in order.
func (s *setting) names(a intake.Accepted) string {
	s.t.Helper()
	var all []string
	for _, id := range contactIDs(a) {
		all = append(all, s.contact(id).Name)
	}
	return strings.Join(all, " ")
}

const anaAndBeto = `[{"nome":"Ana","email":"a@x.example"},{"nome":"Beto","email":"b@x.example"}]`

// TestSeveralPeopleInOnePost: each gets a contact with all that a single one has, and the delivery lists all.
func TestSeveralPeopleInOnePost(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	made := must(s.intake.Receive(t.Context(), hook, post(`{"leads":`+anaAndBeto+`,"mensagem":"da feira"}`)))
	equal(t, "contacts", s.names(made), "Ana Beto")
	equal(t, "made", line(made.Made(), made.Known, made.Repeated), "2 0 false")
	equal(t, "traces", s.traces(hook), "2 2 2 2 1")
	equal(t, "woken", s.woken.Load(), 1)
	for _, id := range contactIDs(made) {
		equal(t, "history and note", s.kinds(id)+" "+s.contact(id).Note, "criado da feira")
	}
	logged := s.deliveries(hook)[0]
	equal(t, "line", line(logged.Outcome, logged.Contacts()), line("accepted", contactIDs(made)))
	equal(t, "contacts of the line", len(must(s.intake.ContactsOf(t.Context(), 9, logged))), 2)

	must(s.intake.Receive(t.Context(), hook, post(anaAndBeto)))
	equal(t, "twice without an id", s.traces(hook), "4 4 4 4 2")
	one := must(s.intake.Receive(t.Context(), hook, post(`[{"nome":"Ana","email":"a@x.example"}]`)))
	equal(t, "one in an array", line(len(one.Others), s.traces(hook)), "0 5 5 5 5 3")
	twice := must(s.intake.Receive(t.Context(), hook,
		post(`[{"nome":"Ana","email":"a@x.example"},{"nome":"Ana","email":"a@x.example"}]`)))
	equal(t, "one address twice", line(len(twice.Others), s.traces(hook)), "1 7 7 7 7 4")
	same := must(s.intake.Receive(t.Context(), hook, post(numbered(1, 2, 1))))
	equal(t, "one submission twice", line(len(same.Others), s.traces(hook)), "1 9 9 9 9 5")
}

// TestTooManyPeople are refused, and leave a line.
func TestTooManyPeople(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	list := func(n int) intake.Post {
		return post("[" + strings.TrimSuffix(strings.Repeat(`{"email":"a@x.example"},`, n), ",") + "]")
	}
	made := must(s.intake.Receive(t.Context(), hook, list(200)))
	equal(t, "200", line(1+len(made.Others), len(s.deliveries(hook)[0].Contacts())), "200 200")
	_, err := s.intake.Receive(t.Context(), hook, list(201))
	equal(t, "201", said(err), "requisicao_invalida")
	equal(t, "what is said", strings.Contains(app.FaultOf(err).Message, "200 pessoas"), true)
	_, err = s.intake.Simulate(t.Context(), hook, list(201))
	equal(t, "201, simulated", said(err), "requisicao_invalida")
	logged := s.deliveries(hook)
	equal(t, "lines", line(len(logged), logged[0].Outcome), "2 refused")
}

// TestRetriesOfSeveral are recognised by element: earlier people are returned, the others are made.
func TestRetriesOfSeveral(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func(body string, headers ...string) intake.Accepted {
		t.Helper()
		return must(s.intake.Receive(t.Context(), hook, post(body, headers...)))
	}
	first := send(numbered(7, 8))
	equal(t, "the whole again", line(send(numbered(7, 8))), repeated(first))
	equal(t, "in another order", line(send(numbered(8, 7)).Others, s.traces(hook)),
		line([]string{first.ContactID}, "2 2 2 2 3"))
	overlap := send(numbered(8, 9, 7, 10))
	equal(t, "overlap", s.names(overlap), "p8 p9 p7 p10")
	equal(t, "those of then", line(contactIDs(overlap)[0], contactIDs(overlap)[2]), line(first.Others[0], first.ContactID))
	equal(t, "made and known", line(overlap.Made(), overlap.Known, overlap.Repeated), "2 2 false")
	equal(t, "traces", s.traces(hook), "4 4 4 4 4")
	equal(t, "its line", line(s.deliveries(hook)[0].Contacts()), line(contactIDs(overlap)))
	alone := send(numbered(9))
	equal(t, "one of them alone", line(alone.ContactID == overlap.Others[0], alone.Repeated), "true true")
	more := send(numbered(9, 11))
	equal(t, "one new", line(more.ContactID == alone.ContactID, more.Made(), s.traces(hook)), "true 1 5 5 5 5 6")
	equal(t, "the line of the repetition", line(s.deliveries(hook)[2].Outcome), "accepted")

	byHeader := send(anaAndBeto, "webhook-id", "w")
	equal(t, "by the delivery's id", line(send(anaAndBeto, "webhook-id", "w")), repeated(byHeader))
	equal(t, "by another", send(anaAndBeto, "webhook-id", "w2").Repeated, false)
	equal(t, "traces", s.traces(hook), "9 9 9 9 9")
}

// TestTheKeyOfSeveral stands for the whole post, with its body.
func TestTheKeyOfSeveral(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	send := func(body string) (intake.Accepted, error) {
		return s.intake.Receive(t.Context(), hook, post(body, "idempotency-key", "k"))
	}
	first := must(send(anaAndBeto))
	equal(t, "again", line(must(send(anaAndBeto))), repeated(first))
	equal(t, "its line", line(s.deliveries(hook)[0].Outcome, s.deliveries(hook)[0].Contacts()),
		line("repeated", contactIDs(first)))
	for _, other := range []string{
		`[{"email":"a@x.example"},{"email":"b@x.example"},{"email":"c@x.example"}]`, `{"email":"a@x.example"}`,
		`[{"nome":"Ana"}]`, numbered(7, 8),
	} {
		_, err := send(other)
		equal(t, "another body", said(err), "chave_reutilizada Idempotency-Key")
	}
	equal(t, "traces", s.traces(hook), "2 2 2 2 6")
}

// TestOverlapsAtOnce: concurrent posts that share people each get a complete answer, and nobody is made twice.
func TestOverlapsAtOnce(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	const posts = 12
	var wg sync.WaitGroup
	answers := make([]intake.Accepted, posts)
	for i := range posts {
		wg.Go(func() {
			ids := []int{i, i + 1, i + 2}
			if i%2 > 0 {
				slices.Reverse(ids)
			}
			answers[i] = must(s.intake.Receive(t.Context(), hook, post(numbered(ids...))))
		})
	}
	wg.Wait()
	made := 0
	for i, a := range answers {
		made += a.Made()
		names := strings.Fields(s.names(a))
		if i%2 > 0 {
			slices.Reverse(names)
		}
		equal(t, "contacts", strings.Join(names, " "), fmt.Sprintf("p%d p%d p%d", i, i+1, i+2))
	}
	equal(t, "made", made, posts+2)
	equal(t, "traces", s.traces(hook), line(posts+2, posts+2, posts+2, posts+2, posts))
}

// TestAReplayOfSeveral makes all, once.
func TestAReplayOfSeveral(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	closed := hook
	closed.Enabled = false
	_, err := s.intake.Receive(t.Context(), closed, post(anaAndBeto))
	equal(t, "refused", said(err), "webhook_desabilitado")
	refused := s.deliveries(hook)[0].ID
	made := must(s.intake.Replay(t.Context(), app.Operator(), refused))
	equal(t, "made", s.names(made)+" "+s.traces(hook), "Ana Beto 2 2 2 2 2")
	for _, id := range []string{refused, s.deliveries(hook)[0].ID} {
		equal(t, "again", line(must(s.intake.Replay(t.Context(), app.Operator(), id))), repeated(made))
	}
	explained := must(s.intake.Explain(t.Context(), app.Operator(), s.deliveries(hook)[0], ""))
	equal(t, "explained", line(len(explained), explained[1].Contact.Name), "2 Beto")
}

// TestSeveralAreSimulated, and nothing is made.
func TestSeveralAreSimulated(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	for _, made := range [][]intake.Simulation{
		must(s.intake.Simulate(t.Context(), hook, post(anaAndBeto))),
		must(s.intake.Try(t.Context(), app.Operator(), hook.ID, []byte(anaAndBeto))),
	} {
		equal(t, "contacts", line(len(made), made[0].Contact.Name, made[1].Contact.Name, made[1].Stage), "2 Ana Beto Novo")
	}
	equal(t, "traces", s.traces(hook), "0 0 0 0 0")
}

// TestSeveralAndAStoreThatIsAway: nothing is reported as stored.
func TestSeveralAndAStoreThatIsAway(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	must(s.intake.Receive(t.Context(), hook, post(numbered(7))))
	calls := 0
	away := func() error {
		if calls++; calls > 1 { // after the known people were found
			return fault.New(fault.ServiceUnavailable, "fora")
		}
		return nil
	}
	in := intake.New(atTheDoor{s.store, away}, s.now).Mailing(true)
	_, err := in.Receive(t.Context(), hook, post(numbered(7, 8)))
	equal(t, "said", said(err), "servico_indisponivel")
	equal(t, "traces", s.traces(hook), "1 1 1 1 1")
}

// TestARetryAcrossAnUpgrade: a post whose people an older version read as one person is known as that one's, and as its
// own people's where they came with another post.
func TestARetryAcrossAnUpgrade(t *testing.T) {
	t.Parallel()
	s := inMemory(t)
	hook := s.hook(webhook.Signature{})
	notifications := func(ids ...int) intake.Post {
		list := ""
		for _, id := range ids {
			list += fmt.Sprintf(`<Notification><Id>04l5g0000%d</Id><sObject><Name>p%[1]d</Name><Email>p%[1]d@x.example</Email>`+
				`</sObject></Notification>`, id)
		}
		return post(`<notifications><OrganizationId>00D</OrganizationId><ActionId>04k</ActionId>`+list+`</notifications>`,
			"content-type", "text/xml")
	}
	older := intake.New(asOneStore{s.store}, s.now)
	send := func(in *intake.Intake, ids ...int) intake.Accepted {
		return must(in.Receive(t.Context(), hook, notifications(ids...)))
	}
	was := send(older, 1, 2)
	equal(t, "an older version made", s.traces(hook), "1 1 0 1 1")
	again := send(s.intake, 1, 2)
	equal(t, "the retry", line(again.Repeated, contactIDs(again)), line(true, []string{was.ContactID, was.ContactID}))
	equal(t, "and made", s.traces(hook), "1 1 0 1 2")
	others := send(s.intake, 2, 3) // one came before, with another body
	equal(t, "another post", line(others.ContactID == was.ContactID, others.Made(), s.names(others)), "true 1 p1 p3")
	equal(t, "again", line(send(s.intake, 2, 3)), repeated(others))
	once := send(s.intake, 4, 5)
	equal(t, "the present version", line(s.names(once), line(send(s.intake, 4, 5)) == repeated(once)), "p4 p5 true")
}

// asOneInbox writes the people of a post as one, under the key of the last, as versions did that read repeated elements
// so.
type asOneInbox struct{ ports.Inbox }

func (i asOneInbox) Take(ctx context.Context, a ports.Arrival) ([]ports.Receipt, error) {
	all := len(a.People)
	a.People[0].Key = a.People[all-1].Key
	a.People, a.Delivery.Others = a.People[:1], nil
	made, err := i.Inbox.Take(ctx, a)
	return slices.Repeat(made, all), err
}

type asOneStore struct{ ports.Store }

func (s asOneStore) Repos() ports.Repos {
	r := s.Store.Repos()
	r.Inbox = asOneInbox{r.Inbox}
	return r
}

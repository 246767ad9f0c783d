package app_test

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"runtime"
	"testing"
	"time"

	"fichario/adapters/download"
	"fichario/adapters/gormstore"
	"fichario/app"
	"fichario/app/lookups"
	privacyapp "fichario/app/privacy"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/domain/privacy"
	"fichario/domain/webhook"
	"fichario/ports"
	"fichario/tests/testkit/postgres"
)

// traced writes n lookups of a document with answers of that size, and returns the bytes of the answers.
func (s *setting) traced(n, size int) int {
	s.t.Helper()
	doc, noise, sum := must(document.Parse(document.CPF, cpfs[0])), make([]byte, size/2), 0
	for from := 0; from < n; from += 50 {
		done(s.store.InTx(s.t.Context(), func(_ context.Context, r ports.Repos) error {
			for range min(50, n-from) {
				_, _ = rand.Read(noise)
				answer := fmt.Appendf(nil, `{"x":%q}`, hex.EncodeToString(noise))
				rec := lookup.Record{
					ID: lookups.NewKeyID(), OrgID: s.orgID, Product: catalog.CPF, Document: doc, AnsweredAt: now(), Found: true,
					Fields: []byte("{}"), Raw: answer,
				}
				sum += len(answer)
				e := lookup.Entry{
					ID: lookups.NewKeyID(), OrgID: s.orgID, Product: catalog.CPF, Document: doc, At: now(), Status: lookup.Done,
					RecordID: rec.ID,
				}
				if err := r.History.Save(s.t.Context(), rec); err != nil {
					return err
				}
				if err := r.Statement.Add(s.t.Context(), e); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return sum
}

// heap records how much memory is in use while it is written to.
type heap struct {
	written, calls int
	most           uint64
}

func (h *heap) Write(p []byte) (int, error) {
	if h.calls++; h.calls%2000 == 0 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		h.most = max(h.most, m.HeapAlloc)
	}
	h.written += len(p)
	return len(p), nil
}

// TestSlowSomebodyWithVeryManyTracesIsStreamed: only a small part of what is written is in memory at a time. It runs
// alone, because it measures the memory of the process.
func TestSlowSomebodyWithVeryManyTracesIsStreamed(t *testing.T) { //nolint:paralleltest // see above
	for name, url := range map[string]string{
		"sqlite": template.New(t), "postgres": postgres.New(t, migrate),
	} {
		t.Run(name, func(t *testing.T) { streamed(t, newSetting(t, open(t, url), now)) }) //nolint:paralleltest // see above
	}
}

func streamed(t *testing.T, s *setting) {
	t.Helper()
	owner, n, q := s.add("dona", crm.Owner), 10_000, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}
	sum := s.traced(n, 8<<10)
	done(s.store.(*gormstore.Store).CatchUp(t.Context()))
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	x := must(s.subjects.Export(t.Context(), owner, q))
	var to heap
	done(download.Subject(t.Context(), &to, x))
	if to.written < sum {
		t.Errorf("%d bytes were written of %d", to.written, sum)
	}
	if more := int64(to.most) - int64(before.HeapAlloc); more > int64(sum)/4 {
		t.Errorf("%d MB of memory for an export of %d MB", more>>20, sum>>20)
	}
	equal(t, "lookups", must(s.subjects.Count(t.Context(), owner, q, 0)).Counts["consultas"], n)
}

// TestACountThatTakesTooLong has everything that an index finds, and says that there may be more.
func TestACountThatTakesTooLong(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		must(s.intake.Receive(ctx, hook, post(`{"nome":"Bia Lima","cpf":"`+cpfs[0]+`","email":"bia@x.example"}`)))
		must(s.ask(owner, lookups.Request{Document: cpfs[0]}))
		for within, want := range map[time.Duration]privacyapp.Held{
			0:               {Counts: privacy.Counts{privacy.Deliveries: 1}},
			time.Hour:       {Counts: privacy.Counts{privacy.Deliveries: 1}},
			time.Nanosecond: {Counts: privacy.Counts{privacy.Deliveries: 0}, More: true},
		} {
			got := must(s.subjects.Count(ctx, owner, privacyapp.SubjectQuery{OrgID: s.orgID, Document: cpfs[0]}, within))
			equal(t, "more", got.More, want.More)
			equal(t, "posts", got.Counts[privacy.Deliveries], want.Counts[privacy.Deliveries])
			equal(t, "lookups", got.Counts[privacy.Lookups], 1)
			equal(t, "contacts", got.Counts[privacy.Contacts], 1)
		}
	})
}

// TestAnExportIsWhatWasPutIn, word for word.
func TestAnExportIsWhatWasPutIn(t *testing.T) {
	t.Parallel()
	atOnce(t, func(t *testing.T, s *setting) {
		ctx, owner := t.Context(), s.add("dona", crm.Owner)
		hook := s.hook(webhook.Signature{})
		body := `{"nome":"Bia Lima","email":"bia@x.example","telefone":"(11) 98765-4321","cpf":"` + cpfs[0] +
			`","mensagem":"Olá"}`
		id := must(s.intake.Receive(ctx, hook, post(body))).ContactID
		done(s.contacts.Note(ctx, owner, id, "ligar à tarde"))
		done(s.store.Repos().Notifications.Create(ctx, crm.Notification{
			ID: app.NewID(), OrgID: s.orgID, Kind: crm.JobDead, ContactID: id, Subject: "Avisar o time", At: time.Now(),
		}))
		asked := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		again := must(s.ask(owner, lookups.Request{Document: cpfs[0]})).Entry
		must(s.ask(owner, lookups.Request{Document: cpfs[1]}))

		x := must(s.subjects.Export(ctx, owner, privacyapp.SubjectQuery{OrgID: s.orgID, Email: "BIA@x.example"}))
		var to written
		steps := 0
		x.Alive = func() { steps++ }
		done(download.Subject(ctx, &to, x))
		if kinds := len(privacy.Kinds()) - 1; steps < kinds { // those of Parts are among the contacts
			t.Errorf("%d steps for %d kinds: one that finds nothing takes its time too", steps, kinds)
		}
		var out struct {
			Titular   []struct{ Tipo, Valor string }
			Consultas []struct {
				ID, Documento, Quem, Origem, Situacao string
				Em                                    time.Time
				Resposta                              *struct{ Bruto json.RawMessage }
			}
			Contatos []struct {
				ID, Nome, Email, Telefone, Nota, Webhook string
				Documentos                               []struct{ Documento string }
				Historico                                []struct{ Tipo, Texto string }
			}
			Entregas     []struct{ Corpo string }
			Notificacoes []struct{ Tipo string }
		}
		done(json.Unmarshal(to, &out))
		equal(t, "who it is", fmt.Sprint(out.Titular), "[{email bia@x.example} {cpf "+cpfs[0]+"}]")
		equal(t, "lookups", len(out.Consultas), 2)
		for i, want := range []lookup.Entry{asked, again} {
			got := out.Consultas[i]
			at := got.Em.Equal(want.At.Truncate(time.Microsecond))
			equal(t, "a lookup", fmt.Sprint(got.ID, got.Documento, got.Quem, got.Situacao, at),
				fmt.Sprint(want.ID, cpfs[0], "dona", "concluida", true))
		}
		equal(t, "where they came from", out.Consultas[0].Origem+" "+out.Consultas[1].Origem, "bureau historico")
		rec := must(s.store.Repos().History.Records(ctx, ports.AnyOrg, []string{asked.RecordID}))[asked.RecordID]
		var compact, raw any
		done(json.Unmarshal(out.Consultas[0].Resposta.Bruto, &compact))
		done(json.Unmarshal(rec.Raw, &raw))
		equal(t, "the answer", fmt.Sprint(compact), fmt.Sprint(raw))
		c := out.Contatos[0]
		equal(t, "the contact",
			fmt.Sprint(len(out.Contatos), c.ID, c.Nome, c.Email, c.Telefone, c.Nota, c.Documentos[0].Documento),
			fmt.Sprint(1, id, "Bia Lima", "bia@x.example", "(11) 98765-4321", "Olá\n\nligar à tarde", cpfs[0]))
		equal(t, "its history", c.Historico[0].Tipo+" "+c.Historico[1].Tipo, "criado nota")
		equal(t, "the post", out.Entregas[0].Corpo, body)
		equal(t, "notifications", len(out.Notificacoes), 1)
	})
}

// written collects what is written.
type written []byte

func (w *written) Write(p []byte) (int, error) { *w = append(*w, p...); return len(p), nil }

package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"

	"fichario/adapters/factors"
	"fichario/adapters/gormstore"
	"fichario/adapters/gormstore/engine"
	"fichario/app"
	"fichario/app/contacts"
	intakeapp "fichario/app/intake"
	"fichario/app/lookups"
	"fichario/app/team"
	"fichario/domain/access"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/lookup"
	"fichario/domain/webhook"
	"fichario/ports"
)

const (
	email, password = "dona@example.com", "uma-senha-longa"
	// span is the period of the lookups, recent that of contacts and posts: the log of posts is kept for thirty days.
	span   = 24 * 30 * 24 * time.Hour
	recent = 29 * 24 * time.Hour
	// writers is how many write concurrently, so that they share commits like requests.
	writers = 64
)

// saoPaulo is the zone of the measured program's days.
var saoPaulo = time.FixedZone("", -3*60*60)

// filling fills a database through the ports that the program itself uses, so that all derived figures are right.
type filling struct {
	url string
	filled
	kept string // the file that says what the database has been filled with; empty where nothing is kept
}

// filled is what a database has been filled with. Its fields are exported for JSON.
type filled struct {
	Sealing [][]byte  // the data keys, of which the first encrypts
	Start   time.Time // of the span
	Org     string
	Keys    []keyWithSecret
	Hooks   []hook
	Origins []string
	Stages  []crm.Stage
	People  []crm.Member
	Contact string // the newest
	Lookups int
}

type keyWithSecret struct{ ID, Secret string }

type hook struct{ ID, Token string }

// onFilling runs do on a new database of a kind, which is then removed.
func onFilling(ctx context.Context, kind string, do func(*filling) error) error {
	dir, err := os.MkdirTemp("", "fichario-load-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	url, stop, err := database(ctx, kind, dir)
	if err != nil {
		return err
	}
	defer stop()
	f, err := newFilling(ctx, url)
	if err != nil {
		return err
	}
	return do(f)
}

// onKept runs do on the SQLite database of a folder, which is kept, so that several versions measure the same rows.
// What a fill that was broken off has left is to be removed.
func onKept(ctx context.Context, dir string, do func(*filling) error) error {
	f, url := &filling{}, "sqlite://"+filepath.Join(dir, "load.db")
	path := filepath.Join(dir, "filled.json")
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return err
		}
		if f, err = newFilling(ctx, url); err != nil {
			return err
		}
	case err != nil:
		return err
	default:
		f.url = url
		unasked.Store(int64(mathrand.IntN(500_000_000))) // not what the measurement before has asked
		if err := json.Unmarshal(text, &f.filled); err != nil {
			return err
		}
	}
	f.kept = path
	return errors.Join(f.save(), do(f))
}

// save writes down what the database has been filled with, if it is kept.
func (f *filling) save() error {
	if f.kept == "" {
		return nil
	}
	text, err := json.Marshal(f.filled)
	if err != nil {
		return err
	}
	return os.WriteFile(f.kept, text, 0o600)
}

func newFilling(ctx context.Context, url string) (*filling, error) {
	f := &filling{url: url, filled: filled{Sealing: [][]byte{newDataKey()}, Start: time.Now().UTC().Add(-span)}}
	store, err := f.open(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = store.Close() }()
	return f, f.organise(ctx, store)
}

func newDataKey() []byte {
	key := make([]byte, engine.DataKeySize)
	_, _ = rand.Read(key)
	return key
}

func (f *filling) open(ctx context.Context) (*gormstore.Store, error) {
	store, err := gormstore.Open(f.url, f.Sealing)
	if err != nil {
		return nil, err
	}
	return store, store.Migrate(ctx)
}

// divide gives an empty PostgreSQL database the partitions that the program would have made during the period: for the
// beginning it makes only those ahead.
func (f *filling) divide(ctx context.Context) error {
	now := time.Now().UTC()
	month, day := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC), now.Truncate(24*time.Hour)
	sql := ""
	for _, t := range []struct {
		table, layout       string
		end                 time.Time // of the existing partitions
		months, days, parts int
	}{
		{"lookups", "2006_01", month, 1, 0, 25}, {"deliveries", "2006_01_02", day, 0, 1, 30},
		{"contact_events", "2006_01", month, 1, 0, 1}, {"notifications", "2006_01", month, 1, 0, 1},
	} {
		at := t.end.AddDate(0, -t.months*t.parts, -t.days*t.parts)
		sql += fmt.Sprintf(`ALTER TABLE %[1]s DETACH PARTITION %[1]s_first;
			ALTER TABLE %[1]s ATTACH PARTITION %[1]s_first FOR VALUES FROM (MINVALUE) TO ('%[2]s');`, t.table, firstID(at))
		for at.Before(t.end) {
			next := at.AddDate(0, t.months, t.days)
			sql += fmt.Sprintf(`CREATE TABLE %[1]s_%[2]s PARTITION OF %[1]s FOR VALUES FROM ('%[3]s') TO ('%[4]s');`,
				t.table, at.Format(t.layout), firstID(at), firstID(next))
			at = next
		}
	}
	return f.onPostgres(ctx, sql)
}

// firstID is the smallest UUIDv7 of a time.
func firstID(at time.Time) string {
	ms := at.UnixMilli()
	return fmt.Sprintf("%08x-%04x-7000-8000-000000000000", ms>>16, ms&0xffff)
}

// organise makes the fixed data: the organisation, its people, keys and webhooks.
func (f *filling) organise(ctx context.Context, store *gormstore.Store) error {
	now := func() time.Time { return time.Now().UTC() }
	by := app.Operator()
	org, err := team.NewOrganisations(store, now).Create(ctx, "Crescimento")
	if err != nil {
		return err
	}
	f.Org = org.ID
	for i, name := range []string{"Ana", "Bruno", "Carla", "Davi", "Elisa"} {
		n := team.NewMember{OrgID: org.ID, Name: name, Email: email, Role: crm.Owner, Password: password}
		if i > 0 {
			n.Email, n.Role = fmt.Sprintf("pessoa%d@example.com", i), crm.Common
		}
		m, err := team.NewMembers(store, now, factors.HashPassword).Add(ctx, by, n)
		if err != nil {
			return err
		}
		f.People = append(f.People, m)
	}
	for i := range 3 {
		k, secret, err := lookups.NewKeys(store, now).Create(ctx, by, lookups.NewKey{
			OrgID: org.ID, Name: fmt.Sprintf("Chave %d", i), Scopes: document.Types(),
			Limits: access.Limits{PerMinute: 1e8, PerDay: 1e8, PerMonth: 1e8},
		})
		if err != nil {
			return err
		}
		f.Keys = append(f.Keys, keyWithSecret{k.ID, secret.Reveal()})
	}
	for _, name := range []string{"Google", "Instagram", "Indicação"} {
		o, err := contacts.NewOrigins(store).Add(ctx, by, org.ID, name)
		if err != nil {
			return err
		}
		f.Origins = append(f.Origins, o.ID)
	}
	for i := range 20 {
		w, token, err := intakeapp.NewWebhooks(store, now).Create(ctx, by, intakeapp.NewWebhook{
			OrgID: org.ID, Name: fmt.Sprintf("Site %d", i), Options: intake.Options{Kind: intake.Generic},
		})
		if err != nil {
			return err
		}
		f.Hooks = append(f.Hooks, hook{w.ID, token.Reveal()})
	}
	funnels, err := store.Repos().Funnels.List(ctx, org.ID)
	if err == nil {
		f.Stages = funnels[0].Stages
	}
	return err
}

// fill adds lookups, oldest first, until the database has that many.
func (f *filling) fill(ctx context.Context, lookups int) error {
	store, err := f.open(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = store.Close() }()
	from := f.Lookups
	err = each(lookups-from, func(i int) error {
		at := f.Start.Add(span / time.Duration(lookups-from) * time.Duration(i))
		return f.lookup(ctx, store.Repos(), from+i, at)
	})
	if err != nil {
		return err
	}
	posts := (lookups - from) * 15 / 100
	began := time.Now().UTC().Add(-recent)
	err = each(posts, func(i int) error {
		at := began.Add(recent / time.Duration(max(posts, 1)) * time.Duration(i))
		return f.post(ctx, store.Repos(), from+i, at, i%3 == 2)
	})
	f.Lookups = lookups
	if err != nil {
		return err
	}
	// Like the program's chores over the days that the rows represent.
	if err := errors.Join(store.IndexContacts(ctx), store.CatchUp(ctx),
		store.FoldFigures(ctx, access.Calendar{Location: saoPaulo})); err != nil {
		return err
	}
	newest, err := store.Repos().Contacts.Page(ctx, f.Org, "", 1)
	if err != nil || len(newest) == 0 {
		return fmt.Errorf("no contact: %w", err)
	}
	f.Contact = newest[0].ID
	// Like autovacuum over those days.
	return errors.Join(f.onPostgres(ctx, "VACUUM ANALYZE"), f.save())
}

// onPostgres runs a statement on PostgreSQL, and does nothing on SQLite.
func (f *filling) onPostgres(ctx context.Context, sql string) error {
	if _, ok := engine.SQLitePath(f.url); ok {
		return nil
	}
	conn, err := pgx.Connect(ctx, f.url)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close(ctx) }()
	_, err = conn.Exec(ctx, sql)
	return err
}

// each calls do in order, several at a time.
func each(n int, do func(i int) error) error {
	var next atomic.Int64
	var wg sync.WaitGroup
	errs := make(chan error, writers)
	for range writers {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				err := do(i)
				for fault.CodeOf(err) == fault.ServiceUnavailable { // where the disk is busy
					err = do(i)
				}
				if err != nil {
					errs <- err
					return
				}
			}
		})
	}
	wg.Wait()
	close(errs)
	return <-errs
}

// lookup writes a charged lookup or, three times out of four, one answered from the history.
func (f *filling) lookup(ctx context.Context, r ports.Repos, i int, at time.Time) error {
	// Charged ones start a group; the others repeat one from an earlier group, whose answer is stored by now.
	group := i / 4
	if i%4 > 0 {
		group = max(0, group-writers)
	}
	product, doc := catalog.CPF, document.Restore(document.CPF, cpf(group))
	if group%7 == 0 {
		product = "obito"
	}
	e := lookup.Entry{
		ID: idAt(at), OrgID: f.Org, KeyID: f.Keys[i%2].ID, Product: product, Document: doc, At: at, Status: lookup.Done,
		Day: at.Format(time.DateOnly), Month: at.Format("2006-01"),
	}
	if i%10 == 9 {
		e.KeyID, e.MemberID = "", f.People[i%len(f.People)].ID
	}
	if i%4 > 0 {
		e.Cache, e.Day, e.Month = true, "", ""
		_, err := r.History.Serve(ctx, e, time.Time{})
		if errors.Is(err, ports.ErrNotFound) { // its answer is not stored yet
			return r.Statement.Add(ctx, e)
		}
		return err
	}
	e.Status, e.Charged, e.Amount = lookup.Running, true, 4500
	_, err := r.Calls.Begin(ctx, ports.Charge{
		Entry: e, Takes: time.Hour, Caps: access.Limits{PerDay: 1e9, PerMonth: 1e9},
	})
	if err != nil {
		return err
	}
	rec := lookup.Record{
		ID: idAt(at), OrgID: f.Org, Product: product, Document: doc, AnsweredAt: at, Found: true, Schema: "1",
		Fields: []byte(`{"nome":"` + name(i) + `"}`), Raw: []byte(`{"nome":"` + name(i) + `"}`),
	}
	e.Status, e.RecordID = lookup.Done, rec.ID
	_, err = r.Calls.End(ctx, ports.Outcome{Entry: e, Price: e.Amount, Record: &rec})
	return err
}

// post writes a post to a webhook: a contact, or a refusal.
func (f *filling) post(ctx context.Context, r ports.Repos, i int, at time.Time, refused bool) error {
	w := f.Hooks[i*i%len(f.Hooks)]
	d := webhook.Delivery{
		ID: idAt(at), OrgID: f.Org, WebhookID: w.ID, At: at, Outcome: webhook.Accepted,
		Body: []byte(`{"nome":"` + name(i) + `","email":"` + address(i) + `","telefone":"` + phone(i) + `"}`),
	}
	if refused {
		d.Outcome, d.Code, d.Reason = webhook.Refused, "email_invalido", "Falta o e-mail."
		_, err := r.Inbox.Take(ctx, ports.Arrival{Delivery: d})
		return err
	}
	c := crm.Contact{
		ID: idAt(at), OrgID: f.Org, WebhookID: w.ID, Name: name(i), Email: address(i), Phone: phone(i),
		PhoneE164: "+55" + phone(i), Company: "Padaria " + surname(i), Amount: catalog.Money(i%5000) * 10_000,
		Note: "Quero uma proposta.", OriginID: f.Origins[i%len(f.Origins)], StageID: f.Stages[i%len(f.Stages)].ID,
		AssigneeID: f.People[i%len(f.People)].ID, CreatedAt: at,
	}
	d.ContactID = c.ID
	_, err := r.Inbox.Take(ctx, ports.Arrival{Delivery: d, People: []ports.Newcomer{{
		Contact: c,
		Job: automation.Job{
			ID: idAt(at), OrgID: f.Org, Kind: automation.FanOut, ContactID: c.ID, State: automation.Done, RunAt: at,
			CreatedAt: at,
		},
	}}})
	return err
}

// idAt makes a UUIDv7 of a time.
func idAt(at time.Time) string {
	var u [16]byte
	_, _ = rand.Read(u[:])
	random := uint64(mathrand.Uint32() & 0xfff)
	binary.BigEndian.PutUint64(u[:], uint64(at.UnixMilli())<<16|0x7000|random)
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:])
}

var (
	firstNames = []string{"Ana", "João", "Maria", "José", "Luíza", "Antônio", "Beatriz", "Otávio", "Conceição", "Davi"}
	syllables  = []string{"al", "bar", "cor", "dan", "fer", "gui", "lim", "mon", "nas", "pra", "que", "ro", "sil", "tei", "vas"}
)

func name(i int) string { return firstNames[i%len(firstNames)] + " " + surname(i) }

// surname is a mostly unique name.
func surname(i int) string {
	text := ""
	for n := i*2654435761%1_000_003 + 15; n > 0; n /= len(syllables) {
		text += syllables[n%len(syllables)]
	}
	return "D" + text
}

func address(i int) string { return fmt.Sprintf("%s.%d@example.com", surname(i), i) }

func phone(i int) string { return fmt.Sprintf("119%08d", i*7919%100_000_000) }

// environment is the program's environment for this database.
func (f *filling) environment() []string {
	var keys []string
	for _, key := range f.Sealing {
		keys = append(keys, base64.StdEncoding.EncodeToString(key))
	}
	return []string{
		"FICHARIO_DATABASE_URL=" + f.url, "FICHARIO_DATA_KEY=" + strings.Join(keys, ","),
		"FICHARIO_LISTEN=127.0.0.1:0", "FICHARIO_LOG_FORMAT=json",
	}
}

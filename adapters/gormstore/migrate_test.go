package gormstore

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/access"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/lookup"
	"fichario/ports"
	"fichario/tests/testkit/patience"
)

// schemaOf describes tables, columns, indexes and the records of migrations and data keys.
func schemaOf(t *testing.T, s *Store) (lines []string) {
	t.Helper()
	queries := []string{"SELECT COALESCE(sql, name) FROM sqlite_master"}
	if s.Writer.Name() == "postgres" {
		queries = []string{
			`SELECT concat_ws(' ', table_name, column_name, data_type, is_nullable, column_default)
				FROM information_schema.columns WHERE table_schema = current_schema()`,
			"SELECT indexdef FROM pg_indexes WHERE schemaname = current_schema()",
		}
	}
	queries = append(queries, "SELECT CAST(version_id AS text) FROM goose_db_version", "SELECT id FROM data_keys")
	for _, query := range queries {
		var some []string
		if err := s.Writer.Raw(query).Scan(&some).Error; err != nil {
			t.Fatal(err)
		}
		lines = append(lines, some...)
	}
	slices.Sort(lines)
	return lines
}

func TestMigratingTwiceChangesNothing(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		before := schemaOf(t, s)
		if len(before) < 50 {
			t.Fatalf("%s: %d lines of schema", s.Writer.Name(), len(before))
		}
		if err := s.Migrate(t.Context()); err != nil {
			t.Fatal(err)
		}
		if after := schemaOf(t, s); !slices.Equal(after, before) {
			t.Errorf("%s: the schema is\n%v\nand was\n%v", s.Writer.Name(), after, before)
		}
	}
}

// TestSlowAKeyOfTheYear10000IsReadAgain has a key that expires on 9999-12-31 in a zone west of Greenwich, as earlier
// versions stored it.
func TestSlowAKeyOfTheYear10000IsReadAgain(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, keys := t.Context(), s.Repos().Keys
		org := crm.Organisation{ID: "01980000-0000-7000-8000-000000000001", Name: "Organização"}
		key := access.Key{ID: "01980000-0000-7000-8000-000000000002", OrgID: org.ID, Name: "Chave"}
		for _, err := range []error{
			s.Repos().Orgs.Create(ctx, org), keys.Create(ctx, key),
			s.Writer.Exec("UPDATE keys SET expires_at = '10000-01-01 03:00:00+00:00'").Error,
			undoFrom(s.Writer, 7),
			s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := keys.Find(ctx, ports.AnyOrg, key.ID)
		if want := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC); err != nil || !got.ExpiresAt.Equal(want) {
			t.Errorf("%s: it ends at %s, %v", s.Writer.Name(), got.ExpiresAt, err)
		}
		if list, err := keys.List(ctx, org.ID); err != nil || len(list) != 1 {
			t.Errorf("%s: a list of %d, %v", s.Writer.Name(), len(list), err)
		}
	}
}

// TestSlowFiguresBeginWithWhatThereIs has deliveries of a version that kept no figures.
func TestSlowFiguresBeginWithWhatThereIs(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, a := t.Context(), takeOne(t, s)
		for _, err := range []error{
			undoFrom(s.Writer, 10), s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if sums, err := s.Repos().Deliveries.Summaries(ctx, testID(1), a.Delivery.At); sums[testID(2)].Accepted != 1 {
			t.Errorf("%s: %v, %v", s.Writer.Name(), sums, err)
		}
		takeAgain := takenAt(a.Delivery.At, 20, "l")
		if _, err := s.Repos().Inbox.Take(ctx, takeAgain); err != nil {
			t.Fatal(err)
		}
		findings, err := s.Check(ctx, time.Now())
		for _, f := range findings {
			if f.Violations > 0 || err != nil {
				t.Errorf("%s: %s: %v, %v", s.Writer.Name(), f.Name, f.IDs, err)
			}
		}
	}
}

// made is what each migration creates, for undoing it.
var made = map[int][]string{
	26: {"TABLE batches", "TABLE batch_items", "TABLE bureau_pace"},
	8:  {"TABLE delivery_contacts"}, 10: {"TABLE delivery_hours"}, 11: {"TABLE lookup_hours"},
	12: {"TABLE contact_hours"}, 13: {"TABLE stage_totals"}, 14: {"TABLE spend_days"},
	16: {"TABLE contact_words", "TABLE contact_index", "TABLE IF EXISTS contact_trigrams"},
	9: {
		"INDEX lookups_key_product", "INDEX lookups_org_product", "INDEX lookups_members_product", "INDEX contacts_amount",
		"INDEX contacts_name", "INDEX contacts_origin", "INDEX contacts_webhook", "INDEX contacts_assignee",
	},
	31: {"INDEX lookups_member"}, 28: {"TABLE contact_documents"}, 29: {"TABLE told", "INDEX automations_event"},
	36: {"TABLE bundles"}, 44: {"TABLE purposes"}, 48: {"TABLE audit_lines", "TABLE audit_heads"},
	38: {"TABLE subject_keys", "TABLE subject_traces", "TABLE privacy_marks", "TABLE subject_blocks", "TABLE erasures"},
	55: {"TABLE identities"}, 78: {"TABLE erased_subjects"}, 59: {"INDEX jobs_dead", "INDEX jobs_waiting"},
	60: {"TABLE member_days", "INDEX lookups_member_product"}, 61: {"TABLE limit_changes"},
	62: {"TABLE lookup_requests"}, 80: {"TABLE bureau_orders", "TABLE bureau_outs", "TABLE bureau_days"},
	81:  {"TABLE bureau_matches"},
	100: {"TABLE charge_days"}, 99: {"TABLE key_refusals"}, 82: {"TABLE later_answers"}, 84: {"TABLE member_preferences"},
	87: {"TABLE lead_sources", "TABLE leads"},
	97: {"TABLE told_stages"}, 103: {"INDEX deliveries_refused"}, 107: {"INDEX contacts_of_assignee_in"},
	109: {"INDEX contacts_came", "TABLE webhook_names"}, 111: {"INDEX deliveries_unsettled"},
	49: {"TABLE tickets", "TABLE one_time_codes", "TABLE recovery_codes", "TABLE passkeys"},
	35: {"TABLE rotations", "TABLE rotation_members", "TABLE rotation_turns", "TABLE rotation_counts",
		"TABLE first_answers"},
	34: {"TABLE bulk_items", "TABLE bulk_actions"},
	33: {"TABLE removed_contacts", "INDEX contacts_email", "INDEX contacts_phone"},
	30: {"INDEX IF EXISTS batch_items_invalid"}, // its table may be gone already
	20: {"INDEX IF EXISTS spend_days_open"},     // its table may be gone already
	115: { // their tables may be gone already
		"INDEX IF EXISTS delivery_hours_counting", "INDEX IF EXISTS lookup_hours_counting",
		"INDEX IF EXISTS contact_hours_counting", "INDEX IF EXISTS delivery_hours_daily",
		"INDEX IF EXISTS lookup_hours_daily", "INDEX IF EXISTS contact_hours_daily",
	},
}

// undo57 undoes a migration that replaced indexes.
var undo57 = []string{
	"DROP INDEX IF EXISTS contacts_who_wait_in", "DROP INDEX contacts_who_wait", "DROP INDEX contacts_of_webhook",
	"DROP INDEX contacts_of_origin", "DROP INDEX contacts_of_assignee",
	"CREATE INDEX contacts_waiting ON contacts (org_id, id) WHERE waiting",
	"CREATE INDEX contacts_webhook ON contacts (webhook_id, id)",
	"CREATE INDEX contacts_origin ON contacts (origin_id, id)",
	"CREATE INDEX contacts_assignee ON contacts (assignee_id, id)",
}

// madeTriggers are the triggers that migrations make, with their tables and versions.
var madeTriggers = map[string]struct {
	table   string
	version int
}{
	"contact_documents_come": {"contacts", 28}, "contact_documents_change": {"contacts", 28},
	"contact_documents_go": {"contacts", 28},
	"member_days_come":     {"lookups", 60}, "member_days_change": {"lookups", 60},
	"charge_days_come": {"lookups", 100}, "charge_days_change": {"lookups", 100},
}

// TestWhatAPostWritesSaysWhoseItIs, as it is written and after the migration that has added it: posts of one person and
// of two, by turns.
func TestWhatAPostWritesSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, a := t.Context(), takeOne(t, s)
		rotation := crm.Rotation{ID: testID(90), OrgID: testID(1), Name: "Vendas", CreatedAt: a.Delivery.At}
		if err := s.Repos().Rotations.Create(ctx, rotation); err != nil {
			t.Fatal(err)
		}
		for i, keys := range [][]string{{"m"}, {"n", "o"}} {
			post := takenAt(a.Delivery.At, 20+10*i, keys...)
			for j := range post.People {
				post.People[j].RotationID, post.People[j].Sequence = rotation.ID, []string{testID(91)}
			}
			if _, err := s.Repos().Inbox.Take(ctx, post); err != nil {
				t.Fatal(err)
			}
		}
		allOwned(t, s, "written", addedBy(112)...)
		if err := errors.Join(undoFrom(s.Writer, 112), s.Migrate(ctx)); err != nil {
			t.Fatal(err)
		}
		allOwned(t, s, "migrated", addedBy(112)...)
	}
}

// TestWhatALookupWritesSaysWhoseItIs: a charged one with an idempotency key that reaches a cap, whose limit is then
// changed; and what is told once about an organisation.
func TestWhatALookupWritesSaysWhoseItIs(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, repos, at := t.Context(), s.Repos(), takeOne(t, s).Delivery.At
		d, err := document.Parse(document.CPF, "52998224725")
		entry := lookup.Entry{
			ID: testID(92), OrgID: testID(1), KeyID: testID(93), Product: "cpf", Document: d, At: at, Charged: true,
			Amount: 4500, Status: lookup.Running, Day: "2026-11-20", Month: "2026-11",
		}
		_, err2 := repos.LookupRequests.Claim(ctx, ports.LookupRequest{
			OrgID: entry.OrgID, KeyID: entry.KeyID, Name: "a", LookupID: entry.ID, At: at, Begins: time.Hour,
			Lasts: time.Hour,
		})
		key := access.Key{ID: entry.KeyID, OrgID: entry.OrgID, Name: "k", Prefix: "fch_a", CreatedAt: at}
		key.Limits = access.Limits{PerDay: 1, PerMonth: 9}
		err = errors.Join(err, err2, repos.Keys.Create(ctx, key))
		_, err2 = repos.Calls.Begin(ctx, ports.Charge{Entry: entry, Shared: true, RequestName: "a", Takes: time.Minute})
		err = errors.Join(err, err2, s.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			cut := crm.Notification{ID: testID(94), OrgID: key.OrgID, Kind: crm.ChainCut, At: at}
			_, err := r.Notifications.CreateOnce(ctx, cut, key.OrgID, "cadeia:2026-11-20")
			return errors.Join(err, r.Usage.LimitChanged(ctx, key.OrgID, key.ID))
		}))
		if err != nil {
			t.Fatal(err)
		}
		allOwned(t, s, "written", "leases", "lookup_requests", "key_usage", "limit_changes", "told")
		if err := errors.Join(undoFrom(s.Writer, 113), s.Migrate(ctx)); err != nil {
			t.Fatal(err)
		}
		allOwned(t, s, "migrated", "key_usage", "limit_changes", "told")
	}
}

// addedBy are the tables to which a migration adds an organisation.
func addedBy(version int) (tables []string) {
	for column, of := range madeColumns {
		if table, name, _ := strings.Cut(column, "."); of == version && name == "org_id" {
			tables = append(tables, table)
		}
	}
	return tables
}

// allOwned fails where a table has no row, or one that does not say whose it is.
func allOwned(t *testing.T, s *Store, when string, tables ...string) {
	t.Helper()
	for _, table := range tables {
		var rows, owned int64
		err := s.Writer.Raw("SELECT COUNT(*), COUNT(org_id) FROM "+table).Row().Scan(&rows, &owned)
		if err != nil || rows == 0 || owned < rows {
			t.Errorf("%s, %s: %d of %d rows of %s say whose they are, %v", s.Writer.Name(), when, owned, rows, table, err)
		}
	}
}

// undoFrom undoes a migration and all later ones, as far as made knows them.
func undoFrom(db *gorm.DB, from int) error {
	for name, trigger := range madeTriggers {
		if from > trigger.version {
			continue
		}
		drop := "DROP TRIGGER " + name
		if db.Name() == "postgres" {
			drop += " ON " + trigger.table
		}
		if db.Name() == "sqlite" && strings.HasSuffix(name, "_come") { // 110 has removed it
			continue
		}
		if err := db.Exec(drop).Error; err != nil {
			return err
		}
	}
	for _, undo := range undo57 {
		if from > 57 {
			break
		}
		if err := db.Exec(undo).Error; err != nil {
			return err
		}
	}
	if from <= 19 && db.Name() == "postgres" {
		if err := undivided(db); err != nil {
			return err
		}
	}
	for index, version := range map[string]int{ // of columns to be dropped
		"contacts_waiting": 35, "lookups_org_purpose": 45, "lookups_key_purpose": 45, "sessions_id": 49,
		"lookups_member_purpose": 60, "jobs_turn": 70, "records_of": 83, "batches_request_hash": 104,
		"contacts_waiting_in": 116,
	} {
		if from > version {
			continue
		}
		if err := db.Exec("DROP INDEX " + index).Error; err != nil {
			return err
		}
	}
	for column, version := range madeColumns {
		if version >= from {
			table, name, _ := strings.Cut(column, ".")
			if err := db.Exec("ALTER TABLE " + table + " DROP COLUMN " + name).Error; err != nil {
				return err
			}
		}
	}
	for version, all := range made {
		for _, what := range all {
			if version >= from {
				if err := db.Exec("DROP " + what).Error; err != nil {
					return err
				}
			}
		}
	}
	return db.Exec("DELETE FROM goose_db_version WHERE version_id >= ?", from).Error
}

// madeColumns are the columns that migrations add, with their versions.
var madeColumns = map[string]int{
	"lookups.bureau": 80, "lookups.followed_id": 80, "lookups.compared": 80, "lookups.spare": 80,
	"lookups.others": 80, "lookups.inputs": 80, "records.inputs": 80,
	"records.of_id": 83, "records.question_id": 101,
	"lookups.spare_calls": 80, "records.bureau": 80, "records.sources": 80,
	"batches.payer_key_id": 61, "batches.payer_member_id": 61, "batches.sheets": 75,
	"batches.request_hash": 104, "batches.body_hash": 104,
	"lookups.purpose": 44, "records.purpose": 44, "keys.purposes": 44, "keys.networks": 44, "batches.purpose": 44,
	"organisations.own_history": 44,
	"webhooks.email_key":        86,
	"contact_events.member_id":  114,
	"leases.org_id":             113, "lookup_requests.org_id": 113, "key_usage.org_id": 113, "limit_changes.org_id": 113,
	"told.org_id": 113, "bureau_days.org_id": 113,
	"receipts.org_id": 112, "webhook_counters.org_id": 112, "delivery_hours.org_id": 112, "delivery_contacts.org_id": 112,
	"stage_totals.org_id": 112, "rotation_turns.org_id": 112, "rotation_counts.org_id": 112,
	"first_answers.within_5m": 95, "first_answers.within_15m": 95, "first_answers.within_1h": 95,
	"first_answers.within_4h": 95, "first_answers.within_1d": 95, "first_answers.within_3d": 95, "first_answers.longer": 95,
	"webhooks.rotation_id": 35, "contacts.waiting": 35,
	"webhooks.verify_token": 87,
	"contacts.consents":     96, "erasures.told": 97, "erasures.contacts": 102,
	"sessions.id": 49, "sessions.device": 49, "sessions.address": 49, "members.second_factor": 49,
	"sessions.factor_elsewhere":   55,
	"organisations.second_factor": 49,
	"lookups.batch_id":            25, "lookups.automation_id": 25, "organisations.member_batch_limit": 26,
	"members.budget":     31,
	"contacts.documents": 28, "contacts.doc_index": 28, "jobs.event": 29, "jobs.subject_id": 29, "jobs.detail": 29,
	"jobs.trail": 29, "jobs.lookups": 58, "jobs.facts": 70, "jobs.place": 70, "automations.condition": 29,
	"notifications.batch_id": 30,
}

// TestSlowAKilledMigrationGoesOn: an index that PostgreSQL was building is left behind invalid when the run is killed.
func TestSlowAKilledMigrationGoesOn(t *testing.T) {
	t.Parallel()
	s := each(t)[1]
	broken := "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'lookups_org_product'::regclass"
	for _, err := range []error{
		undoFrom(s.Writer, 10), s.Writer.Exec(broken).Error, s.Writer.Exec("DROP INDEX lookups_members_product").Error,
		s.Writer.Exec("DELETE FROM goose_db_version WHERE version_id = 9").Error, s.Migrate(t.Context()),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	var valid []bool
	err := s.Writer.Raw("SELECT indisvalid FROM pg_index WHERE indrelid = 'lookups'::regclass").Scan(&valid).Error
	if err != nil || len(valid) < 9 || slices.Contains(valid, false) {
		t.Errorf("the indexes are valid: %v, %v", valid, err)
	}
}

// TestSlowAMigrationHoldsNobodyUp has migrations that wait for a table which a long transaction reads, as pg_dump does:
// who uses the table meanwhile does not wait for them, and they go on afterwards. 113 has no transaction, 114 has one.
func TestSlowAMigrationHoldsNobodyUp(t *testing.T) {
	t.Parallel()
	for table, version := range map[string]int{"leases": 113, "contact_events": 114} {
		s := each(t)[1]
		ctx := t.Context()
		if err := undoFrom(s.Writer, version); err != nil {
			t.Fatal(err)
		}
		dump := s.Writer.Begin()
		defer dump.Rollback()
		if err := dump.Exec("LOCK TABLE " + table + " IN ACCESS SHARE MODE").Error; err != nil {
			t.Fatal(err)
		}
		migrated := make(chan error, 1)
		go func() { migrated <- s.Migrate(ctx) }()
		waits := func() (n int) {
			s.Reader.Raw(`SELECT count(*) FROM pg_locks WHERE NOT granted AND relation = ?::regclass`, table).Scan(&n)
			return n
		}
		patience.Until(t, "the migration waits for the table", func() bool { return waits() > 0 })
		used := make(chan error, 1)
		go func() { used <- s.Writer.Exec("SELECT count(*) FROM " + table).Error }()
		var err error
		patience.Until(t, table+" is used", func() bool {
			select {
			case err = <-used:
				return true
			default:
				return false
			}
		})
		if err := errors.Join(err, dump.Rollback().Error, <-migrated); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSlowASessionOfBeforeHasAName: a session from before the upgrade survives it, and can be ended.
func TestSlowASessionOfBeforeHasAName(t *testing.T) {
	t.Parallel()
	for _, s := range each(t) {
		ctx, repos, at := t.Context(), s.Repos(), time.Now().UTC()
		token, other := access.NewSessionToken(), access.NewSessionToken()
		hash, hash2 := token.Hash(), other.Hash()
		insert := "INSERT INTO sessions (hash, member_id, created_at, seen_at) VALUES (?, ?, ?, ?)"
		for _, err := range []error{
			repos.Orgs.Create(ctx, crm.Organisation{ID: testID(1), Name: "Organização"}),
			repos.Members.Create(ctx, crm.Member{ID: testID(2), OrgID: testID(1), Email: "ana@x.example", Active: true}),
			undoFrom(s.Writer, 49),
			s.Writer.Exec(insert, engine.Blob(hash[:]), testID(2), at, at).Error,
			s.Writer.Exec(insert, engine.Blob(hash2[:]), testID(2), at, at).Error,
			s.Migrate(ctx),
		} {
			if err != nil {
				t.Fatal(s.Writer.Name(), err)
			}
		}
		one, _, err := repos.Sessions.Find(ctx, token)
		two, _, err2 := repos.Sessions.Find(ctx, other)
		if err != nil || err2 != nil || len(one.ID) != 36 || one.ID == two.ID {
			t.Errorf("%s: %q and %q, %v, %v", s.Writer.Name(), one.ID, two.ID, err, err2)
		}
		if err := repos.SessionEnds.EndByID(ctx, testID(2), one.ID); err != nil {
			t.Errorf("%s: %v", s.Writer.Name(), err)
		}
	}
}

package persons

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/lookups"
	privacyrows "fichario/adapters/gormstore/privacy"
	"fichario/domain/crm"
	"fichario/domain/privacy"
	"fichario/ports"
)

type subjects struct {
	engine.Conn
	store *engine.Engine
}

const (
	// opensFirst is how many rows of an unindexed table are opened first, and opensMost how many at most before Traces
	// tells what it has found: few, because each may hold a megabyte, and twice as many each time, because most do not.
	opensFirst, opensMost = 8, 128
	// opensWithin is after how long no more are opened.
	opensWithin = 200 * time.Millisecond
)

func (r subjects) Contacts(
	ctx context.Context, orgID string, i privacy.Identity, before string, limit int,
) (out []crm.Contact, err error) {
	for _, spelt := range i.Spellings() { // one at a time, so that each walks the index
		i.Value = spelt
		some, err := r.contactsBy(ctx, orgID, i, cmp.Or(before, engine.AfterAll), limit)
		if err != nil {
			return nil, err
		}
		out = append(out, some...)
	}
	slices.SortFunc(out, func(a, b crm.Contact) int { return cmp.Compare(b.ID, a.ID) })
	return out[:min(limit, len(out))], nil
}

// contactsBy returns contacts by one spelling of an identity, the newest before an id first.
func (r subjects) contactsBy(
	ctx context.Context, orgID string, i privacy.Identity, before string, limit int,
) (out []crm.Contact, err error) {
	err = r.Query(ctx, "subjects.contacts", func(db *gorm.DB) error {
		same := db.Where("org_id = ?", orgID)
		switch i.Type {
		case privacy.Plate:
			return nil
		case privacy.Phone:
			same = same.Where("phone_e164 = ? AND phone_e164 <> '' AND id < ?", i.Value, before)
		case privacy.Email:
			same = same.Where(contacts.ByEmail(db, "contacts")+" = "+contacts.Lowered(db, "?")+" AND id < ?", i.Value, before)
		case privacy.CPF, privacy.CNPJ:
			var ids []string
			err := db.Session(&gorm.Session{NewDB: true}).Model(&contacts.ContactDocumentRow{}).
				Where("org_id = ? AND contact_id < ?", orgID, before).
				Where("doc_index IN ?", r.store.Vault.Indexes(contacts.ContactDocumentText(orgID, i.Document()))).
				Order("contact_id DESC").Limit(limit).Pluck("contact_id", &ids).Error
			if err != nil || len(ids) == 0 {
				return err
			}
			same = same.Where("id IN ?", ids)
		}
		var rows []contacts.ContactRow
		err := same.Order("id DESC").Limit(limit).Find(&rows).Error
		out = engine.Mapped(rows, engine.With(r.store.Vault, contacts.ContactOf))
		return err
	})
	return out, err
}

func (r subjects) Merged(
	ctx context.Context, orgID string, i privacy.Identity,
) (out []ports.MergedContact, err error) {
	hashes, err := r.Hashes(ctx, orgID, i)
	if err != nil {
		return nil, err
	}
	err = r.Query(ctx, "subjects.merged", func(db *gorm.DB) error {
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
		var ids []string
		err := fresh().Model(&privacyrows.TraceRow{}).Where("subject IN ? AND kind = ?", hashes,
			privacyrows.MergedTrace).Pluck("row_id", &ids).Error
		if err != nil {
			return err
		}
		var rows []contacts.RemovedRow // few rows: they are kept for a month
		err = fresh().Where("content IS NOT NULL AND org_id = ? AND into_id IS NOT NULL", orgID).Order("at").Find(&rows).Error
		if err != nil {
			return err
		}
		for _, row := range rows {
			if slices.Contains(contacts.KnownBy(contacts.RemovalOf(r.store.Vault, row).Contact), i) {
				ids = append(ids, string(row.ID))
			}
		}
		for _, id := range ids {
			into, err := contacts.Survivor(db, orgID, engine.UID(id))
			if errors.Is(err, ports.ErrNotFound) {
				continue
			}
			var rows []contacts.ContactRow
			if err == nil {
				err = fresh().Find(&rows, "id = ? AND org_id = ?", into, orgID).Error
			}
			if err != nil {
				return err
			}
			for _, row := range rows { // none, where it was removed meanwhile
				out = append(out, ports.MergedContact{ID: id, Into: contacts.ContactOf(r.store.Vault, row)})
			}
		}
		return nil
	})
	return out, err
}

// Traces walks the index of people, the known contacts, or a table that is small because its rows expire.
func (r subjects) Traces(
	ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
) (ids []string, next string, err error) {
	switch k.Found() {
	case privacy.ByIndex:
		if ids, err = r.indexed(ctx, p, k, after, limit); err == nil && len(ids) == limit {
			next = ids[len(ids)-1]
		}
		return ids, next, err
	case privacy.ByContact:
		of := slices.Sorted(slices.Values(map[privacy.Kind][]string{privacy.Contacts: p.Contacts, privacy.Parts: p.Parts}[k]))
		n, _ := slices.BinarySearch(of, after+"0") // the first after it
		if of = of[n:]; len(of) > limit {
			of, next = of[:limit], of[limit-1]
		}
		if k == privacy.Parts {
			return of, next, nil
		}
		ids, err = r.there(ctx, p.OrgID, of)
		return ids, next, err
	case privacy.ByOpening, privacy.ByOpeningAgain, privacy.WithAnother:
	}
	f := finding{r, p, make(map[string]bool, len(p.Contacts))}
	for _, id := range p.Contacts {
		f.mine[id] = true
	}
	begun := time.Now()
	for rows := opensFirst; ; rows *= 2 {
		some, end, err := f.scan(ctx, keeperOf(k), after, rows)
		if err != nil {
			return nil, "", err
		}
		ids, after = append(ids, some...), end
		if end == "" || len(ids) >= limit || rows >= opensMost || time.Since(begun) > opensWithin {
			return ids, end, nil
		}
	}
}

// scan opens the next rows after one, and returns those about the person, by id, and the last one's id if there are
// more.
func (f finding) scan(ctx context.Context, kept keeper, after string, rows int) (ids []string, next string, err error) {
	err = f.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
		fresh := func() *gorm.DB { return db.Session(&gorm.Session{NewDB: true}) }
		step := fresh().Table(kept.table).Where("id > ?", cmp.Or(after, engine.BeforeAll)).Order("id").
			Offset(rows - 1).Limit(1)
		if kept.indexed || engine.Distributed(db) {
			step = step.Where(kept.within, f.p.OrgID)
		}
		var ends []string
		if err := step.Pluck("id", &ends).Error; err != nil {
			return err
		}
		next = slices.Max(append(ends, ""))
		some := fresh().Where("id > ? AND id <= ?", cmp.Or(after, engine.BeforeAll), cmp.Or(next, engine.AfterAll)).
			Where(kept.within, f.p.OrgID).Order("id")
		ids, err = kept.about(f, some)
		slices.Sort(ids)
		return err
	})
	return ids, next, err
}

// indexed returns rows from the index of people, each once.
func (r subjects) indexed(
	ctx context.Context, p *privacy.Person, k privacy.Kind, after string, limit int,
) (ids []string, err error) {
	hashes, err := r.Hashes(ctx, p.OrgID, p.Identities...)
	if err != nil || len(hashes) == 0 {
		return nil, err
	}
	for of := range slices.Chunk(hashes, privacyrows.HashesAtOnce) { // what takes long is several operations
		err := r.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
			for _, hash := range of { // one at a time, so that each walks the primary key
				var some []string
				err := db.Session(&gorm.Session{NewDB: true}).Model(&privacyrows.TraceRow{}).
					Where("subject = ? AND kind = ? AND row_id > ?", hash, string(k), cmp.Or(after, engine.BeforeAll)).
					Order("row_id").Limit(limit).Pluck("row_id", &some).Error
				if err != nil {
					return err
				}
				ids = append(ids, some...)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(ids)
	ids = slices.Compact(ids)
	return ids[:min(limit, len(ids))], nil
}

// there returns those of some contacts that still exist.
func (r subjects) there(ctx context.Context, orgID string, of []string) (ids []string, err error) {
	err = r.Query(ctx, "subjects.traces", func(db *gorm.DB) error {
		if len(of) == 0 {
			return nil
		}
		return engine.Routed(orgID)(contacts.Inside(db)).Where("id IN ?", of).Order("id").Pluck("id", &ids).Error
	})
	return ids, err
}

func (r subjects) Answers(ctx context.Context, orgID string, lookupIDs []string) (ids []string, err error) {
	if lookupIDs = engine.Given(lookupIDs); len(lookupIDs) == 0 {
		return nil, nil
	}
	err = r.Query(ctx, "subjects.answers", func(db *gorm.DB) error {
		fresh := db.Session(&gorm.Session{NewDB: true})
		err := engine.Routed(orgID)(db.Model(&lookups.LookupRow{})).
			Where("id IN ? AND NOT cache AND record_id IS NOT NULL", lookupIDs).
			Where("id BETWEEN ? AND ?", slices.Min(lookupIDs), slices.Max(lookupIDs)).Pluck("record_id", &ids).Error
		var parts []string
		if err == nil && len(ids) > 0 {
			err = engine.Routed(orgID)(fresh.Model(&lookups.RecordRow{})).Where("of_id IN ?", ids).Pluck("id", &parts).Error
		}
		ids = append(ids, parts...)
		return err
	})
	return ids, err
}

func (r subjects) Read(ctx context.Context, orgID string, k privacy.Kind, ids []string) ([]any, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	kept := keeperOf(k)
	own := func(db *gorm.DB) *gorm.DB {
		if engine.Distributed(db) {
			return db.Where(kept.within, orgID)
		}
		return db
	}
	return kept.read(ctx, r, own, engine.Where("id IN ?", ids),
		engine.Where("id BETWEEN ? AND ?", slices.Min(ids), slices.Max(ids)), engine.Order("id"))
}

func (r subjects) KeyID(ctx context.Context) (string, error) {
	secret, err := r.store.SubjectSecret(ctx)
	sum := sha256.Sum256(append([]byte("id|"), secret...))
	return hex.EncodeToString(sum[:4]), err
}

func (r subjects) Hashes(ctx context.Context, orgID string, identities ...privacy.Identity) ([][]byte, error) {
	secret, err := r.store.SubjectSecret(ctx)
	return engine.Mapped(identities, func(i privacy.Identity) []byte { return engine.SubjectHash(secret, orgID, i) }), err
}

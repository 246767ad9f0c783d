package gormstore

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"fichario/domain/crm"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

type webhooks struct {
	conn
	vault *vault
	open  *together[opening, opened]
}

func (v *vault) webhookRow(w webhook.Webhook) webhookRow {
	return webhookRow{
		ID: uid(w.ID), OrgID: uid(w.OrgID), Name: w.Name, Kind: string(w.Kind), Band: string(w.Band), Enabled: w.Enabled,
		OriginID: optional(w.OriginID), Scheme: string(w.Signature.Scheme),
		Secret: v.seal([]byte(w.Signature.Secret), "webhooks|secret|"+w.ID), ThanksURL: w.ThanksURL, CreatedAt: stamp(w.CreatedAt),
	}
}

func (v *vault) webhook(row webhookRow) (webhook.Webhook, error) {
	secret, err := v.open(row.Secret, "webhooks|secret|"+string(row.ID))
	return webhook.Webhook{
		ID: string(row.ID), OrgID: string(row.OrgID), Name: row.Name, Options: intake.Options{Kind: intake.Kind(row.Kind), Band: intake.Band(row.Band)},
		Enabled: row.Enabled, OriginID: row.OriginID.text(), Signature: webhook.Signature{Scheme: webhook.Scheme(row.Scheme), Secret: string(secret)},
		ThanksURL: row.ThanksURL, CreatedAt: row.CreatedAt.UTC(),
	}, err
}

func (r webhooks) Create(ctx context.Context, w webhook.Webhook, t webhook.Token) error {
	row, hash := r.vault.webhookRow(w), t.Hash()
	row.Token = r.vault.seal([]byte(t.Reveal()), "webhooks|token|"+w.ID)
	return r.exec(ctx, func(db *gorm.DB) error {
		if err := db.Create(&row).Error; err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(w.ID)}).Error
	})
}

// countedRow is a webhook with the sum of its counter's slots.
type countedRow struct {
	Webhook  webhookRow `gorm:"embedded"`
	Received int64
}

func counted(db *gorm.DB) *gorm.DB {
	return db.Table("webhooks").Select(`webhooks.*, (SELECT COALESCE(SUM(received), 0) FROM webhook_counters WHERE webhook_id = webhooks.id) AS received`)
}

func (r webhooks) Find(ctx context.Context, id string) (webhook.Webhook, webhook.Token, error) {
	var row countedRow
	err := r.query(ctx, func(db *gorm.DB) error {
		if r.tx {
			db = db.Clauses(clause.Locking{Strength: "UPDATE"}) // SQLite has one writer
		}
		return counted(db).Take(&row, "id = ?", id).Error
	})
	if err != nil {
		return webhook.Webhook{}, webhook.Token{}, err
	}
	w, err := r.vault.webhook(row.Webhook)
	if err != nil {
		return w, webhook.Token{}, err
	}
	w.Received = row.Received
	text, err := r.vault.open(row.Webhook.Token, "webhooks|token|"+id)
	token, _ := webhook.ParseToken(string(text))
	return w, token, err
}

func (r webhooks) List(ctx context.Context, orgID string) ([]webhook.Webhook, error) {
	var rows []countedRow
	err := r.query(ctx, func(db *gorm.DB) error { return counted(db).Order("id").Find(&rows, "org_id = ?", orgID).Error })
	if err != nil {
		return nil, err
	}
	out := make([]webhook.Webhook, len(rows))
	for i, row := range rows {
		if out[i], err = r.vault.webhook(row.Webhook); err != nil {
			return nil, err
		}
		out[i].Received = row.Received
	}
	return out, nil
}

func (r webhooks) Update(ctx context.Context, w webhook.Webhook) error {
	row := r.vault.webhookRow(w)
	return r.changing(ctx, w.OrgID, func(db *gorm.DB) error {
		changed := db.Model(&webhookRow{}).Where("id = ?", w.ID).
			Select("name", "kind", "band", "enabled", "origin_id", "scheme", "secret", "thanks_url").Updates(&row)
		if changed.Error == nil && changed.RowsAffected == 0 {
			return ports.ErrNotFound
		}
		return changed.Error
	})
}

func (r webhooks) SetToken(ctx context.Context, webhookID string, t webhook.Token, endOthers time.Time) error {
	hash, end := t.Hash(), stamp(endOthers)
	sealed := r.vault.seal([]byte(t.Reveal()), "webhooks|token|"+webhookID)
	return r.exec(ctx, func(db *gorm.DB) error {
		// The webhook's row first: whoever else gives it a token waits, and then ends
		// this one too.
		if err := db.Model(&webhookRow{}).Where("id = ?", webhookID).Update("token", sealed).Error; err != nil {
			return err
		}
		err := db.Model(&tokenRow{}).Where("webhook_id = ? AND (ends_at IS NULL OR ends_at > ?)", webhookID, end).Update("ends_at", end).Error
		if err != nil {
			return err
		}
		return db.Create(&tokenRow{Hash: hash[:], WebhookID: uid(webhookID)}).Error
	})
}

// opening is a token that somebody posts to.
type opening struct {
	hash string
	at   time.Time
}

// opened is the webhook behind it, or why there is none.
type opened struct {
	hook ports.Hook
	err  error
}

// Open implements ports.Webhooks. Every post asks whether the token still opens the
// webhook and whether anything around it has changed; the posts of a moment ask
// together. What has not changed is remembered.
func (r webhooks) Open(ctx context.Context, t webhook.Token, now time.Time) (ports.Hook, error) {
	hash := t.Hash()
	found, err := r.open.call(ctx, opening{hash: string(hash[:]), at: stamp(now)})
	if err == nil {
		err = found.err
	}
	return found.hook, err
}

// knownHook is a webhook with what is around it, as it was at an epoch of its
// organisation.
type knownHook struct {
	opened
	epoch int64
	read  time.Time
}

// hookTTL bounds how long a change is overlooked that somebody makes past the
// repositories, with SQL of his own.
const hookTTL = time.Second

func (s *Store) openHooks(ctx context.Context, asked []opening) ([]opened, error) {
	db := s.read.WithContext(ctx)
	byHash := make(map[string]*tokenAt, len(asked))
	hashes := make([][]byte, 0, len(asked))
	for _, a := range asked {
		if _, ok := byHash[a.hash]; !ok {
			byHash[a.hash] = nil
			hashes = append(hashes, []byte(a.hash))
		}
	}
	var tokens []tokenAt
	err := db.Raw(`SELECT t.hash, t.ends_at, t.webhook_id, o.epoch FROM webhook_tokens t
		JOIN webhooks w ON w.id = t.webhook_id JOIN organisations o ON o.id = w.org_id WHERE t.hash IN ?`, hashes).Scan(&tokens).Error
	if err != nil {
		return nil, err
	}
	hooks := map[uid]*knownHook{}
	var changed []uid
	for i, t := range tokens {
		byHash[string(t.Hash)] = &tokens[i]
		if hooks[t.WebhookID] = s.hook(t.WebhookID, t.Epoch); hooks[t.WebhookID] == nil {
			changed = append(changed, t.WebhookID)
		}
	}
	if err := s.readHooks(db, changed, tokens, hooks); err != nil {
		return nil, err
	}
	out := make([]opened, len(asked))
	for i, a := range asked {
		out[i].err = ports.ErrNotFound
		if t := byHash[a.hash]; t != nil && (t.EndsAt == nil || t.EndsAt.After(a.at)) {
			if h := hooks[t.WebhookID]; h != nil {
				out[i] = h.opened
			}
		}
	}
	return out, nil
}

// tokenAt is a token at an epoch of its organisation.
type tokenAt struct {
	Hash      []byte
	EndsAt    *time.Time
	WebhookID uid
	Epoch     int64
}

// hook returns a webhook that is known at an epoch; nil when it must be read.
func (s *Store) hook(id uid, epoch int64) *knownHook {
	if v, ok := s.known.Load(id); ok {
		if h := v.(*knownHook); h.epoch == epoch && time.Since(h.read) < hookTTL { //nolint:forcetypeassert // only these are stored
			return h
		}
	}
	return nil
}

// readHooks reads webhooks with what is around them, and remembers them.
func (s *Store) readHooks(db *gorm.DB, ids []uid, tokens []tokenAt, into map[uid]*knownHook) error {
	if len(ids) == 0 {
		return nil
	}
	var rows []webhookRow
	if err := db.Find(&rows, "id IN ?", ids).Error; err != nil {
		return err
	}
	var orgIDs []uid
	around := map[uid]*ports.Hook{}
	for _, row := range rows {
		if around[row.OrgID] == nil {
			around[row.OrgID] = &ports.Hook{}
			orgIDs = append(orgIDs, row.OrgID)
		}
	}
	if err := s.surround(db, orgIDs, around); err != nil {
		return err
	}
	for _, row := range rows {
		h := &knownHook{read: time.Now()}
		h.hook = *around[row.OrgID]
		h.hook.Webhook, h.err = s.vault.webhook(row)
		for _, t := range tokens {
			if t.WebhookID == row.ID {
				h.epoch = t.Epoch // as it was before what was read
			}
		}
		into[row.ID] = h
		s.known.Store(row.ID, h)
	}
	return nil
}

// surround reads what posts to the webhooks of some organisations need to know.
func (s *Store) surround(db *gorm.DB, orgIDs []uid, into map[uid]*ports.Hook) error {
	if len(orgIDs) == 0 {
		return nil
	}
	var entries []struct {
		OrgID, ID     uid
		Funnel, Stage string
	}
	err := db.Raw("SELECT f.org_id, f.name AS funnel, s.id, s.name AS stage FROM funnels f JOIN stages s ON s.funnel_id = f.id WHERE f.org_id IN ? AND f.is_default AND s.position = 0", orgIDs).
		Scan(&entries).Error
	if err != nil {
		return err
	}
	for _, e := range entries {
		into[e.OrgID].Funnel, into[e.OrgID].Entry = e.Funnel, crm.Stage{ID: string(e.ID), Name: e.Stage}
	}
	var people []memberRow
	if err := db.Raw("SELECT id, org_id, name, role, active, created_at FROM members WHERE org_id IN ? AND active", orgIDs).Scan(&people).Error; err != nil {
		return err
	}
	for _, m := range people {
		into[m.OrgID].Members = append(into[m.OrgID].Members, m.member())
	}
	var known []originRow
	if err := db.Raw("SELECT id, org_id, name FROM origins WHERE org_id IN ?", orgIDs).Scan(&known).Error; err != nil {
		return err
	}
	for _, o := range known {
		into[o.OrgID].Origins = append(into[o.OrgID].Origins, o.origin())
	}
	return nil
}

type deliveries struct {
	conn
	vault *vault
}

// deliveryRow seals headers and body as one value: the length of the former, the
// former, the latter.
func (v *vault) deliveryRow(d webhook.Delivery) deliveryRow {
	headers, err := json.Marshal(d.Headers)
	if err != nil {
		panic(err) // they are texts
	}
	content := binary.AppendUvarint(make([]byte, 0, 4+len(headers)+len(d.Body)), uint64(len(headers)))
	content = append(append(content, headers...), d.Body...)
	return deliveryRow{
		ID: uid(d.ID), OrgID: uid(d.OrgID), WebhookID: uid(d.WebhookID), At: stamp(d.At), Outcome: string(d.Outcome), Code: d.Code, Reason: d.Reason,
		ContactID: optional(d.ContactID), Content: v.seal(content, "deliveries|content|"+d.ID), Truncated: d.Truncated, ReplayOf: optional(d.ReplayOf),
	}
}

func (v *vault) delivery(row deliveryRow) (webhook.Delivery, error) {
	d := webhook.Delivery{
		ID: string(row.ID), OrgID: string(row.OrgID), WebhookID: string(row.WebhookID), At: row.At.UTC(), Outcome: webhook.Outcome(row.Outcome),
		Code: row.Code, Reason: row.Reason, ContactID: row.ContactID.text(), Truncated: row.Truncated, ReplayOf: row.ReplayOf.text(),
	}
	content, err := v.open(row.Content, "deliveries|content|"+d.ID)
	if err != nil {
		return d, err
	}
	n, size := binary.Uvarint(content)
	if size <= 0 || n > uint64(len(content)-size) {
		return d, errSealed
	}
	d.Body = content[size+int(n):]
	return d, json.Unmarshal(content[size:size+int(n)], &d.Headers)
}

func (r deliveries) Find(ctx context.Context, id string) (webhook.Delivery, error) {
	var row deliveryRow
	if err := r.query(ctx, func(db *gorm.DB) error { return db.Take(&row, "id = ?", id).Error }); err != nil {
		return webhook.Delivery{}, err
	}
	return r.vault.delivery(row)
}

func (r deliveries) Page(ctx context.Context, webhookID string, outcome webhook.Outcome, after string, limit int) ([]webhook.Delivery, error) {
	var rows []deliveryRow
	err := r.query(ctx, func(db *gorm.DB) error {
		db = newest(db, after, limit).Where("webhook_id = ?", webhookID)
		if outcome != "" {
			db = db.Where("outcome = ?", string(outcome))
		}
		return db.Find(&rows).Error
	})
	if err != nil {
		return nil, err
	}
	out := make([]webhook.Delivery, len(rows))
	for i, row := range rows {
		if out[i], err = r.vault.delivery(row); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// Summaries implements ports.Deliveries. A delivery's id begins with its time.
func (r deliveries) Summaries(ctx context.Context, orgID string, since time.Time) (map[string]ports.DeliverySummary, error) {
	var rows []struct {
		WebhookID uid
		Outcome   string
		N         int
		Last      string // the newest id
	}
	err := r.query(ctx, func(db *gorm.DB) error {
		return db.Raw(`SELECT d.webhook_id, d.outcome, COUNT(*) AS n, MAX(CAST(d.id AS text)) AS last FROM webhooks w JOIN deliveries d ON d.webhook_id = w.id
			WHERE w.org_id = ? AND d.id >= ? GROUP BY d.webhook_id, d.outcome`, orgID, firstID(since)).Scan(&rows).Error
	})
	out := map[string]ports.DeliverySummary{}
	for _, row := range rows {
		sum := out[string(row.WebhookID)]
		switch webhook.Outcome(row.Outcome) {
		case webhook.Accepted:
			sum.Accepted = row.N
		case webhook.Repeated:
			sum.Repeated = row.N
		case webhook.Refused:
			sum.Refused = row.N
		}
		if at := timeOfID(row.Last); at.After(sum.Last) {
			sum.Last = at
		}
		out[string(row.WebhookID)] = sum
	}
	return out, err
}

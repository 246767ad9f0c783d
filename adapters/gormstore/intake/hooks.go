package intake

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/contacts"
	"fichario/adapters/gormstore/engine"
	"fichario/adapters/gormstore/team"
	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

// opening is a token of a request to a webhook.
type opening struct {
	hash string
	at   time.Time
}

// opened is the webhook behind the token, or why there is none.
type opened struct {
	hook webhook.Hook
	err  error
}

// Open checks, in one batch with concurrent posts, whether a token still opens its webhook and whether its surroundings
// have changed. What has not changed comes from memory.
func (r webhooks) Open(ctx context.Context, t webhook.Token, now time.Time) (webhook.Hook, error) {
	const op = "webhooks.open"
	if err := r.Outside(op); err != nil {
		return webhook.Hook{}, err
	}
	hash := t.Hash()
	ctx, span := engine.Spanned(ctx, op)
	found, err := r.open.Call(ctx, opening{hash: string(hash[:]), at: engine.Stamp(now)})
	err = cmp.Or(err, found.err)
	ports.EndSpan(span, err)
	return found.hook, engine.Named(op, err)
}

// knownHook is a webhook with its surroundings, as it was at an epoch of its organisation.
type knownHook struct {
	opened
	epoch int64
	read  time.Time
}

// hookTTL bounds how long a change made in SQL, bypassing the repositories, stays unnoticed.
const hookTTL = time.Second

// tokenAt is a token at an epoch of its organisation.
type tokenAt struct {
	Hash      []byte
	EndsAt    *time.Time
	WebhookID engine.UID
	Epoch     int64
}

func (s *room) openHooks(ctx context.Context, asked []opening) ([]opened, error) {
	db := s.Reader.WithContext(ctx)
	byHash := make(map[string]*tokenAt, len(asked))
	hashes := make([][]byte, 0, len(asked))
	for _, a := range asked {
		if _, ok := byHash[a.hash]; !ok {
			byHash[a.hash] = nil
			hashes = append(hashes, []byte(a.hash))
		}
	}
	tokens, err := tokensAt(db, hashes)
	if err != nil {
		return nil, err
	}
	hooks, err := s.hooksAt(db, tokens)
	if err != nil {
		return nil, err
	}
	for i, t := range tokens {
		byHash[string(t.Hash)] = &tokens[i]
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

// tokensAt reads tokens by their hashes. Each post does, so that it is written out: GORM's builder takes longer than
// the database.
func tokensAt(db *gorm.DB, hashes [][]byte) (tokens []tokenAt, err error) {
	rows, err := db.Raw(`SELECT t.hash, t.ends_at, t.webhook_id, o.epoch FROM webhook_tokens t
		JOIN webhooks w ON w.id = t.webhook_id JOIN organisations o ON o.id = w.org_id WHERE t.hash IN ?`, hashes).Rows()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var t tokenAt
		if err := rows.Scan(&t.Hash, &t.EndsAt, (*string)(&t.WebhookID), &t.Epoch); err != nil {
			return nil, err
		}
		tokens = append(tokens, t)
	}
	return tokens, rows.Err()
}

// hooksAt returns the webhooks of tokens, from memory or read anew and remembered.
func (s *room) hooksAt(db *gorm.DB, tokens []tokenAt) (map[engine.UID]*knownHook, error) {
	hooks, epochs := map[engine.UID]*knownHook{}, map[engine.UID]int64{}
	for _, t := range tokens {
		if v, ok := s.known.Load(t.WebhookID); ok {
			h := v.(*knownHook) //nolint:forcetypeassert // only these are stored
			if h.epoch == t.Epoch && time.Since(h.read) < hookTTL {
				hooks[t.WebhookID] = h
				continue
			}
		}
		epochs[t.WebhookID] = t.Epoch // the epoch from before the read below
	}
	if len(epochs) == 0 {
		return hooks, nil
	}
	read, err := readHooks(s.Vault, db, engine.Where("id IN ?", slices.Collect(maps.Keys(epochs))))
	for id, found := range read {
		hooks[id] = &knownHook{opened: found, epoch: epochs[id], read: time.Now()}
		s.known.Store(id, hooks[id])
	}
	return hooks, err
}

func (r webhooks) HookOf(ctx context.Context, orgID, id string) (hook webhook.Hook, err error) {
	err = r.Query(ctx, "webhooks.hookOf", func(db *gorm.DB) error {
		hooks, err := readHooks(r.vault, db, engine.Of(orgID, id))
		if err != nil {
			return err
		}
		found, ok := hooks[engine.UID(id)]
		if !ok {
			return ports.ErrNotFound
		}
		hook = found.hook
		return found.err
	})
	return hook, err
}

// readHooks reads webhooks with their surroundings.
func readHooks(v *engine.Vault, db *gorm.DB, wanted engine.Scope) (map[engine.UID]opened, error) {
	var rows []webhookRow
	if err := wanted(db).Find(&rows).Error; err != nil || len(rows) == 0 {
		return nil, err
	}
	around := map[engine.UID]*webhook.Hook{}
	for _, row := range rows {
		around[row.OrgID] = &webhook.Hook{}
	}
	if err := surround(db, around); err != nil {
		return nil, err
	}
	turning, err := rotationsOf(db, rows)
	if err != nil {
		return nil, err
	}
	out := map[engine.UID]opened{}
	for _, row := range rows {
		found := opened{hook: *around[row.OrgID]}
		found.hook.Rotation = turning[row.RotationID.Text()]
		if found.hook.Webhook = webhookOf(v, row); found.hook.Unreadable && found.hook.Signature.Scheme != "" {
			found.err = ports.ErrUnreadable // nobody can verify its posts; the sender retries
		}
		out[row.ID] = found
	}
	return out, nil
}

// rotationsOf returns the rotations of webhooks, by id.
func rotationsOf(db *gorm.DB, hooks []webhookRow) (map[string]crm.Rotation, error) {
	var ids []engine.UID
	for _, hook := range hooks {
		if hook.RotationID != nil {
			ids = append(ids, *hook.RotationID)
		}
	}
	if len(ids) == 0 {
		return nil, nil
	}
	all, err := contacts.ReadRotations(db, engine.Where("id IN ?", ids))
	out := map[string]crm.Rotation{}
	for _, r := range all {
		out[r.ID] = r
	}
	return out, err
}

var stageColumns = engine.ColumnNames(contacts.StageRow{}, "s")

// surround reads what posts to the webhooks of some organisations depend on.
func surround(db *gorm.DB, orgs map[engine.UID]*webhook.Hook) error {
	ids := slices.Collect(maps.Keys(orgs))
	var entries []struct {
		OrgID  engine.UID
		Funnel string
		Stage  contacts.StageRow `gorm:"embedded"`
	}
	err := db.Table("funnels AS f").Select("f.org_id, f.name AS funnel, "+stageColumns).
		Joins("JOIN stages s ON s.funnel_id = f.id").Where("f.org_id IN ? AND f.is_default AND s.position = 0", ids).
		Find(&entries).Error
	if err != nil {
		return err
	}
	for _, e := range entries {
		orgs[e.OrgID].Funnel, orgs[e.OrgID].Entry = e.Funnel, e.Stage.Stage()
	}
	var people []team.MemberRow
	err = db.Select("id, org_id, name, role, active, created_at").Find(&people, "org_id IN ? AND active", ids).Error
	if err != nil {
		return err
	}
	for _, m := range people {
		orgs[m.OrgID].Members = append(orgs[m.OrgID].Members, m.Member())
	}
	var origins []contacts.OriginRow
	if err := db.Select("id, org_id, name").Find(&origins, "org_id IN ?", ids).Error; err != nil {
		return err
	}
	for _, o := range origins {
		orgs[o.OrgID].Origins = append(orgs[o.OrgID].Origins, o.Origin())
	}
	return nil
}

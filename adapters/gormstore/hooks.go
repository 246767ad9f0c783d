package gormstore

import (
	"context"
	"time"

	"gorm.io/gorm"

	"fichario/domain/crm"
	"fichario/domain/webhook"
	"fichario/ports"
)

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

// Every post asks whether the token still opens the
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

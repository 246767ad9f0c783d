package intake

import (
	"context"
	"errors"

	"fichario/app"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

const (
	// alikeRead is how many of a webhook's newest refusals are searched for those of the same shape.
	alikeRead = 500
	// alikePage is how many of them are in memory at one time.
	alikePage = 50
	// AlikeAtOnce is how many of the same shape are replayed by one call.
	AlikeAtOnce = 100
)

// Alike returns the refusals of one shape, newest first: those for want of an e-mail in which a key holds one, and
// which have made no contact since. emailKey is that key; empty takes the webhook's own, and finds none where it has
// none. It searches the newest 500 refusals and returns at most AlikeAtOnce ids, one for each post. Faults: NotFound,
// Forbidden, ServiceUnavailable.
func (i *Intake) Alike(ctx context.Context, by app.Caller, webhookID, emailKey string) ([]string, error) {
	hook, err := app.HookKind.Managed(ctx, i.store.Repos(), by, webhookID)
	if err != nil {
		return nil, err
	}
	if emailKey != "" {
		hook.EmailKey = emailKey
	}
	var ids []string
	if hook.EmailKey == "" {
		return ids, nil
	}
	posts := map[string]bool{}
	for after, read := "", 0; read < alikeRead; read += alikePage {
		page, err := i.store.Repos().Deliveries.Page(ctx, hook.OrgID, webhookID, webhook.Refused, after, alikePage)
		if err != nil {
			return nil, err
		}
		for _, d := range page {
			key, err := i.readable(ctx, hook, d)
			if err != nil {
				return nil, err
			}
			if key == "" || posts[key] {
				continue
			}
			posts[key] = true
			if ids = append(ids, d.ID); len(ids) == AlikeAtOnce {
				return ids, nil
			}
		}
		if len(page) < alikePage {
			break
		}
		after = page[len(page)-1].ID
	}
	return ids, nil
}

// readable returns what tells a refused post from others, if it was refused for want of an e-mail, the webhook's key of
// the e-mail now finds one, and it has made no contact yet; else "".
func (i *Intake) readable(ctx context.Context, hook webhook.Hook, d webhook.Delivery) (string, error) {
	if d.Code != string(fault.InvalidEmail) || d.Unreadable || d.Truncated || d.ContactID != "" {
		return "", nil
	}
	release, err := i.waitForPlace(ctx, len(d.Body))
	if err != nil {
		return "", err
	}
	defer release()
	drafts, err := intake.ReadAll(hook.Options, d.Header("content-type"), d.Body)
	if err != nil || !drafts[0].ByEmailKey {
		return "", nil //nolint:nilerr // what cannot be read is of another shape
	}
	if d.ReplayOf == "" {
		d.ReplayOf = d.ID
	}
	var known identity
	for _, usedKey := range []bool{false, true} {
		if known, err = identify(d, drafts, usedKey); err != nil {
			return "", nil //nolint:nilerr // as above
		}
		met, err := i.store.Repos().Inbox.Known(ctx, d.OrgID, d.WebhookID, known.keys[:1], known.fingerprint)
		switch {
		case err != nil && !errors.Is(err, ports.ErrNotFound):
			return "", err
		case err == nil && (met[0].Same || !known.strict): // else only the sender's key is also another's
			return "", nil
		}
		if !known.strict {
			break // without a key of the sender's both ways are one
		}
	}
	return known.keys[0], nil
}

// Replays is what became of refusals that were replayed together.
type Replays struct {
	// Contacts is how many were made, Refused how many posts were refused again.
	Contacts, Refused int
	// More says that there may be others of the same shape: the next call goes on with them.
	More bool
}

// ReplayAlike replays what Alike finds by the webhook's own key of the e-mail, each as Replay does. Faults: those of
// Alike, and WebhookDisabled.
func (i *Intake) ReplayAlike(ctx context.Context, by app.Caller, webhookID string) (Replays, error) {
	ids, err := i.Alike(ctx, by, webhookID, "")
	done := Replays{More: len(ids) == AlikeAtOnce}
	for _, id := range ids {
		var made Accepted
		switch made, err = i.Replay(ctx, by, id); {
		case err == nil:
			done.Contacts += made.Made()
		case fault.CodeOf(err) == fault.WebhookDisabled || !app.IsRefusal(err):
			return done, err
		default:
			done.Refused++
		}
	}
	return done, err
}

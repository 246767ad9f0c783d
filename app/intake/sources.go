package intake

import (
	"context"
	"errors"
	"time"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/intake"
	"fichario/domain/webhook"
	"fichario/ports"
)

// sourceHook returns a webhook of a platform that the caller may manage.
func (l *Leads) sourceHook(ctx context.Context, by app.Caller, id string) (webhook.Hook, error) {
	hook, err := app.HookKind.Managed(ctx, l.Store.Repos(), by, id)
	if err == nil && !hook.Kind.Fetched() {
		err = app.Invalid("webhook", "Só um webhook do tipo meta ou linkedin busca leads.")
	}
	return hook, err
}

// refusal is a failure of the platform as a fault of what the caller gave.
func refusal(k intake.Kind, err error) error {
	the := k.Platform().The
	var failed *ports.SourceError
	if !errors.As(err, &failed) {
		return err
	}
	if failed.Failure == ports.SourceAway || failed.Failure == ports.SourceLimited {
		return fault.New(fault.ServiceUnavailable, the+" não respondeu à consulta: "+failed.Reason+". Tente de novo.").
			After(max(failed.RetryAfter, time.Second))
	}
	return app.Invalid("token", the+" recusou: "+failed.Reason+".")
}

// accessOf is what opens a page of a webhook.
func accessOf(hook webhook.Webhook, s webhook.Source) ports.SourceAccess {
	return ports.SourceAccess{Page: s.Page, Token: s.Token, AppSecret: hook.Signature.Secret}
}

// callback is the address of a webhook.
func (l *Leads) callback(ctx context.Context, hook webhook.Hook) (string, error) {
	_, token, err := l.Store.Repos().Webhooks.Find(ctx, hook.OrgID, hook.ID)
	return l.AddressOf(token), err
}

// Connect subscribes the pages that a token opens, and connects them with a webhook: their leads are fetched from now
// on. page is the name or id of the only one, or empty for all. For a page that is connected already it renews the
// token, and what waited comes in. Faults: InvalidRequest, which names the pages that there are, NotFound, Forbidden,
// ServiceUnavailable.
func (l *Leads) Connect(ctx context.Context, by app.Caller, webhookID, token, page string) ([]webhook.Source, error) {
	hook, err := l.sourceHook(ctx, by, webhookID)
	if err != nil {
		return nil, err
	}
	if token == "" {
		return nil, app.Invalid("token", "Falta o token da página.")
	}
	callback, err := l.callback(ctx, hook)
	if err != nil {
		return nil, err
	}
	pages, err := l.Platforms[hook.Kind].Pages(ctx, ports.SourceAccess{
		Page: page, Token: token, AppSecret: hook.Signature.Secret, Callback: callback,
	})
	if err == nil && len(pages) == 0 {
		return nil, app.Invalid("token", "O token não abre nenhuma página.")
	}
	if err != nil {
		return nil, refusal(hook.Kind, err)
	}
	err = l.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
		now, err := r.Clock.Now(ctx, l.Clock())
		if err != nil {
			return err
		}
		// Locked: its type may have been changed while the platform was asked.
		if v, err := webhookKind.Managed(ctx, r, by, hook.ID); err != nil {
			return err
		} else if v.Kind != hook.Kind {
			return app.Invalid("webhook", "O tipo do webhook mudou enquanto ele era conectado. Nada foi conectado.")
		}
		for i, s := range pages {
			s.ID, s.OrgID, s.WebhookID, s.State = app.NewID(), hook.OrgID, hook.ID, webhook.SourceOpen
			s.ReadTo, s.RunAt, s.PausedUntil, s.CreatedAt = now, now, now, now
			if pages[i], err = r.LeadSources.Connect(ctx, s); err != nil {
				return err
			}
			err := app.Record(ctx, r, by, audit.Line{
				OrgID: hook.OrgID, Action: audit.SourceConnected, Object: hook.ID,
				Detail: audit.Detail{"pagina": s.Page, "nome": s.Name},
			})
			if err != nil {
				return err
			}
		}
		return nil
	})
	l.intake.waiting.Call()
	return pages, err
}

// Sources returns the pages of a webhook, and how many leads wait. Faults: InvalidRequest, NotFound, Forbidden,
// ServiceUnavailable.
func (l *Leads) Sources(ctx context.Context, by app.Caller, webhookID string) ([]webhook.Source, int, error) {
	if _, err := l.sourceHook(ctx, by, webhookID); err != nil {
		return nil, 0, err
	}
	all, err := l.Store.Repos().LeadSources.List(ctx, "", webhookID)
	if err != nil {
		return nil, 0, err
	}
	n, err := l.Store.Repos().Leads.Count(ctx, webhookID)
	return all, n, err
}

// chosen returns the pages of a webhook, or the one that is named.
func (l *Leads) chosen(
	ctx context.Context, by app.Caller, webhookID, page string,
) (webhook.Hook, []webhook.Source, error) {
	hook, err := l.sourceHook(ctx, by, webhookID)
	if err != nil {
		return hook, nil, err
	}
	all, err := l.Store.Repos().LeadSources.List(ctx, "", webhookID)
	if err != nil {
		return hook, nil, err
	}
	var some []webhook.Source
	for _, s := range all {
		if page == "" || s.Page == page {
			some = append(some, s)
		}
	}
	if len(some) == 0 {
		return hook, nil, app.Missing("page", "Nenhuma página assim está conectada a este webhook.")
	}
	return hook, some, nil
}

// SourceTrial is what a trial of a page found.
type SourceTrial struct {
	webhook.Source
	// Failure says in Portuguese why leads cannot be fetched; empty where they can.
	Failure string
}

// Test asks the platform whether the leads of a webhook's pages, or of one, can be fetched, and changes nothing.
// Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable (of the store).
func (l *Leads) Test(ctx context.Context, by app.Caller, webhookID, page string) ([]SourceTrial, error) {
	hook, some, err := l.chosen(ctx, by, webhookID, page)
	if err != nil {
		return nil, err
	}
	out := make([]SourceTrial, len(some))
	for i, s := range some {
		source, access := l.Platforms[hook.Kind], accessOf(hook.Webhook, s)
		s.ExpiresAt, err = source.Expiry(ctx, access)
		if err == nil {
			s.Forms, err = source.Forms(ctx, access)
		}
		if err == nil && len(s.Forms) > 0 {
			_, _, err = source.Leads(ctx, access, s.Forms[:1], l.Clock(), "")
		}
		if out[i].Source = s; err != nil {
			out[i].Failure = err.Error()
		}
	}
	return out, nil
}

// Disconnect ends the announcements of a webhook's pages, or of one, and forgets their tokens. A platform that cannot
// be told does not keep a page connected. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (l *Leads) Disconnect(ctx context.Context, by app.Caller, webhookID, page string) ([]webhook.Source, error) {
	hook, some, err := l.chosen(ctx, by, webhookID, page)
	if err != nil {
		return nil, err
	}
	callback, err := l.callback(ctx, hook)
	if err != nil {
		return nil, err
	}
	for _, s := range some {
		access := accessOf(hook.Webhook, s)
		access.Callback = callback
		if err := l.Platforms[hook.Kind].Unsubscribe(ctx, access); err != nil {
			l.Log.WarnContext(ctx, "a page could not be unsubscribed", "webhook", hook.ID, "page", s.Page, "why", err.Error())
		}
		err := l.Store.InTx(ctx, func(ctx context.Context, r ports.Repos) error {
			return disconnected(ctx, r, by, hook.Webhook, s)
		})
		if err != nil {
			return nil, err
		}
	}
	return some, nil
}

// disconnected forgets a page of a webhook.
func disconnected(ctx context.Context, r ports.Repos, by app.Caller, h webhook.Webhook, s webhook.Source) error {
	if err := r.LeadSources.Remove(ctx, h.ID, s.Page); err != nil && !errors.Is(err, ports.ErrNotFound) {
		return err
	}
	return app.Record(ctx, r, by, audit.Line{
		OrgID: h.OrgID, Action: audit.SourceDisconnected, Object: h.ID,
		Detail: audit.Detail{"pagina": s.Page, "nome": s.Name},
	})
}

// ReadPage is a page that was read back, and how many contacts that made.
type ReadPage struct {
	webhook.Source
	Made int
}

// Backfill reads back the leads of a webhook's pages, or of one, since a time; zero is as far as the platform keeps
// them. It may run beside the workers. Faults: InvalidRequest, NotFound, Forbidden, ServiceUnavailable.
func (l *Leads) Backfill(
	ctx context.Context, by app.Caller, webhookID, page string, since time.Time,
) ([]ReadPage, error) {
	hook, some, err := l.chosen(ctx, by, webhookID, page)
	if err != nil {
		return nil, err
	}
	out := make([]ReadPage, len(some))
	for i, s := range some {
		line := audit.Line{
			OrgID: hook.OrgID, Action: audit.SourceReadBack, Object: hook.ID,
			Detail: audit.Detail{"pagina": s.Page, "nome": s.Name},
		}
		if err := app.Looked(ctx, l.Store, by, line); err != nil {
			return nil, err
		}
		s.Lease = ""
		r := round{Leads: l, hook: hook, Source: s, now: l.Clock()}
		err := r.readBack(ctx, since)
		if out[i] = (ReadPage{s, r.made}); err != nil {
			return out, refusal(hook.Kind, err)
		}
	}
	return out, nil
}

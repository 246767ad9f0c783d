package automations

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fichario/app"
	"fichario/app/lookups"
	"fichario/domain/automation"
	"fichario/domain/catalog"
	"fichario/domain/crm"
	"fichario/domain/document"
	"fichario/domain/fault"
	"fichario/domain/lookup"
	"fichario/ports"
)

// lookup looks up each document of the contact that the product takes. The ids of the lookups are known to the run, so
// that a lookup whose instance died is found again, and none is charged twice.
func (j *Jobs) lookup(ctx context.Context, r ports.Repos, u run) (outcome, error) {
	if j.LookupsOff {
		return outcome{}, &ports.SendError{Reason: "as consultas estão desligadas nesta instância"}
	}
	if u.contact.Unreadable {
		return outcome{}, &ports.SendError{Reason: "os documentos guardados do contato estão ilegíveis", Permanent: true}
	}
	product, ok := j.Terms.Catalog.Find(u.rule.Action.Product)
	if !ok {
		return outcome{}, &ports.SendError{Reason: "o produto não é oferecido nesta instância"} // another may have it
	}
	if lacks := needs(product); lacks != "" {
		reason := "o produto precisa de " + lacks + ", que uma automação não tem"
		return outcome{}, &ports.SendError{Reason: reason, Permanent: true}
	}
	var said []string
	for i, doc := range u.contact.Documents {
		if !product.Takes(doc.Type()) {
			continue
		}
		did, err := j.lookUp(ctx, r, &u, product, doc, i)
		if errors.Is(err, ports.ErrCeiling) {
			said = append(said, fmt.Sprintf("teto mensal de %s atingido: nada mais foi consultado", u.rule.Action.Ceiling.Reais()))
			return outcome{result: strings.Join(said, "; "), change: j.tellCeiling(u)}, nil
		}
		if err != nil {
			return outcome{}, err
		}
		said = append(said, did)
	}
	if len(said) == 0 {
		return outcome{result: "o contato não tem documento que este produto consulte"}, nil
	}
	return outcome{result: strings.Join(said, "; ")}, nil
}

// lookUp makes one lookup of a run, for the document at a position, or returns the outcome of an earlier attempt.
func (j *Jobs) lookUp(
	ctx context.Context, r ports.Repos, u *run, product catalog.Product, doc document.Document, place int,
) (string, error) {
	id, said, err := j.before(ctx, r, u, product, doc, place)
	if said != "" || err != nil {
		return said, err
	}
	request := lookups.Request{
		Product: product.ID, Document: doc.Value(), ContactID: u.contact.ID, ID: id, AutomationID: u.rule.ID,
		Ceiling: u.rule.Action.Ceiling, Trail: u.job.Trail, Purpose: u.rule.Action.Purpose,
		Since: u.since,
	}
	if days := u.rule.Action.MaxAge; days != nil {
		age := time.Duration(*days) * 24 * time.Hour
		request.MaxAge = &age
	}
	result, err := j.Asker.Do(ctx, app.ByAutomation(u.rule), request)
	if err == nil && result.Entry.Status == lookup.Running { // the next attempt finds and awaits it
		return "", &ports.SendError{Reason: "o bureau responde mais tarde"}
	}
	if err == nil {
		return saidOf(product, result.Entry), nil
	}
	if errors.Is(err, ports.ErrCeiling) {
		return "", err
	}
	var f *fault.Error
	if !errors.As(err, &f) {
		return "", err
	}
	switch f.Code {
	case fault.BureauFailed, fault.BureauNoAnswer:
		e, err := r.Statement.Find(ctx, u.job.OrgID, id)
		if errors.Is(err, ports.ErrNotFound) {
			return product.Name + ": falhou junto com uma consulta igual, feita ao mesmo tempo; nada foi cobrado por esta", nil
		}
		return saidOf(product, e), err
	case fault.Timeout: // the attempt's time is over, not the call's
		return "", errStillAsked
	case fault.SubjectBlocked:
		return product.Name + ": o titular pediu para não ser consultado, nada foi cobrado", nil
	}
	wait := f.RetryAfter
	if lookups.BureauIsOut(err) { // somebody may call it back
		wait = 0
	}
	return "", &ports.SendError{
		Reason: "a consulta não foi feita: " + string(f.Code), RetryAfter: wait,
		Permanent: f.Code == fault.MissingPurpose || f.Code == fault.PurposeRefused,
	}
}

// before returns the outcome of a lookup that an earlier attempt began, or the id for a new one. At that time another
// document may have stood at the position.
func (j *Jobs) before(
	ctx context.Context, r ports.Repos, u *run, product catalog.Product, doc document.Document, place int,
) (id, said string, err error) {
	id = automation.Derived(u.job.ID, place+1)
	if place < len(u.job.Lookups) {
		id = cmp.Or(u.job.Lookups[place], id)
	}
	for {
		e, err := r.Statement.Find(ctx, u.job.OrgID, id)
		if errors.Is(err, ports.ErrNotFound) {
			break
		}
		if err != nil {
			return "", "", err
		}
		if e.Status == lookup.NotSent || e.Document != doc {
			id = automation.Derived(id, lookupsOfARun) // nothing was charged for this document: it is looked up
			continue
		}
		if e.Status != lookup.Running {
			return "", saidOf(product, e), nil
		}
		// Whoever began it may still be waiting, or has died; then it will be settled.
		select {
		case <-ports.After(time.Second):
		case <-ctx.Done():
			return "", "", errStillAsked
		}
	}
	if !app.MadeWithin(id, idsOfNow) {
		id = app.NewID()
		u.job.Lookups = append(u.job.Lookups, make([]string, max(0, place+1-len(u.job.Lookups)))...)
		u.job.Lookups[place] = id
		if err := r.JobQueue.NameLookups(ctx, u.job); err != nil {
			return "", "", err
		}
	}
	return id, "", nil
}

// errStillAsked ends an attempt; the next one finds the lookup or, where another's call answers it, its answer.
var errStillAsked = &ports.SendError{Reason: "a consulta ainda está em andamento"}

const (
	// lookupsOfARun exceeds the number of a run's documents.
	lookupsOfARun = 32
	// idsOfNow is how long an id may be used after it was made: lists are ordered by id, and data of a person are sought
	// among the ids of the last hour. A run may be retried for a day, and revived later.
	idsOfNow = 30 * time.Minute
)

// saidOf describes in Portuguese the outcome and cost of a lookup.
func saidOf(product catalog.Product, e lookup.Entry) string {
	switch {
	case e.Status == lookup.Done && e.Cache:
		return product.Name + " consultado, grátis, do histórico"
	case e.Status == lookup.Done:
		return product.Name + " consultado, " + e.Cost().Exact()
	case e.Status == lookup.Failed:
		return product.Name + ": o bureau falhou, cobrado " + e.Cost().Exact()
	}
	return product.Name + ": o bureau não respondeu, cobrado " + e.Cost().Exact()
}

// tellCeiling notifies the team once a month for each ceiling, and again after one was raised.
func (j *Jobs) tellCeiling(u run) func(context.Context, ports.Repos) error {
	now := j.Clock()
	n := crm.Notification{
		ID: app.NewID(), OrgID: u.rule.OrgID, Kind: crm.CeilingReached, ContactID: u.contact.ID, At: now,
		Subject: fmt.Sprintf("A automação %s atingiu o teto de %s deste mês e não consulta mais até o próximo.",
			u.rule.Name, u.rule.Action.Ceiling.Reais()),
	}
	once := fmt.Sprintf("teto:%s:%s", j.Terms.Calendar.Month(now), u.rule.Action.Ceiling)
	return func(ctx context.Context, r ports.Repos) error {
		_, err := r.Notifications.CreateOnce(ctx, n, u.rule.ID, once)
		return err
	}
}

package privacy

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"fichario/app"
	"fichario/domain/crm"
	"fichario/domain/fault"
	"fichario/ports"
)

// purposeRules are the purposes of an organisation, and whether an answer bought for one may serve another (design,
// section 14).
type purposeRules struct {
	all        []crm.Purpose
	ownHistory bool
}

// ReadPurposeRules reads the purposes of an organisation.
func ReadPurposeRules(ctx context.Context, r ports.Repos, orgID string) (p purposeRules, err error) {
	if p.all, err = r.Purposes.List(ctx, orgID); err != nil || len(p.all) == 0 {
		return p, err
	}
	org, err := r.Orgs.Find(ctx, orgID)
	p.ownHistory = org.OwnHistory
	return p, err
}

// allowed returns the purposes in force that a caller may state.
func (p purposeRules) allowed(by app.Caller) (out []crm.Purpose) {
	for _, purpose := range p.all {
		may := purpose.InForce()
		switch {
		case by.Key() != nil:
			may = may && by.Key().MayState(purpose.Code)
		case by.MemberID() != "":
			may = may && purpose.For(by.Role())
		}
		if may {
			out = append(out, purpose)
		}
	}
	return out
}

// Choose returns the purpose of a lookup: the one stated, or the only one that the caller may state; none where the
// organisation has none in force. Faults: MissingPurpose, PurposeRefused.
func (p purposeRules) Choose(by app.Caller, said string) (string, error) {
	allowed := p.allowed(by)
	if said != "" {
		if !slices.ContainsFunc(allowed, func(a crm.Purpose) bool { return a.Code == said }) {
			return "", PurposeRefused("Esta finalidade não existe, foi encerrada ou não é permitida nesta consulta.", allowed)
		}
		return said, nil
	}
	switch {
	case !p.inForce():
		return "", nil
	case len(allowed) == 0:
		return "", PurposeRefused("Nenhuma finalidade da organização é permitida nesta consulta.", nil)
	case len(allowed) == 1:
		return allowed[0].Code, nil
	}
	return "", fault.New(fault.MissingPurpose, "Informe a finalidade da consulta. As finalidades são: "+codesOf(allowed)+
		". Na API, no cabeçalho X-Finalidade ou no campo finalidade; num comando, com --purpose. Nada foi consultado nem cobrado.").At("finalidade")
}

// inForce reports whether the organisation has purposes to choose from.
func (p purposeRules) inForce() bool { return slices.ContainsFunc(p.all, crm.Purpose.InForce) }

// Still returns the fault of a batch without a purpose once there are purposes: it was quoted before, and states its
// purpose with the quote. Fault: MissingPurpose.
func (p purposeRules) Still(purpose string) error {
	if purpose != "" || !p.inForce() {
		return nil
	}
	return fault.New(fault.MissingPurpose, "Este lote foi orçado antes de a organização ter finalidades, e não tem nenhuma. "+
		"Orce os documentos de novo, com a finalidade.").At("finalidade")
}

// PurposeRefused is the fault of a purpose that may not be used; it names those that may.
func PurposeRefused(why string, allowed []crm.Purpose) error {
	if len(allowed) > 0 {
		why += " As permitidas são: " + codesOf(allowed) + "."
	}
	return fault.New(fault.PurposeRefused, why+" Nada foi consultado nem cobrado.").At("finalidade")
}

func codesOf(purposes []crm.Purpose) string {
	codes := make([]string, len(purposes))
	for i, p := range purposes {
		codes[i] = p.Code
	}
	return strings.Join(codes, ", ")
}

// Only returns the purpose that answers from history must have been bought for; nil for any.
func (p purposeRules) Only(purpose string) *string {
	if !p.ownHistory {
		return nil
	}
	return &purpose
}

// rulesTTL is how long an instance trusts what it read about an organisation's purposes, and thus how long a retired
// one can still be used.
const rulesTTL = 100 * time.Millisecond

// KnownRules caches the rules of organisations that make lookups.
type KnownRules struct {
	Start time.Time
	byOrg sync.Map // of the organisation's id to readRules
}

type readRules struct {
	purposeRules
	at time.Duration // monotonic
}

// Of returns an organisation's rules, read from the database at most ten times a second, or at once if fresh is set.
func (k *KnownRules) Of(ctx context.Context, r ports.Repos, orgID string, fresh bool) (purposeRules, error) {
	now := ports.Since(k.Start)
	if v, ok := k.byOrg.Load(orgID); ok && !fresh {
		if cached := v.(readRules); now-cached.at < rulesTTL { //nolint:forcetypeassert // nothing else is stored
			return cached.purposeRules, nil
		}
	}
	rules, err := ReadPurposeRules(ctx, r, orgID)
	if err == nil {
		k.byOrg.Store(orgID, readRules{rules, now})
	}
	return rules, err
}

// Choose is purposeRules.choose on cached rules. Before it refuses it reads them again, so that nobody is refused by
// outdated rules.
func (k *KnownRules) Choose(
	ctx context.Context, r ports.Repos, by app.Caller, said string,
) (purpose string, only *string, err error) {
	rules, err := k.Of(ctx, r, by.OrgID(), false)
	if err != nil {
		return "", nil, err
	}
	if purpose, err = rules.Choose(by, said); err != nil {
		if rules, err = k.Of(ctx, r, by.OrgID(), true); err != nil {
			return "", nil, err
		}
		purpose, err = rules.Choose(by, said)
	}
	return purpose, rules.Only(purpose), err
}

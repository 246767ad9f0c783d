package privacy

import (
	"context"

	"fichario/app"
	"fichario/domain/audit"
	"fichario/domain/fault"
	"fichario/domain/privacy"
	"fichario/ports"
)

// Unblock lets a person be looked up again who was erased with a block, given an identity. Only the owners of the
// organisation may. Faults: NotFound, Forbidden, InvalidRequest, ServiceUnavailable.
func (s *Subjects) Unblock(ctx context.Context, by app.Caller, q SubjectQuery) error {
	if err := app.MayOwnOrg(ctx, s.store.Repos(), by, q.OrgID); err != nil {
		return err
	}
	identities, err := q.identities()
	if err != nil {
		return err
	}
	repos := s.store.Repos().Subjects
	hashes, err := repos.Hashes(ctx, q.OrgID, identities...)
	if err != nil {
		return err
	}
	return s.unblock(ctx, by, q.OrgID, "", hashes)
}

// UnblockErased is Unblock by the id of an erasure.
func (s *Subjects) UnblockErased(ctx context.Context, by app.Caller, id string) error {
	e, err := s.Erasure(ctx, by, id)
	if err != nil {
		return err
	}
	return s.unblock(ctx, by, e.OrgID, e.ID, e.Hashes)
}

func (s *Subjects) unblock(ctx context.Context, by app.Caller, orgID, erasureID string, hashes [][]byte) error {
	line := audit.Line{OrgID: orgID, Action: audit.SubjectUnblocked, Object: erasureID}
	return app.Recorded(ctx, s.store, by, line, func(ctx context.Context, r ports.Repos) error {
		was, err := r.SubjectBlocks.Unblock(ctx, orgID, hashes)
		if err == nil && !was {
			return app.Missing("subject", "Ninguém com este dado está bloqueado.")
		}
		return err
	})
}

// Blocks returns the persons blocked by some erasures, the newest first. Faults: those of AllErasures.
func (s *Subjects) Blocks(
	ctx context.Context, by app.Caller, orgID string, erasureIDs ...string) ([]privacy.Block, error,
) {
	if err := app.MayOwnOrg(ctx, s.store.Repos(), by, orgID); err != nil {
		return nil, err
	}
	return s.store.Repos().SubjectBlocks.Blocks(ctx, orgID, erasureIDs)
}

// blocks stores the block of an erasure, with the hashes of the identities that can be looked up.
func blocks(ctx context.Context, r ports.Repos, e privacy.Erasure) error {
	hashes := lookedUpBy(e.Person, e.Hashes)
	if len(hashes) == 0 {
		return fault.New(fault.InvalidRequest,
			"Só é possível bloquear por CPF ou CNPJ, e esta pessoa não tem nenhum registrado. "+
				"Informe o documento dela, ou apague sem bloquear. Nada foi apagado.")
	}
	return block(ctx, r, e, hashes)
}

// lookedUpBy returns those hashes of a person's identities, in their order, that belong to documents.
func lookedUpBy(p *privacy.Person, hashes [][]byte) (out [][]byte) {
	for n, i := range p.Identities {
		if i.IsDocument() && n < len(hashes) {
			out = append(out, hashes[n])
		}
	}
	return out
}

// block blocks people by the hashes of their documents. From its commit on, no call about them is charged.
func block(ctx context.Context, r ports.Repos, e privacy.Erasure, hashes [][]byte) error {
	if err := r.Orgs.HoldCharges(ctx, e.OrgID); err != nil {
		return err
	}
	return r.SubjectBlocks.Block(ctx, privacy.Block{
		ErasureID: e.ID, OrgID: e.OrgID, AskedBy: e.AskedBy, At: e.At, Hashes: hashes,
	})
}

package gormstore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gorm.io/gorm"

	"fichario/adapters/gormstore/engine"
	"fichario/domain/crm"
)

type names struct{ engine.Conn }

// nameRow is a line of the statement of all names.
type nameRow struct {
	Kind   crm.NamedKind
	ID     string
	Name   string
	Of     string // a stage's funnel, a member's e-mail
	Role   string // a stage's outcome, a member's role
	Active int
}

// namesOfKind are the columns of a nameRow and where they are read, by kind.
var namesOfKind = map[crm.NamedKind][2]string{
	crm.NamedOrigin:     {plainName, "origins AS n WHERE n.org_id = @org"},
	crm.NamedWebhook:    {plainName, "webhooks AS n WHERE n.org_id = @org"},
	crm.NamedKey:        {plainName, "keys AS n WHERE n.org_id = @org"},
	crm.NamedAutomation: {plainName, "automations AS n WHERE n.org_id = @org"},
	crm.NamedRotation:   {plainName, "rotations AS n WHERE n.org_id = @org"},
	crm.NamedMember: {
		`n.email AS "of", n.role AS role, CASE WHEN n.active THEN 1 ELSE 0 END AS active`,
		"members AS n WHERE n.org_id = @org",
	},
	crm.NamedStage: {
		`f.name AS "of", COALESCE(n.outcome, '') AS role, 0 AS active`,
		"stages AS n JOIN funnels AS f ON f.id = n.funnel_id WHERE f.org_id = @org",
	},
}

const plainName = `'' AS "of", '' AS role, 0 AS active`

func (r names) Of(ctx context.Context, orgID string, ids []string) (crm.Names, error) {
	kinds := slices.Sorted(maps.Keys(namesOfKind))
	return r.read(ctx, "names.of", orgID, kinds, " AND n.id IN @ids", ids)
}

func (r names) All(ctx context.Context, orgID string, kinds ...crm.NamedKind) (crm.Names, error) {
	return r.read(ctx, "names.all", orgID, kinds, "", nil)
}

func (r names) read(
	ctx context.Context, op, orgID string, kinds []crm.NamedKind, only string, ids []string,
) (crm.Names, error) {
	selects := engine.Mapped(kinds, func(kind crm.NamedKind) string {
		of := namesOfKind[kind]
		return fmt.Sprintf("SELECT '%s' AS kind, CAST(n.id AS text) AS id, n.name AS name, %s FROM %s%s", kind, of[0], of[1],
			only)
	})
	var rows []nameRow
	err := r.QueryList(ctx, op, func(db *gorm.DB) error {
		return db.Raw(strings.Join(selects, " UNION ALL "), map[string]any{"org": orgID, "ids": ids}).Scan(&rows).Error
	})
	out := crm.Names{}
	for _, row := range rows {
		one := crm.Named{Kind: row.Kind, Name: row.Name}
		switch row.Kind {
		case crm.NamedStage:
			one.Stage, one.Funnel = crm.Stage{ID: row.ID, Name: row.Name, Outcome: crm.Outcome(row.Role)}, row.Of
		case crm.NamedMember:
			one.Member = crm.Member{
				ID: row.ID, OrgID: orgID, Name: row.Name, Email: row.Of, Role: crm.Role(row.Role),
				Active: row.Active == 1,
			}
		}
		out[row.ID] = one
	}
	return out, err
}

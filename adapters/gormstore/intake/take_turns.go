package intake

import (
	"fmt"
	"strings"

	"fichario/adapters/gormstore/contacts"
)

// sentTurns returns the rotations of arrivals, and the order of their members; nil where no webhook has one, so that
// such posts pay nothing.
func sentTurns(in []taken) (rotations, sequences []*string) {
	for i, t := range in {
		if t.turns == nil {
			continue
		}
		if rotations == nil {
			rotations, sequences = make([]*string, len(in)), make([]*string, len(in))
		}
		rotations[i], sequences[i] = (*string)(&in[i].turns.Rotation), &in[i].turns.Sequence
	}
	return rotations, sequences
}

// turnStatement is takeStatement for batches where some webhook has a rotation. Turns are taken after the receipts, so
// that a repeated post takes none, in a fixed order, and stay locked until the commit: across all instances each turn
// is taken once.
var turnStatement = func() string {
	last := 2 + len(takeArrays.Columns)
	parameters := fmt.Sprintf("%s, $%d::text[], $%d::text[]", takeArrays.Parameters, last+1, last+2)
	assigned := fmt.Sprintf(`CASE WHEN turned_id IS NULL THEN contact_assignee_id ELSE substr(turn_sequence,
		1 + %[1]d * ((turn - of_them + nth - 1) %% (length(turn_sequence) / %[1]d))::integer, %[1]d) END
		AS contact_assignee_id`, contacts.IDLength)
	return takeWith(parameters, takeArrays.Names+", turn_rotation, turn_sequence", `kept AS (`+wanted+`), turned AS (
	INSERT INTO rotation_turns (rotation_id, turn, org_id)
	SELECT turn_rotation::uuid, COUNT(*), delivery_org_id::uuid FROM kept WHERE turn_rotation IS NOT NULL
	GROUP BY 1, 3 ORDER BY 1`+contacts.TurnTally.Add+`
	RETURNING rotation_id AS turned_id, turn
), numbered AS (
	SELECT *, row_number() OVER (PARTITION BY turn_rotation ORDER BY contact_id) AS nth,
		COUNT(*) OVER (PARTITION BY turn_rotation) AS of_them
	FROM kept LEFT JOIN turned ON turned_id = turn_rotation::uuid
), made AS (
	SELECT `+strings.Replace(takeArrays.Names, "contact_assignee_id", assigned, 1)+`, turned_id
	FROM numbered
), given AS (
	INSERT INTO rotation_counts (rotation_id, member_id, contacts, org_id)
	SELECT turned_id, contact_assignee_id::uuid, COUNT(*), delivery_org_id::uuid FROM made WHERE turned_id IS NOT NULL
	GROUP BY 1, 2, 4 ORDER BY 1, 2`+contacts.GivenTally.Add+`
)`)
}()

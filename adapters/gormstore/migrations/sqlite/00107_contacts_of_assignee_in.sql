-- +goose Up
-- What a member has in a stage is found, counted and summed in one index.
CREATE INDEX contacts_of_assignee_in ON contacts (org_id, assignee_id, stage_id, id, amount) WHERE assignee_id IS NOT NULL;

-- +goose Down
DROP INDEX contacts_of_assignee_in;

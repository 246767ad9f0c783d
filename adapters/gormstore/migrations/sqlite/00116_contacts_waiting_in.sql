-- +goose Up
-- Who waits in a stage is found, counted and summed in one index. SQLite compares `waiting` although all in it wait.
CREATE INDEX contacts_waiting_in
    ON contacts (stage_id, id, assignee_id, origin_id, webhook_id, org_id, amount, waiting) WHERE waiting;
DROP INDEX IF EXISTS contacts_who_wait_in;

-- +goose Down
CREATE INDEX contacts_who_wait_in ON contacts (stage_id, id, assignee_id, origin_id, webhook_id) WHERE waiting;
DROP INDEX contacts_waiting_in;

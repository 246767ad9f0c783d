-- +goose Up
-- What the team is told of contacts that came by a webhook follows from the contacts, the newest first. COALESCE keeps
-- the planner of PostgreSQL from using this index for the contacts of one webhook.
CREATE INDEX contacts_came ON contacts (org_id, id) WHERE COALESCE(webhook_id IS NOT NULL, false);

-- +goose Down
DROP INDEX contacts_came;

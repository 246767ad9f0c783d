-- +goose Up
-- What the team is told of contacts that came by a webhook follows from the contacts, the newest first. COALESCE keeps
-- the planner of PostgreSQL from using this index for the contacts of one webhook.
CREATE INDEX contacts_came ON contacts (org_id, id) WHERE COALESCE(webhook_id IS NOT NULL, false);

-- What a webhook was called until a time, for contacts that came before.
CREATE TABLE webhook_names (
    webhook_id text NOT NULL REFERENCES webhooks (id),
    until      datetime NOT NULL,
    name       text NOT NULL,
    PRIMARY KEY (webhook_id, until)
);

-- +goose Down
DROP TABLE webhook_names;
DROP INDEX contacts_came;

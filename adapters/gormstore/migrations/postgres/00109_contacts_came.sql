-- +goose NO TRANSACTION
-- +goose Up
-- An index left invalid by a killed run is rebuilt.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_index WHERE NOT indisvalid AND indexrelid = to_regclass('contacts_came')) THEN
        DROP INDEX contacts_came;
    END IF;
END $$;
-- +goose StatementEnd

-- What the team is told of contacts that came by a webhook follows from the contacts, the newest first. COALESCE keeps
-- the planner of PostgreSQL from using this index for the contacts of one webhook, and NULLS LAST from skipping those of
-- others in the primary key.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_came
    ON contacts (org_id, id DESC NULLS LAST) WHERE COALESCE(webhook_id IS NOT NULL, false);

-- What a webhook was called until a time, for contacts that came before.
CREATE TABLE IF NOT EXISTS webhook_names (
    webhook_id uuid NOT NULL REFERENCES webhooks (id),
    until      timestamptz NOT NULL,
    name       text NOT NULL,
    PRIMARY KEY (webhook_id, until)
);

-- +goose Down
DROP TABLE IF EXISTS webhook_names;
DROP INDEX CONCURRENTLY IF EXISTS contacts_came;

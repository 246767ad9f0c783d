-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid IN ('lookups'::regclass, 'contacts'::regclass)
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- NULLS LAST differs from the primary key's order, so that the planner never prefers that key to these indexes.
-- Statements of a key, an organisation and its members, filtered by product, by cache or by both.
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_key_product ON lookups (key_id, product, cache, id DESC NULLS LAST);
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_org_product ON lookups (org_id, product, cache, id DESC NULLS LAST);
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_members_product ON lookups (org_id, product, cache, id DESC NULLS LAST) WHERE key_id IS NULL;

-- Contacts by amount and in alphabetical order.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_amount ON contacts (org_id, amount, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_name ON contacts (org_id, (substr(search, 1, 80) COLLATE "C"), id);
-- Contacts by origin, webhook or member. Those by stage already have an index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_origin ON contacts (origin_id, id DESC NULLS LAST) WHERE origin_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_webhook ON contacts (webhook_id, id DESC NULLS LAST) WHERE webhook_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_assignee ON contacts (assignee_id, id DESC NULLS LAST) WHERE assignee_id IS NOT NULL;

-- +goose Down
DROP INDEX contacts_assignee;
DROP INDEX contacts_webhook;
DROP INDEX contacts_origin;
DROP INDEX contacts_name;
DROP INDEX contacts_amount;
DROP INDEX lookups_members_product;
DROP INDEX lookups_org_product;
DROP INDEX lookups_key_product;

-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid = 'contacts'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- After the id come the columns of the other filters, so that excluded rows are skipped within the index. Contacts
-- waiting in one stage have their own index. Old indexes are dropped once their successors exist.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_of_assignee ON contacts (assignee_id, id DESC NULLS LAST, stage_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_of_origin ON contacts (origin_id, id DESC NULLS LAST, stage_id, assignee_id) WHERE origin_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_of_webhook ON contacts (webhook_id, id DESC NULLS LAST, stage_id, assignee_id, origin_id) WHERE webhook_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_who_wait ON contacts (org_id, id DESC NULLS LAST, assignee_id, origin_id, webhook_id) WHERE waiting;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_who_wait_in ON contacts (stage_id, id DESC NULLS LAST, assignee_id, origin_id, webhook_id) WHERE waiting;
DROP INDEX CONCURRENTLY IF EXISTS contacts_assignee;
DROP INDEX CONCURRENTLY IF EXISTS contacts_origin;
DROP INDEX CONCURRENTLY IF EXISTS contacts_webhook;
DROP INDEX CONCURRENTLY IF EXISTS contacts_waiting;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_waiting ON contacts (org_id, id DESC NULLS LAST) WHERE waiting;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_webhook ON contacts (webhook_id, id DESC NULLS LAST) WHERE webhook_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_origin ON contacts (origin_id, id DESC NULLS LAST) WHERE origin_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_assignee ON contacts (assignee_id, id DESC NULLS LAST) WHERE assignee_id IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS contacts_who_wait_in;
DROP INDEX CONCURRENTLY IF EXISTS contacts_who_wait;
DROP INDEX CONCURRENTLY IF EXISTS contacts_of_webhook;
DROP INDEX CONCURRENTLY IF EXISTS contacts_of_origin;
DROP INDEX CONCURRENTLY IF EXISTS contacts_of_assignee;

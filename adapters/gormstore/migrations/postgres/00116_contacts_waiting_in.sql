-- +goose NO TRANSACTION
-- +goose Up
-- An index left invalid by a killed run is rebuilt.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_index WHERE NOT indisvalid AND indexrelid = to_regclass('contacts_waiting_in')) THEN
        DROP INDEX contacts_waiting_in;
    END IF;
END $$;
-- +goose StatementEnd

-- Who waits in a stage is found, counted and summed in one index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_waiting_in
    ON contacts (stage_id, id DESC NULLS LAST, assignee_id, origin_id, webhook_id, org_id, amount) WHERE waiting;
DROP INDEX CONCURRENTLY IF EXISTS contacts_who_wait_in;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_who_wait_in
    ON contacts (stage_id, id DESC NULLS LAST, assignee_id, origin_id, webhook_id) WHERE waiting;
DROP INDEX CONCURRENTLY IF EXISTS contacts_waiting_in;

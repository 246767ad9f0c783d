-- +goose NO TRANSACTION
-- +goose Up
-- An index left invalid by a killed run is rebuilt.
-- +goose StatementBegin
DO $$
BEGIN
    IF EXISTS (SELECT 1 FROM pg_index WHERE NOT indisvalid AND indexrelid = to_regclass('contacts_of_assignee_in')) THEN
        DROP INDEX contacts_of_assignee_in;
    END IF;
END $$;
-- +goose StatementEnd

-- What a member has in a stage is found, counted and summed in one index.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_of_assignee_in
    ON contacts (org_id, assignee_id, stage_id, id, amount) WHERE assignee_id IS NOT NULL;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS contacts_of_assignee_in;

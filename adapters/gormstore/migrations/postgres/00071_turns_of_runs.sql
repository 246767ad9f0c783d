-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid = 'jobs'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- The runs of a contact that have not ended, in their order.
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_turn ON jobs (contact_id, place) WHERE state = 'ready';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS jobs_turn;

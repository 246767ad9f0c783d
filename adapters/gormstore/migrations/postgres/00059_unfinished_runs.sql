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

-- Runs that were given up, and those awaiting their next attempt, without scanning all finished ones.
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_dead ON jobs (org_id, id) WHERE state = 'dead' AND kind <> 'contact.created';
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_waiting ON jobs (org_id, run_at) WHERE state = 'ready' AND kind <> 'contact.created';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS jobs_waiting;
DROP INDEX CONCURRENTLY IF EXISTS jobs_dead;

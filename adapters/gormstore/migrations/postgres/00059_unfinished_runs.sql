-- +goose NO TRANSACTION
-- +goose Up
-- What a killed run left behind is built again.
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

-- What was given up, and what waits for its next attempt, without a walk along everything that was done.
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_dead ON jobs (org_id, id) WHERE state = 'dead' AND kind <> 'contact.created';
CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_waiting ON jobs (org_id, run_at) WHERE state = 'ready' AND kind <> 'contact.created';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS jobs_waiting;
DROP INDEX CONCURRENTLY IF EXISTS jobs_dead;

-- +goose Up
-- Runs that were given up, and those awaiting their next attempt, without scanning all finished ones.
CREATE INDEX jobs_dead ON jobs (org_id, id) WHERE state = 'dead' AND kind <> 'contact.created';
CREATE INDEX jobs_waiting ON jobs (org_id, run_at) WHERE state = 'ready' AND kind <> 'contact.created';

-- +goose Down
DROP INDEX jobs_waiting;
DROP INDEX jobs_dead;

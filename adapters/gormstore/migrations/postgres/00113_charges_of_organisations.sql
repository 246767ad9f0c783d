-- +goose NO TRANSACTION
-- +goose Up
-- What a lookup writes says whose it is, also where a key, a member, a batch, an automation or a question implies it: on
-- Citus, a lookup then touches the rows of one node. Instances of the version before leave it out. Leases and requests
-- last too short to be given it here, and the counts of agents' sessions are nobody's that the database knows.
ALTER TABLE leases ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE lookup_requests ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE key_usage ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE limit_changes ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE told ADD COLUMN IF NOT EXISTS org_id uuid;
-- Figures of bureaus are nobody's on one PostgreSQL, and on Citus kept apart by organisation.
ALTER TABLE bureau_days ADD COLUMN IF NOT EXISTS org_id uuid NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

-- One commit for each of those that are charged, or that something was told about: a call waits for the counts of its own
-- alone.
-- +goose StatementBegin
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN
        SELECT id, org_id FROM keys UNION ALL SELECT id, org_id FROM members
        UNION ALL SELECT id, org_id FROM batches UNION ALL SELECT id, org_id FROM automations
        UNION ALL SELECT id, id FROM organisations
    LOOP
        UPDATE key_usage SET org_id = one.org_id WHERE key_id = one.id AND org_id IS NULL;
        UPDATE limit_changes SET org_id = one.org_id WHERE key_id = one.id AND org_id IS NULL;
        UPDATE told SET org_id = one.org_id WHERE subject_id = one.id AND org_id IS NULL;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd

-- +goose Down
ALTER TABLE bureau_days DROP COLUMN IF EXISTS org_id;
ALTER TABLE told DROP COLUMN IF EXISTS org_id;
ALTER TABLE limit_changes DROP COLUMN IF EXISTS org_id;
ALTER TABLE key_usage DROP COLUMN IF EXISTS org_id;
ALTER TABLE lookup_requests DROP COLUMN IF EXISTS org_id;
ALTER TABLE leases DROP COLUMN IF EXISTS org_id;

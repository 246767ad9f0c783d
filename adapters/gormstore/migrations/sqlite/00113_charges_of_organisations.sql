-- +goose Up
-- What a lookup writes says whose it is, also where a key, a member, a batch, an automation or a question implies it.
ALTER TABLE leases ADD COLUMN org_id text;
ALTER TABLE lookup_requests ADD COLUMN org_id text;
ALTER TABLE key_usage ADD COLUMN org_id text;
ALTER TABLE limit_changes ADD COLUMN org_id text;
ALTER TABLE told ADD COLUMN org_id text;
-- Figures of bureaus are nobody's.
ALTER TABLE bureau_days ADD COLUMN org_id text NOT NULL DEFAULT '00000000-0000-0000-0000-000000000000';

UPDATE key_usage SET org_id = COALESCE(
    (SELECT org_id FROM keys WHERE id = key_id), (SELECT org_id FROM members WHERE id = key_id),
    (SELECT org_id FROM batches WHERE id = key_id), (SELECT org_id FROM automations WHERE id = key_id));
UPDATE limit_changes SET org_id = COALESCE(
    (SELECT org_id FROM keys WHERE id = key_id), (SELECT org_id FROM members WHERE id = key_id),
    (SELECT org_id FROM automations WHERE id = key_id));
UPDATE told SET org_id = COALESCE(
    (SELECT org_id FROM keys WHERE id = subject_id), (SELECT org_id FROM batches WHERE id = subject_id),
    (SELECT org_id FROM automations WHERE id = subject_id), (SELECT org_id FROM members WHERE id = subject_id),
    (SELECT id FROM organisations WHERE id = subject_id));

-- +goose Down
ALTER TABLE bureau_days DROP COLUMN org_id;
ALTER TABLE told DROP COLUMN org_id;
ALTER TABLE limit_changes DROP COLUMN org_id;
ALTER TABLE key_usage DROP COLUMN org_id;
ALTER TABLE lookup_requests DROP COLUMN org_id;
ALTER TABLE leases DROP COLUMN org_id;

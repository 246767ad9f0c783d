-- +goose Up
-- The indexes for a statement of one purpose.
CREATE INDEX lookups_org_purpose ON lookups (org_id, purpose, id) WHERE purpose <> '';
CREATE INDEX lookups_key_purpose ON lookups (key_id, purpose, id) WHERE purpose <> '';

-- +goose Down
DROP INDEX lookups_key_purpose;
DROP INDEX lookups_org_purpose;

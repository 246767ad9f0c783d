-- +goose Up
-- What members looked up, among far more that keys did.
CREATE INDEX lookups_members ON lookups (org_id, id) WHERE key_id IS NULL;

-- +goose Down
DROP INDEX lookups_members;

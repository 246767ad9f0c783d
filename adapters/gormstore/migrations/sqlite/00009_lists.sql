-- +goose Up
-- A statement filtered by product, by cache or by both: of a key, an organisation and its members.
CREATE INDEX lookups_key_product ON lookups (key_id, product, cache, id);
CREATE INDEX lookups_org_product ON lookups (org_id, product, cache, id);
CREATE INDEX lookups_members_product ON lookups (org_id, product, cache, id) WHERE key_id IS NULL;

-- +goose Down
DROP INDEX lookups_members_product;
DROP INDEX lookups_org_product;
DROP INDEX lookups_key_product;

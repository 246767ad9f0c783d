-- +goose NO TRANSACTION
-- +goose Up
-- What a killed run left behind is built again.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid IN ('lookups'::regclass, 'contacts'::regclass)
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- A statement filtered by product, by cache or by both: of a key, an organisation and its members.
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_key_product ON lookups (key_id, product, cache, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_org_product ON lookups (org_id, product, cache, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookups_members_product ON lookups (org_id, product, cache, id) WHERE key_id IS NULL;

-- +goose Down
DROP INDEX lookups_members_product;
DROP INDEX lookups_org_product;
DROP INDEX lookups_key_product;

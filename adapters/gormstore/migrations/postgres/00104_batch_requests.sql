-- +goose NO TRANSACTION
-- +goose Up
-- An index left invalid by a killed run is built again.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid = 'batches'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- The request that made a batch, hashed with a key that stays when the data key is rotated. request_key and request_body
-- are hashed with the data key, and are still written for instances of the version before.
ALTER TABLE batches ADD COLUMN IF NOT EXISTS request_hash text NOT NULL DEFAULT '';
ALTER TABLE batches ADD COLUMN IF NOT EXISTS body_hash bytea;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS batches_request_hash ON batches (COALESCE(key_id, member_id), request_hash) WHERE request_hash <> '';

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS batches_request_hash;
ALTER TABLE batches DROP COLUMN IF EXISTS body_hash;
ALTER TABLE batches DROP COLUMN IF EXISTS request_hash;

-- +goose Up
-- The request that made a batch, hashed with a key that stays when the data key is rotated. request_key and request_body
-- are hashed with the data key, and are still written for instances of the version before.
ALTER TABLE batches ADD COLUMN request_hash text NOT NULL DEFAULT '';
ALTER TABLE batches ADD COLUMN body_hash blob;
CREATE UNIQUE INDEX batches_request_hash ON batches (COALESCE(key_id, member_id), request_hash) WHERE request_hash <> '';

-- +goose Down
DROP INDEX batches_request_hash;
ALTER TABLE batches DROP COLUMN body_hash;
ALTER TABLE batches DROP COLUMN request_hash;

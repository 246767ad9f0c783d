-- +goose NO TRANSACTION
-- +goose Up
-- The batch that a notification is about.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS batch_id uuid;

-- The faults that a batch's page shows; indexes left invalid by a killed run are rebuilt.
DROP INDEX CONCURRENTLY IF EXISTS batch_items_invalid;
CREATE INDEX CONCURRENTLY batch_items_invalid ON batch_items (batch_id, line) WHERE state = 'invalido';

-- +goose Down
DROP INDEX batch_items_invalid;
ALTER TABLE notifications DROP COLUMN batch_id;

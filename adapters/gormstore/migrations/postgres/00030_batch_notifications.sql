-- +goose NO TRANSACTION
-- +goose Up
-- The batch that a notification is about.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS batch_id uuid;

-- What a batch shows of its faults, whenever it is looked at; what a killed run left behind is built again.
DROP INDEX CONCURRENTLY IF EXISTS batch_items_invalid;
CREATE INDEX CONCURRENTLY batch_items_invalid ON batch_items (batch_id, line) WHERE state = 'invalido';

-- +goose Down
DROP INDEX batch_items_invalid;
ALTER TABLE notifications DROP COLUMN batch_id;

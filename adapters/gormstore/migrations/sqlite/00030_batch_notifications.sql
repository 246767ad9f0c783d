-- +goose Up
-- The batch that a notification is about.
ALTER TABLE notifications ADD COLUMN batch_id text;

-- The faults that a batch's page shows.
CREATE INDEX batch_items_invalid ON batch_items (batch_id, line) WHERE state = 'invalido';

-- +goose Down
DROP INDEX batch_items_invalid;
ALTER TABLE notifications DROP COLUMN batch_id;

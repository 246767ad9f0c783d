-- +goose Up
-- The batch that a notification is about.
ALTER TABLE notifications ADD COLUMN batch_id text;

-- +goose Down
ALTER TABLE notifications DROP COLUMN batch_id;

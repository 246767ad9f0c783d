-- +goose Up
-- The batch that a notification is about.
ALTER TABLE notifications ADD COLUMN IF NOT EXISTS batch_id uuid;

-- +goose Down
ALTER TABLE notifications DROP COLUMN batch_id;

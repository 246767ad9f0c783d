-- +goose Up
-- What asked in the name of a key or member. What a batch was charged in all, and an automation in a month, is in
-- key_usage, as what a key was. On PostgreSQL see partitioning.go.
ALTER TABLE lookups ADD COLUMN batch_id text;
ALTER TABLE lookups ADD COLUMN automation_id text;

-- +goose Down
ALTER TABLE lookups DROP COLUMN automation_id;
ALTER TABLE lookups DROP COLUMN batch_id;

-- +goose Up
-- The batch or automation that asked in the name of a key or member. A batch's total charges and an automation's
-- monthly ones are in key_usage, like a key's. On PostgreSQL see partitioning.go.
ALTER TABLE lookups ADD COLUMN batch_id text;
ALTER TABLE lookups ADD COLUMN automation_id text;

-- +goose Down
ALTER TABLE lookups DROP COLUMN automation_id;
ALTER TABLE lookups DROP COLUMN batch_id;

-- +goose Up
-- What was so when an event happened, and its place among the events of its contact.
ALTER TABLE jobs ADD COLUMN IF NOT EXISTS facts text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN IF NOT EXISTS place bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE jobs DROP COLUMN place;
ALTER TABLE jobs DROP COLUMN facts;

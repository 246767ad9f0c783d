-- +goose Up
-- What was so when an event happened, and its place among the events of its contact.
ALTER TABLE jobs ADD COLUMN facts text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN place integer NOT NULL DEFAULT 0;
CREATE INDEX jobs_turn ON jobs (contact_id, place) WHERE state = 'ready';

-- +goose Down
DROP INDEX jobs_turn;
ALTER TABLE jobs DROP COLUMN place;
ALTER TABLE jobs DROP COLUMN facts;

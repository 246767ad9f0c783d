-- +goose Up
-- An answer may speak of several products: of_id is then the record of the one that was asked about.
ALTER TABLE records ADD COLUMN of_id text;
CREATE INDEX records_of ON records (of_id) WHERE of_id IS NOT NULL;

-- +goose Down
DROP INDEX records_of;
ALTER TABLE records DROP COLUMN of_id;

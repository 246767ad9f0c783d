-- +goose Up
-- The ids of the contacts that an erasure is about, as JSON: the journal that a database can write names them too.
ALTER TABLE erasures ADD COLUMN contacts text NOT NULL DEFAULT '{}';

-- +goose Down
ALTER TABLE erasures DROP COLUMN contacts;

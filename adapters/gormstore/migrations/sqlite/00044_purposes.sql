-- +goose Up
-- The purposes of an organisation's lookups, by the codes that lookups keep. roles are comma-separated; empty for all.
CREATE TABLE purposes (
    id         text NOT NULL PRIMARY KEY,
    org_id     text NOT NULL REFERENCES organisations (id),
    code       text NOT NULL,
    name       text NOT NULL,
    basis      text NOT NULL,
    roles      text NOT NULL,
    created_at datetime NOT NULL,
    retired_at datetime
);
CREATE UNIQUE INDEX purposes_code ON purposes (org_id, code);
ALTER TABLE organisations ADD COLUMN own_history boolean NOT NULL DEFAULT false;
-- Codes of purposes, and networks that a key may be used from, comma-separated; empty for all.
ALTER TABLE keys ADD COLUMN purposes text NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN networks text NOT NULL DEFAULT '';
ALTER TABLE batches ADD COLUMN purpose text NOT NULL DEFAULT '';
ALTER TABLE records ADD COLUMN purpose text NOT NULL DEFAULT '';
ALTER TABLE lookups ADD COLUMN purpose text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE lookups DROP COLUMN purpose;
ALTER TABLE records DROP COLUMN purpose;
ALTER TABLE batches DROP COLUMN purpose;
ALTER TABLE keys DROP COLUMN networks;
ALTER TABLE keys DROP COLUMN purposes;
ALTER TABLE organisations DROP COLUMN own_history;
DROP TABLE purposes;

-- +goose Up
-- Products that an organisation requests together, their ids separated by spaces. folded is the name without case and
-- accents.
CREATE TABLE bundles (
    id       text PRIMARY KEY,
    org_id   text NOT NULL REFERENCES organisations (id),
    name     text NOT NULL,
    folded   text NOT NULL,
    products text NOT NULL
);
CREATE UNIQUE INDEX bundles_folded ON bundles (org_id, folded);

-- +goose Down
DROP TABLE bundles;

-- +goose Up
-- What platforms were told of contacts, under the id of the run; content is sealed, and goes with the contact.
CREATE TABLE IF NOT EXISTS told_stages (
    id          uuid NOT NULL PRIMARY KEY,
    org_id      uuid NOT NULL,
    contact_id  uuid NOT NULL,
    destination text NOT NULL,
    at          timestamptz NOT NULL,
    answered_at timestamptz,
    content     bytea NOT NULL
);
CREATE INDEX IF NOT EXISTS told_stages_contact ON told_stages (contact_id);

-- To whom an erased person's data had been passed on, as JSON of names and times.
ALTER TABLE erasures ADD COLUMN IF NOT EXISTS told text NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE erasures DROP COLUMN told;
DROP TABLE told_stages;

-- +goose Up
-- What platforms were told of contacts, under the id of the run; content is sealed, and goes with the contact.
CREATE TABLE told_stages (
    id          text NOT NULL PRIMARY KEY,
    org_id      text NOT NULL,
    contact_id  text NOT NULL,
    destination text NOT NULL,
    at          datetime NOT NULL,
    answered_at datetime,
    content     blob NOT NULL
);
CREATE INDEX told_stages_contact ON told_stages (contact_id);

-- To whom an erased person's data had been passed on, as JSON of names and times.
ALTER TABLE erasures ADD COLUMN told text NOT NULL DEFAULT '[]';

-- +goose Down
ALTER TABLE erasures DROP COLUMN told;
DROP TABLE told_stages;

-- +goose Up
-- What happened, what it is about beside the contact, and the automations that led to it. A job without a contact has
-- the id of none.
ALTER TABLE jobs ADD COLUMN event text NOT NULL DEFAULT 'contact.created';
ALTER TABLE jobs ADD COLUMN subject_id text;
ALTER TABLE jobs ADD COLUMN detail text NOT NULL DEFAULT '';
ALTER TABLE jobs ADD COLUMN trail text NOT NULL DEFAULT '';
ALTER TABLE automations ADD COLUMN condition text NOT NULL DEFAULT '';

-- Who listens: looked at by whoever makes an event true.
CREATE INDEX automations_event ON automations (org_id, event) WHERE enabled;

-- What the team was told once: the mark says what of it.
CREATE TABLE told (
    subject_id text NOT NULL,
    mark       text NOT NULL,
    at         datetime NOT NULL,
    PRIMARY KEY (subject_id, mark)
);

-- +goose Down
DROP TABLE told;
DROP INDEX automations_event;
ALTER TABLE automations DROP COLUMN condition;
ALTER TABLE jobs DROP COLUMN trail;
ALTER TABLE jobs DROP COLUMN detail;
ALTER TABLE jobs DROP COLUMN subject_id;
ALTER TABLE jobs DROP COLUMN event;

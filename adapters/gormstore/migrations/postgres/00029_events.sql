-- +goose Up
-- The event, its subject beside the contact, and the automations that led to it. A job without a contact has the zero
-- id.
ALTER TABLE jobs
    ADD COLUMN IF NOT EXISTS event text NOT NULL DEFAULT 'contact.created',
    ADD COLUMN IF NOT EXISTS subject_id uuid,
    ADD COLUMN IF NOT EXISTS detail text NOT NULL DEFAULT '',
    ADD COLUMN IF NOT EXISTS trail text NOT NULL DEFAULT '';
ALTER TABLE automations ADD COLUMN IF NOT EXISTS condition text NOT NULL DEFAULT '';

-- Automations by event: read whenever an event occurs.
CREATE INDEX automations_event ON automations (org_id, event) WHERE enabled;

-- Notifications that the team gets only once per subject and mark.
CREATE TABLE told (
    subject_id uuid NOT NULL,
    mark       text NOT NULL,
    at         timestamptz NOT NULL,
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

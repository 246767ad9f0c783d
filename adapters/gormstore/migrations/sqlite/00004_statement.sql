-- +goose Up
-- Lookups by members, among far more by keys.
CREATE INDEX lookups_members ON lookups (org_id, id) WHERE key_id IS NULL;

-- The history of a contact, and of an automation.
CREATE INDEX jobs_contact ON jobs (contact_id, id) WHERE kind <> 'contact.created';
CREATE INDEX jobs_automation ON jobs (automation_id, id) WHERE kind <> 'contact.created';

-- +goose Down
DROP INDEX jobs_automation;
DROP INDEX jobs_contact;
DROP INDEX lookups_members;

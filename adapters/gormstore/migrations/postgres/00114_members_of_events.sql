-- +goose Up
-- Which member answered a contact: a name may change, or be that of an automation.
ALTER TABLE contact_events ADD COLUMN IF NOT EXISTS member_id uuid;

-- +goose Down
ALTER TABLE contact_events DROP COLUMN IF EXISTS member_id;

-- +goose Up
-- Which member answered a contact: a name may change, or be that of an automation.
ALTER TABLE contact_events ADD COLUMN member_id text;

-- +goose Down
ALTER TABLE contact_events DROP COLUMN member_id;

-- +goose Up
-- The yes and no of a contact's forms, sealed; null where they have none.
ALTER TABLE contacts ADD COLUMN consents blob;

-- +goose Down
ALTER TABLE contacts DROP COLUMN consents;

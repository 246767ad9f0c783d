-- +goose Up
-- The key under which the sender of a webhook puts the contact's e-mail; empty leaves it to the reader.
ALTER TABLE webhooks ADD COLUMN email_key text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE webhooks DROP COLUMN email_key;

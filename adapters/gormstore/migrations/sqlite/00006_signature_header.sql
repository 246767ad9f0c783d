-- +goose Up
-- The header in which the sender of a plain HMAC puts it; none for the usual ones.
ALTER TABLE webhooks ADD COLUMN signature_header text;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN signature_header;

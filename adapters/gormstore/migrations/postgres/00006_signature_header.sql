-- +goose Up
-- The header that carries a sender's plain HMAC; empty for the usual headers.
ALTER TABLE webhooks ADD COLUMN signature_header text;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN signature_header;

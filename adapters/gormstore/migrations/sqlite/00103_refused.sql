-- +goose Up
-- The refused posts of a webhook, without walking all others.
CREATE INDEX deliveries_refused ON deliveries (webhook_id, id) WHERE outcome = 'refused';

-- +goose Down
DROP INDEX deliveries_refused;

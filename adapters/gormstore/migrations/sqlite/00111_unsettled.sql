-- +goose Up
-- The refused posts of a webhook that nobody has made a contact of, without walking those that somebody has.
CREATE INDEX deliveries_unsettled ON deliveries (webhook_id, id)
    WHERE outcome = 'refused' AND contact_id IS NULL AND replay_of IS NULL;

-- +goose Down
DROP INDEX deliveries_unsettled;

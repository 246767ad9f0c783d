-- +goose Up
-- Deliveries of a webhook per UTC hour, by outcome: the sum of its slots, as with webhook_counters. It is filled here,
-- because deliveries span only thirty days.
CREATE TABLE delivery_hours (
    webhook_id uuid NOT NULL,
    hour       timestamptz NOT NULL,
    slot       bigint NOT NULL,
    accepted   bigint NOT NULL,
    repeated   bigint NOT NULL,
    refused    bigint NOT NULL,
    PRIMARY KEY (webhook_id, hour, slot)
) WITH (fillfactor = 50);
CREATE INDEX delivery_hours_hour ON delivery_hours (hour);

INSERT INTO delivery_hours (webhook_id, hour, slot, accepted, repeated, refused)
SELECT webhook_id, date_trunc('hour', at, 'UTC'), 0, COUNT(CASE WHEN outcome = 'accepted' THEN 1 END),
    COUNT(CASE WHEN outcome = 'repeated' THEN 1 END), COUNT(CASE WHEN outcome = 'refused' THEN 1 END)
FROM deliveries GROUP BY 1, 2;

-- +goose Down
DROP TABLE delivery_hours;

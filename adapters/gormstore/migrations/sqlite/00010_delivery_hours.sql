-- +goose Up
-- Deliveries of a webhook per UTC hour, by outcome: the sum of its slots, as with webhook_counters. It is filled here,
-- because deliveries span only thirty days.
CREATE TABLE delivery_hours (
    webhook_id text NOT NULL,
    hour       datetime NOT NULL,
    slot       integer NOT NULL,
    accepted   integer NOT NULL,
    repeated   integer NOT NULL,
    refused    integer NOT NULL,
    PRIMARY KEY (webhook_id, hour, slot)
);
CREATE INDEX delivery_hours_hour ON delivery_hours (hour);

INSERT INTO delivery_hours (webhook_id, hour, slot, accepted, repeated, refused)
SELECT webhook_id, substr(at, 1, 13) || ':00:00+00:00', 0, COUNT(CASE WHEN outcome = 'accepted' THEN 1 END),
    COUNT(CASE WHEN outcome = 'repeated' THEN 1 END), COUNT(CASE WHEN outcome = 'refused' THEN 1 END)
FROM deliveries GROUP BY 1, 2;

-- +goose Down
DROP TABLE delivery_hours;

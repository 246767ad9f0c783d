-- +goose Up
-- The posts of a month are read by webhook and hour: the rows are in that order, instead of beside an index in that
-- order.
CREATE TABLE delivery_hours_ordered (
    webhook_id text NOT NULL,
    hour       datetime NOT NULL,
    slot       integer NOT NULL,
    accepted   integer NOT NULL,
    repeated   integer NOT NULL,
    refused    integer NOT NULL,
    PRIMARY KEY (webhook_id, hour, slot)
) WITHOUT ROWID;
INSERT INTO delivery_hours_ordered (webhook_id, hour, slot, accepted, repeated, refused)
SELECT webhook_id, hour, slot, accepted, repeated, refused FROM delivery_hours ORDER BY webhook_id, hour, slot;
DROP TABLE delivery_hours;
ALTER TABLE delivery_hours_ordered RENAME TO delivery_hours;
CREATE INDEX delivery_hours_hour ON delivery_hours (hour);
CREATE INDEX delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;

-- +goose Down
CREATE TABLE delivery_hours_ordered (
    webhook_id text NOT NULL,
    hour       datetime NOT NULL,
    slot       integer NOT NULL,
    accepted   integer NOT NULL,
    repeated   integer NOT NULL,
    refused    integer NOT NULL,
    PRIMARY KEY (webhook_id, hour, slot)
);
INSERT INTO delivery_hours_ordered (webhook_id, hour, slot, accepted, repeated, refused)
SELECT webhook_id, hour, slot, accepted, repeated, refused FROM delivery_hours ORDER BY webhook_id, hour, slot;
DROP TABLE delivery_hours;
ALTER TABLE delivery_hours_ordered RENAME TO delivery_hours;
CREATE INDEX delivery_hours_hour ON delivery_hours (hour);
CREATE INDEX delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;

-- +goose Up
-- A question may be put to several bureaus: each call is a line of its own, which names its bureau, and the line of the
-- call that answered. What further calls may cost is reserved while a line is running.
ALTER TABLE lookups ADD COLUMN bureau text NOT NULL DEFAULT '';
ALTER TABLE lookups ADD COLUMN followed_id text;
ALTER TABLE lookups ADD COLUMN compared boolean NOT NULL DEFAULT false;
-- What was asked beside the document, sealed.
ALTER TABLE lookups ADD COLUMN inputs blob;
ALTER TABLE records ADD COLUMN inputs blob;
-- What the question's other calls cost.
ALTER TABLE lookups ADD COLUMN others bigint NOT NULL DEFAULT 0;
ALTER TABLE lookups ADD COLUMN spare bigint NOT NULL DEFAULT 0;
ALTER TABLE lookups ADD COLUMN spare_calls bigint NOT NULL DEFAULT 0;
ALTER TABLE records ADD COLUMN bureau text NOT NULL DEFAULT '';
-- The fields that are from other bureaus, as JSON.
ALTER TABLE records ADD COLUMN sources text NOT NULL DEFAULT '';
-- In which order a product's bureaus are asked, where that is not the configuration's; names separated by commas.
CREATE TABLE bureau_orders (
    product text NOT NULL PRIMARY KEY,
    names   text NOT NULL
);
-- Bureaus that are asked nothing, until a time or until somebody says so.
CREATE TABLE bureau_outs (
    name      text NOT NULL PRIMARY KEY,
    until     datetime,
    exhausted boolean NOT NULL
);
-- Calls by day, and by about how long they took.
CREATE TABLE bureau_days (
    bureau  text NOT NULL,
    day     text NOT NULL,
    took    bigint NOT NULL,
    slot    bigint NOT NULL,
    calls   bigint NOT NULL,
    failed  bigint NOT NULL,
    charged bigint NOT NULL,
    amount  bigint NOT NULL,
    above   bigint NOT NULL,
    PRIMARY KEY (bureau, day, took, slot)
);
CREATE INDEX bureau_days_open ON bureau_days (day) WHERE slot <> -100;

-- +goose Down
DROP TABLE bureau_days;
DROP TABLE bureau_outs;
DROP TABLE bureau_orders;
ALTER TABLE records DROP COLUMN sources;
ALTER TABLE records DROP COLUMN bureau;
ALTER TABLE lookups DROP COLUMN spare_calls;
ALTER TABLE lookups DROP COLUMN spare;
ALTER TABLE lookups DROP COLUMN others;
ALTER TABLE records DROP COLUMN inputs;
ALTER TABLE lookups DROP COLUMN inputs;
ALTER TABLE lookups DROP COLUMN compared;
ALTER TABLE lookups DROP COLUMN followed_id;
ALTER TABLE lookups DROP COLUMN bureau;

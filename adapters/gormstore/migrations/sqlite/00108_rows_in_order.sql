-- +goose Up
-- Rows that are as small as their keys are kept in the order of their keys, instead of beside an index in that order: a
-- change touches one tree instead of two, and what is read in that order is read in one piece.
CREATE TABLE key_usage_ordered (
    key_id text NOT NULL,
    bucket text NOT NULL,
    count  integer NOT NULL,
    amount integer NOT NULL,
    PRIMARY KEY (key_id, bucket)
) WITHOUT ROWID;
INSERT INTO key_usage_ordered (key_id, bucket, count, amount)
SELECT key_id, bucket, count, amount FROM key_usage ORDER BY key_id, bucket;
DROP TABLE key_usage;
ALTER TABLE key_usage_ordered RENAME TO key_usage;

CREATE TABLE lookup_hours_ordered (
    org_id  text NOT NULL,
    hour    datetime NOT NULL,
    product text NOT NULL,
    slot    integer NOT NULL,
    charged integer NOT NULL,
    cached  integer NOT NULL,
    amount  integer NOT NULL,
    PRIMARY KEY (org_id, hour, product, slot)
) WITHOUT ROWID;
INSERT INTO lookup_hours_ordered (org_id, hour, product, slot, charged, cached, amount)
SELECT org_id, hour, product, slot, charged, cached, amount FROM lookup_hours ORDER BY org_id, hour, product, slot;
DROP TABLE lookup_hours;
ALTER TABLE lookup_hours_ordered RENAME TO lookup_hours;
CREATE INDEX lookup_hours_open ON lookup_hours (hour) WHERE slot <> -100;

CREATE TABLE spend_days_ordered (
    org_id  text NOT NULL,
    day     text NOT NULL,
    key_id  text NOT NULL,
    product text NOT NULL,
    slot    integer NOT NULL,
    charged integer NOT NULL,
    amount  integer NOT NULL,
    PRIMARY KEY (org_id, day, key_id, product, slot)
) WITHOUT ROWID;
INSERT INTO spend_days_ordered (org_id, day, key_id, product, slot, charged, amount)
SELECT org_id, day, key_id, product, slot, charged, amount FROM spend_days ORDER BY org_id, day, key_id, product, slot;
DROP TABLE spend_days;
ALTER TABLE spend_days_ordered RENAME TO spend_days;
CREATE INDEX spend_days_open ON spend_days (day) WHERE slot <> -100;

CREATE TABLE receipts_ordered (
    webhook_id text NOT NULL,
    key        blob NOT NULL,
    body       blob NOT NULL,
    contact_id text NOT NULL,
    at         datetime NOT NULL,
    PRIMARY KEY (webhook_id, key)
) WITHOUT ROWID;
INSERT INTO receipts_ordered (webhook_id, key, body, contact_id, at)
SELECT webhook_id, key, body, contact_id, at FROM receipts ORDER BY webhook_id, key;
DROP TABLE receipts;
ALTER TABLE receipts_ordered RENAME TO receipts;
CREATE INDEX receipts_at ON receipts (at);

CREATE TABLE webhook_counters_ordered (
    webhook_id text NOT NULL,
    slot       integer NOT NULL,
    received   integer NOT NULL,
    PRIMARY KEY (webhook_id, slot)
) WITHOUT ROWID;
INSERT INTO webhook_counters_ordered (webhook_id, slot, received)
SELECT webhook_id, slot, received FROM webhook_counters ORDER BY webhook_id, slot;
DROP TABLE webhook_counters;
ALTER TABLE webhook_counters_ordered RENAME TO webhook_counters;

CREATE TABLE delivery_contacts_ordered (
    delivery_id text NOT NULL,
    position    integer NOT NULL,
    contact_id  text NOT NULL,
    PRIMARY KEY (delivery_id, position)
) WITHOUT ROWID;
INSERT INTO delivery_contacts_ordered (delivery_id, position, contact_id)
SELECT delivery_id, position, contact_id FROM delivery_contacts ORDER BY delivery_id, position;
DROP TABLE delivery_contacts;
ALTER TABLE delivery_contacts_ordered RENAME TO delivery_contacts;

CREATE TABLE contact_hours_ordered (
    org_id     text NOT NULL,
    hour       datetime NOT NULL,
    webhook_id text NOT NULL,
    origin_id  text NOT NULL,
    slot       integer NOT NULL,
    contacts   integer NOT NULL,
    PRIMARY KEY (org_id, hour, webhook_id, origin_id, slot)
) WITHOUT ROWID;
INSERT INTO contact_hours_ordered (org_id, hour, webhook_id, origin_id, slot, contacts)
SELECT org_id, hour, webhook_id, origin_id, slot, contacts FROM contact_hours ORDER BY org_id, hour, webhook_id, origin_id, slot;
DROP TABLE contact_hours;
ALTER TABLE contact_hours_ordered RENAME TO contact_hours;
CREATE INDEX contact_hours_open ON contact_hours (hour) WHERE slot <> -100;

CREATE TABLE stage_totals_ordered (
    stage_id text NOT NULL,
    slot     integer NOT NULL,
    contacts integer NOT NULL,
    high     integer NOT NULL,
    low      integer NOT NULL,
    PRIMARY KEY (stage_id, slot)
) WITHOUT ROWID;
INSERT INTO stage_totals_ordered (stage_id, slot, contacts, high, low)
SELECT stage_id, slot, contacts, high, low FROM stage_totals ORDER BY stage_id, slot;
DROP TABLE stage_totals;
ALTER TABLE stage_totals_ordered RENAME TO stage_totals;

CREATE TABLE rotation_counts_ordered (
    rotation_id text NOT NULL,
    member_id   text NOT NULL,
    contacts    integer NOT NULL,
    PRIMARY KEY (rotation_id, member_id)
) WITHOUT ROWID;
INSERT INTO rotation_counts_ordered (rotation_id, member_id, contacts)
SELECT rotation_id, member_id, contacts FROM rotation_counts ORDER BY rotation_id, member_id;
DROP TABLE rotation_counts;
ALTER TABLE rotation_counts_ordered RENAME TO rotation_counts;

CREATE TABLE first_answers_ordered (
    org_id     text NOT NULL,
    hour       datetime NOT NULL,
    member_id  text NOT NULL,
    origin_id  text NOT NULL,
    answers    integer NOT NULL,
    seconds    integer NOT NULL,
    within_5m  integer NOT NULL DEFAULT 0,
    within_15m integer NOT NULL DEFAULT 0,
    within_1h  integer NOT NULL DEFAULT 0,
    within_4h  integer NOT NULL DEFAULT 0,
    within_1d  integer NOT NULL DEFAULT 0,
    within_3d  integer NOT NULL DEFAULT 0,
    longer     integer NOT NULL DEFAULT 0,
    PRIMARY KEY (org_id, hour, member_id, origin_id)
) WITHOUT ROWID;
INSERT INTO first_answers_ordered (org_id, hour, member_id, origin_id, answers, seconds, within_5m, within_15m, within_1h, within_4h, within_1d, within_3d, longer)
SELECT org_id, hour, member_id, origin_id, answers, seconds, within_5m, within_15m, within_1h, within_4h, within_1d, within_3d, longer FROM first_answers ORDER BY org_id, hour, member_id, origin_id;
DROP TABLE first_answers;
ALTER TABLE first_answers_ordered RENAME TO first_answers;

-- +goose Down
-- The version before reads and writes the tables as they are.
SELECT 1;

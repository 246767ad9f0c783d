-- +goose Up
-- Figures that are read for a month are kept in the order of their keys, instead of beside an index in that order.
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

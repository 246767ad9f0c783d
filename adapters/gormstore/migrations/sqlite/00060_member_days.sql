-- +goose Up
-- A member's charges per day, by product, as in the entries of the statement. Each is the sum of its slots.
CREATE TABLE member_days (
    org_id    text NOT NULL,
    member_id text NOT NULL,
    day       text NOT NULL,
    product   text NOT NULL,
    slot      integer NOT NULL,
    charged   integer NOT NULL,
    amount    integer NOT NULL,
    PRIMARY KEY (org_id, member_id, day, product, slot)
) WITHOUT ROWID;
CREATE INDEX member_days_open ON member_days (day) WHERE slot <> -100;

-- Triggers keep it up to date, as on PostgreSQL, where older versions may go on serving.
-- +goose StatementBegin
CREATE TRIGGER member_days_come AFTER INSERT ON lookups WHEN new.charged AND new.member_id IS NOT NULL
BEGIN
    INSERT INTO member_days (org_id, member_id, day, product, slot, charged, amount)
    VALUES (new.org_id, new.member_id, new.day, new.product, 0, 1, new.amount)
    ON CONFLICT DO UPDATE SET charged = charged + 1, amount = amount + excluded.amount;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER member_days_change AFTER UPDATE OF charged, amount ON lookups
WHEN new.member_id IS NOT NULL AND (old.charged <> new.charged OR old.amount <> new.amount)
BEGIN
    INSERT INTO member_days (org_id, member_id, day, product, slot, charged, amount)
    VALUES (new.org_id, new.member_id, new.day, new.product, 0, new.charged - old.charged, new.amount - old.amount)
    ON CONFLICT DO UPDATE SET charged = charged + excluded.charged, amount = amount + excluded.amount;
END;
-- +goose StatementEnd
INSERT INTO member_days (org_id, member_id, day, product, slot, charged, amount)
SELECT org_id, member_id, day, product, 0, COUNT(*), SUM(amount) FROM lookups
WHERE charged AND member_id IS NOT NULL GROUP BY 1, 2, 3, 4;

-- A member's lookups, without scanning rows that a filter excludes.
CREATE INDEX lookups_member_product ON lookups (member_id, product, cache, id) WHERE member_id IS NOT NULL;
CREATE INDEX lookups_member_purpose ON lookups (member_id, purpose, id) WHERE member_id IS NOT NULL AND purpose <> '';

-- +goose Down
DROP INDEX lookups_member_purpose;
DROP INDEX lookups_member_product;
DROP TRIGGER member_days_change;
DROP TRIGGER member_days_come;
DROP TABLE member_days;

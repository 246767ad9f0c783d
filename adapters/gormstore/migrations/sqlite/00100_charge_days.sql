-- +goose Up
-- What was charged a day, by all that the statement tells apart. Each is the sum of its slots; an id of zeros is none.
CREATE TABLE charge_days (
    org_id        text NOT NULL,
    day           text NOT NULL,
    key_id        text NOT NULL,
    member_id     text NOT NULL,
    automation_id text NOT NULL,
    batch_id      text NOT NULL,
    purpose       text NOT NULL,
    bureau        text NOT NULL,
    product       text NOT NULL,
    slot          integer NOT NULL,
    charged       integer NOT NULL,
    amount        integer NOT NULL,
    PRIMARY KEY (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot)
) WITHOUT ROWID;
CREATE INDEX charge_days_open ON charge_days (day) WHERE slot <> -100;

-- Triggers keep it up to date, as on PostgreSQL, where older versions may go on serving. The bureau of an entry changes
-- with its amount where a question goes on to the next one: what was counted before is taken back.
-- +goose StatementBegin
CREATE TRIGGER charge_days_come AFTER INSERT ON lookups WHEN new.charged
BEGIN
    INSERT INTO charge_days (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot, charged, amount)
    VALUES (new.org_id, new.day, coalesce(new.key_id, '00000000-0000-0000-0000-000000000000'), coalesce(new.member_id, '00000000-0000-0000-0000-000000000000'),
        coalesce(new.automation_id, '00000000-0000-0000-0000-000000000000'), coalesce(new.batch_id, '00000000-0000-0000-0000-000000000000'), new.purpose, new.bureau, new.product, 0, 1, new.amount)
    ON CONFLICT DO UPDATE SET charged = charged + 1, amount = amount + excluded.amount;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER charge_days_change AFTER UPDATE OF charged, amount, bureau ON lookups
WHEN old.charged <> new.charged OR old.amount <> new.amount OR old.bureau <> new.bureau
BEGIN
    INSERT INTO charge_days (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot, charged, amount)
    SELECT old.org_id, old.day, coalesce(old.key_id, '00000000-0000-0000-0000-000000000000'), coalesce(old.member_id, '00000000-0000-0000-0000-000000000000'),
        coalesce(old.automation_id, '00000000-0000-0000-0000-000000000000'), coalesce(old.batch_id, '00000000-0000-0000-0000-000000000000'), old.purpose, old.bureau, old.product, 0, -1, -old.amount
    WHERE old.charged
    ON CONFLICT DO UPDATE SET charged = charged - 1, amount = amount + excluded.amount;
    INSERT INTO charge_days (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot, charged, amount)
    SELECT new.org_id, new.day, coalesce(new.key_id, '00000000-0000-0000-0000-000000000000'), coalesce(new.member_id, '00000000-0000-0000-0000-000000000000'),
        coalesce(new.automation_id, '00000000-0000-0000-0000-000000000000'), coalesce(new.batch_id, '00000000-0000-0000-0000-000000000000'), new.purpose, new.bureau, new.product, 0, 1, new.amount
    WHERE new.charged
    ON CONFLICT DO UPDATE SET charged = charged + 1, amount = amount + excluded.amount;
END;
-- +goose StatementEnd
INSERT INTO charge_days (org_id, day, key_id, member_id, automation_id, batch_id, purpose, bureau, product, slot, charged, amount)
SELECT org_id, day, coalesce(key_id, '00000000-0000-0000-0000-000000000000'), coalesce(member_id, '00000000-0000-0000-0000-000000000000'), coalesce(automation_id, '00000000-0000-0000-0000-000000000000'),
    coalesce(batch_id, '00000000-0000-0000-0000-000000000000'), purpose, bureau, product, 0, COUNT(*), SUM(amount)
FROM lookups WHERE charged GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;

-- +goose Down
DROP TRIGGER charge_days_change;
DROP TRIGGER charge_days_come;
DROP TABLE charge_days;

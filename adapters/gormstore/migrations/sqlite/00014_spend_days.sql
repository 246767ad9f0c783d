-- +goose Up
-- Charges per day, as in the entries of the statement, by product and key; lookups by members have a key id of all
-- zeros. Each is the sum of its slots.
CREATE TABLE spend_days (
    org_id  text NOT NULL,
    day     text NOT NULL,
    key_id  text NOT NULL,
    product text NOT NULL,
    slot    integer NOT NULL,
    charged integer NOT NULL,
    amount  integer NOT NULL,
    PRIMARY KEY (org_id, day, key_id, product, slot)
);

INSERT INTO spend_days (org_id, day, key_id, product, slot, charged, amount)
SELECT org_id, day, COALESCE(key_id, '00000000-0000-0000-0000-000000000000'), product, 0, COUNT(*), SUM(amount)
FROM lookups WHERE charged GROUP BY 1, 2, 3, 4;

-- +goose Down
DROP TABLE spend_days;

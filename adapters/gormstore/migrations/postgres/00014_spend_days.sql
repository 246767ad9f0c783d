-- +goose Up
-- Charges per day, as in the entries of the statement, by product and key; lookups by members have a key id of all
-- zeros. Each is the sum of its slots.
CREATE TABLE spend_days (
    org_id  uuid NOT NULL,
    day     text NOT NULL,
    key_id  uuid NOT NULL,
    product text NOT NULL,
    slot    bigint NOT NULL,
    charged bigint NOT NULL,
    amount  bigint NOT NULL,
    PRIMARY KEY (org_id, day, key_id, product, slot)
) WITH (fillfactor = 50);

INSERT INTO spend_days (org_id, day, key_id, product, slot, charged, amount)
SELECT org_id, day, COALESCE(key_id, '00000000-0000-0000-0000-000000000000'::uuid), product, 0, COUNT(*), SUM(amount)
FROM lookups WHERE charged GROUP BY 1, 2, 3, 4;

-- +goose Down
DROP TABLE spend_days;

-- +goose Up
-- Lookups of an organisation per UTC hour, by product: charged calls and their cost, and answers from history. Each is
-- the sum of its slots.
CREATE TABLE lookup_hours (
    org_id  uuid NOT NULL,
    hour    timestamptz NOT NULL,
    product text NOT NULL,
    slot    bigint NOT NULL,
    charged bigint NOT NULL,
    cached  bigint NOT NULL,
    amount  bigint NOT NULL,
    PRIMARY KEY (org_id, hour, product, slot)
) WITH (fillfactor = 50);

INSERT INTO lookup_hours (org_id, hour, product, slot, charged, cached, amount)
SELECT org_id, date_trunc('hour', at, 'UTC'), product, 0, COUNT(CASE WHEN charged THEN 1 END), COUNT(CASE WHEN cache THEN 1 END), SUM(amount)
FROM lookups WHERE charged OR cache GROUP BY 1, 2, 3;

-- +goose Down
DROP TABLE lookup_hours;

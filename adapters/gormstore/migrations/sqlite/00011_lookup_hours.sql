-- +goose Up
-- Lookups of an organisation per UTC hour, by product: charged calls and their cost, and answers from history. Each is
-- the sum of its slots.
CREATE TABLE lookup_hours (
    org_id  text NOT NULL,
    hour    datetime NOT NULL,
    product text NOT NULL,
    slot    integer NOT NULL,
    charged integer NOT NULL,
    cached  integer NOT NULL,
    amount  integer NOT NULL,
    PRIMARY KEY (org_id, hour, product, slot)
);

INSERT INTO lookup_hours (org_id, hour, product, slot, charged, cached, amount)
SELECT org_id, substr(at, 1, 13) || ':00:00+00:00', product, 0, COUNT(CASE WHEN charged THEN 1 END), COUNT(CASE WHEN cache THEN 1 END), SUM(amount)
FROM lookups WHERE charged OR cache GROUP BY 1, 2, 3;

-- +goose Down
DROP TABLE lookup_hours;

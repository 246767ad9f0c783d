-- +goose Up
-- What an organisation asked in an hour, which begins on a whole hour of UTC, by product: calls that were charged and
-- what they cost, and answers from history. It is the sum of its slots.
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

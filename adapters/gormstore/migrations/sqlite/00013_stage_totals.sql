-- +goose Up
-- The number and value of the contacts in a stage: the sum of its slots. An amount is high * 1048576 + low, summed
-- separately, because amounts are external input and two of them may overflow a sum.
CREATE TABLE stage_totals (
    stage_id text NOT NULL,
    slot     integer NOT NULL,
    contacts integer NOT NULL,
    high     integer NOT NULL,
    low      integer NOT NULL,
    PRIMARY KEY (stage_id, slot)
);

INSERT INTO stage_totals (stage_id, slot, contacts, high, low)
SELECT stage_id, 0, COUNT(*), SUM(amount >> 20), SUM(amount & 1048575) FROM contacts GROUP BY 1;

-- +goose Down
DROP TABLE stage_totals;

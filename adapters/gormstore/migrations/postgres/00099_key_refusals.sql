-- +goose Up
-- How often a key was refused on a day, and why: by the code of the answer.
CREATE TABLE IF NOT EXISTS key_refusals (
    key_id uuid NOT NULL,
    day    text NOT NULL,
    reason text NOT NULL,
    count  bigint NOT NULL,
    PRIMARY KEY (key_id, day, reason)
);

-- +goose Down
DROP TABLE key_refusals;

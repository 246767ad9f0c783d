-- +goose Up
-- Questions that a bureau has taken and answers later; content is sealed. Whoever moves due on has one until then.
CREATE TABLE IF NOT EXISTS later_answers (
    id      uuid NOT NULL PRIMARY KEY,
    content bytea NOT NULL,
    due     timestamptz NOT NULL,
    until   timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS later_answers_due ON later_answers (due);

-- +goose Down
DROP TABLE later_answers;

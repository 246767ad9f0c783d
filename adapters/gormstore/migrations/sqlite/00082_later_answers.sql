-- +goose Up
-- Questions that a bureau has taken and answers later; content is sealed. Whoever moves due on has one until then.
CREATE TABLE later_answers (
    id      text NOT NULL PRIMARY KEY,
    content blob NOT NULL,
    due     datetime NOT NULL,
    until   datetime NOT NULL
);
CREATE INDEX later_answers_due ON later_answers (due);

-- +goose Down
DROP TABLE later_answers;

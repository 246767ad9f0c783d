-- +goose Up
-- An answer after which its question went on to another bureau says which question that is: until that has ended, it
-- answers nothing.
ALTER TABLE records ADD COLUMN question_id text;

-- +goose Down
ALTER TABLE records DROP COLUMN question_id;

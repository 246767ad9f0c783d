-- +goose Up
-- What a bureau has posted about a question that it answers later; sealed, and null before. While turn is true whoever has
-- the question until it is due goes on with it, and a post does not make it due.
ALTER TABLE later_answers ADD COLUMN IF NOT EXISTS reply bytea;
ALTER TABLE later_answers ADD COLUMN IF NOT EXISTS turn boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE later_answers DROP COLUMN turn;
ALTER TABLE later_answers DROP COLUMN reply;

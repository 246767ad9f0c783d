-- +goose Up
-- How many of the first answers came within each time; those from before are only in the sums.
ALTER TABLE first_answers ADD COLUMN within_5m bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN within_15m bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN within_1h bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN within_4h bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN within_1d bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN within_3d bigint NOT NULL DEFAULT 0;
ALTER TABLE first_answers ADD COLUMN longer bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE first_answers DROP COLUMN longer;
ALTER TABLE first_answers DROP COLUMN within_3d;
ALTER TABLE first_answers DROP COLUMN within_1d;
ALTER TABLE first_answers DROP COLUMN within_4h;
ALTER TABLE first_answers DROP COLUMN within_1h;
ALTER TABLE first_answers DROP COLUMN within_15m;
ALTER TABLE first_answers DROP COLUMN within_5m;

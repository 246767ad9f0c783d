-- +goose Up
-- The ids of lookups that a run began long after it was made, which those that follow from its own would belong to.
ALTER TABLE jobs ADD COLUMN IF NOT EXISTS lookups text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE jobs DROP COLUMN lookups;

-- +goose Up
-- The index of persons passed over lookups of runs that were done late: it is made anew where there are any of runs.
UPDATE privacy_marks SET up_to = '00000000-0000-0000-0000-000000000000'
WHERE name = 'lookups' AND EXISTS (SELECT 1 FROM lookups WHERE automation_id IS NOT NULL);
-- The ids of lookups that a run began long after it was made, which those that follow from its own would belong to.
ALTER TABLE jobs ADD COLUMN IF NOT EXISTS lookups text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE jobs DROP COLUMN lookups;

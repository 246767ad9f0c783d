-- +goose Up
-- The index of people missed lookups of late runs, so it is rebuilt where runs made any.
UPDATE privacy_marks SET up_to = '00000000-0000-0000-0000-000000000000'
WHERE name = 'lookups' AND EXISTS (SELECT 1 FROM lookups WHERE automation_id IS NOT NULL);
-- The ids of lookups that a run starts long after its creation, in place of ids derived from the run's own.
ALTER TABLE jobs ADD COLUMN lookups text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE jobs DROP COLUMN lookups;

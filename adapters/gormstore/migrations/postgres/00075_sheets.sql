-- +goose Up
-- The sheet of the workbook that a batch was read from, and those that were not read, sealed; null without a workbook.
ALTER TABLE batches ADD COLUMN sheets bytea;

-- +goose Down
ALTER TABLE batches DROP COLUMN sheets;

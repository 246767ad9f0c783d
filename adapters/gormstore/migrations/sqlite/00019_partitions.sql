-- +goose Up
-- On PostgreSQL some tables are put into partitions (see partitioning.go).
SELECT 1;

-- +goose Down
SELECT 1;

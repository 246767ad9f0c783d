-- +goose Up
-- On PostgreSQL some tables are partitioned (see partitioning.go).
SELECT 1;

-- +goose Down
SELECT 1;

-- +goose Up
-- Lookups that were asked with an Idempotency-Key: which entry of the statement answers it. name and question are keyed
-- hashes. Rows are kept for a day.
CREATE TABLE IF NOT EXISTS lookup_requests (
    key_id      uuid NOT NULL,
    name        bytea NOT NULL,
    question    bytea NOT NULL,
    lookup_id   uuid NOT NULL,
    begun       boolean NOT NULL,
    lease_until timestamptz NOT NULL,
    created_at  timestamptz NOT NULL,
    PRIMARY KEY (key_id, name)
);
CREATE UNIQUE INDEX IF NOT EXISTS lookup_requests_lookup ON lookup_requests (lookup_id);
CREATE INDEX IF NOT EXISTS lookup_requests_old ON lookup_requests (created_at);

-- +goose Down
DROP TABLE lookup_requests;

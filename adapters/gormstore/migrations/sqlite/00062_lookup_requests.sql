-- +goose Up
-- Lookups that were asked with an Idempotency-Key: which entry of the statement answers it. name and question are keyed
-- hashes. Rows are kept for a day.
CREATE TABLE lookup_requests (
    key_id      text NOT NULL,
    name        blob NOT NULL,
    question    blob NOT NULL,
    lookup_id   text NOT NULL,
    begun       boolean NOT NULL,
    lease_until datetime NOT NULL,
    created_at  datetime NOT NULL,
    PRIMARY KEY (key_id, name)
) WITHOUT ROWID;
CREATE UNIQUE INDEX lookup_requests_lookup ON lookup_requests (lookup_id);
CREATE INDEX lookup_requests_old ON lookup_requests (created_at);

-- +goose Down
DROP TABLE lookup_requests;

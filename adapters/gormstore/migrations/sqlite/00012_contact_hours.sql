-- +goose Up
-- The number of contacts received per UTC hour: the sum of its slots. Without a webhook or origin, its id is all
-- zeros.
CREATE TABLE contact_hours (
    org_id     text NOT NULL,
    hour       datetime NOT NULL,
    webhook_id text NOT NULL,
    origin_id  text NOT NULL,
    slot       integer NOT NULL,
    contacts   integer NOT NULL,
    PRIMARY KEY (org_id, hour, webhook_id, origin_id, slot)
);

INSERT INTO contact_hours (org_id, hour, webhook_id, origin_id, slot, contacts)
SELECT org_id, substr(created_at, 1, 13) || ':00:00+00:00',
    COALESCE(webhook_id, '00000000-0000-0000-0000-000000000000'),
    COALESCE(origin_id, '00000000-0000-0000-0000-000000000000'), 0, COUNT(*)
FROM contacts GROUP BY 1, 2, 3, 4;

-- +goose Down
DROP TABLE contact_hours;

-- +goose Up
-- The number of contacts received per UTC hour: the sum of its slots. Without a webhook or origin, its id is all
-- zeros.
CREATE TABLE contact_hours (
    org_id     uuid NOT NULL,
    hour       timestamptz NOT NULL,
    webhook_id uuid NOT NULL,
    origin_id  uuid NOT NULL,
    slot       bigint NOT NULL,
    contacts   bigint NOT NULL,
    PRIMARY KEY (org_id, hour, webhook_id, origin_id, slot)
) WITH (fillfactor = 50);

INSERT INTO contact_hours (org_id, hour, webhook_id, origin_id, slot, contacts)
SELECT org_id, date_trunc('hour', created_at, 'UTC'),
    COALESCE(webhook_id, '00000000-0000-0000-0000-000000000000'::uuid),
    COALESCE(origin_id, '00000000-0000-0000-0000-000000000000'::uuid), 0, COUNT(*)
FROM contacts GROUP BY 1, 2, 3, 4;

-- +goose Down
DROP TABLE contact_hours;

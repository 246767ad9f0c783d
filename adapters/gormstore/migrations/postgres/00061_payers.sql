-- +goose Up
-- Who pays for a batch: the key or member that confirmed or last resumed it. Both null: whoever made it.
ALTER TABLE batches ADD COLUMN IF NOT EXISTS payer_key_id uuid, ADD COLUMN IF NOT EXISTS payer_member_id uuid;
-- What accounts held when their limit was last changed: it may have been lowered below that.
CREATE TABLE IF NOT EXISTS limit_changes (
    key_id uuid NOT NULL,
    bucket text NOT NULL,
    count  bigint NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (key_id, bucket)
);
-- Until now nobody noted it. The limits of keys could not be changed, and a batch's never lie below what it spent.
INSERT INTO limit_changes (key_id, bucket, count, amount)
SELECT key_id, bucket, count, amount FROM key_usage
WHERE key_id IN (SELECT id FROM members UNION SELECT id FROM automations) ON CONFLICT DO NOTHING;

-- +goose Down
DROP TABLE limit_changes;
ALTER TABLE batches DROP COLUMN payer_key_id, DROP COLUMN payer_member_id;

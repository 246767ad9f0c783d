-- +goose Up
-- A member's monthly budget for lookups, in ten-thousandths of a real; null for no limit. Their cost is in key_usage,
-- from this month on.
ALTER TABLE members ADD COLUMN budget bigint;
CREATE INDEX lookups_member ON lookups (member_id, id) WHERE member_id IS NOT NULL;
INSERT INTO key_usage (key_id, bucket, count, amount)
SELECT member_id, month, COUNT(*), SUM(amount) FROM lookups
WHERE charged AND member_id IS NOT NULL AND month >= strftime('%Y-%m', 'now', '-2 days') GROUP BY 1, 2
ON CONFLICT DO NOTHING;

-- +goose Down
DELETE FROM key_usage WHERE key_id IN (SELECT id FROM members);
DROP INDEX lookups_member;
ALTER TABLE members DROP COLUMN budget;

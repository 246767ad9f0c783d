-- +goose Up
-- Spending is now read from spend_days.
DROP INDEX IF EXISTS lookups_spend;

-- +goose Down
CREATE INDEX IF NOT EXISTS lookups_spend ON lookups (org_id, day, product, key_id, amount, charged) WHERE charged;

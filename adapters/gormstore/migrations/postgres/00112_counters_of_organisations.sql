-- +goose NO TRANSACTION
-- +goose Up
-- What a post writes says whose it is, also where a webhook, a stage, a rotation or a delivery implies it: on Citus, a
-- post then touches the rows of one node. Rows from before, and those of instances of the version before, lack it: only
-- Citus asks for it, and they get it when a table is divided (owners, in distribute.go). To fill it here would lock the
-- counters of every post until the last row is written.
ALTER TABLE receipts ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE webhook_counters ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE delivery_hours ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE delivery_contacts ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE stage_totals ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE rotation_turns ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE rotation_counts ADD COLUMN IF NOT EXISTS org_id uuid;

-- +goose Down
ALTER TABLE rotation_counts DROP COLUMN IF EXISTS org_id;
ALTER TABLE rotation_turns DROP COLUMN IF EXISTS org_id;
ALTER TABLE stage_totals DROP COLUMN IF EXISTS org_id;
ALTER TABLE delivery_contacts DROP COLUMN IF EXISTS org_id;
ALTER TABLE delivery_hours DROP COLUMN IF EXISTS org_id;
ALTER TABLE webhook_counters DROP COLUMN IF EXISTS org_id;
ALTER TABLE receipts DROP COLUMN IF EXISTS org_id;

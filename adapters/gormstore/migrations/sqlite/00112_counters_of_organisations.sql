-- +goose Up
-- What a post writes says whose it is, also where a webhook, a stage, a rotation or a delivery implies it. Rows
-- from before lack it: only Citus asks for it.
ALTER TABLE receipts ADD COLUMN org_id text;
ALTER TABLE webhook_counters ADD COLUMN org_id text;
ALTER TABLE delivery_hours ADD COLUMN org_id text;
ALTER TABLE delivery_contacts ADD COLUMN org_id text;
ALTER TABLE stage_totals ADD COLUMN org_id text;
ALTER TABLE rotation_turns ADD COLUMN org_id text;
ALTER TABLE rotation_counts ADD COLUMN org_id text;

-- +goose Down
ALTER TABLE rotation_counts DROP COLUMN org_id;
ALTER TABLE rotation_turns DROP COLUMN org_id;
ALTER TABLE stage_totals DROP COLUMN org_id;
ALTER TABLE delivery_contacts DROP COLUMN org_id;
ALTER TABLE delivery_hours DROP COLUMN org_id;
ALTER TABLE webhook_counters DROP COLUMN org_id;
ALTER TABLE receipts DROP COLUMN org_id;

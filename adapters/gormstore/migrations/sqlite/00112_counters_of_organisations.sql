-- +goose Up
-- What a post writes says whose it is, also where a webhook, a stage, a rotation or a delivery implies it.
ALTER TABLE receipts ADD COLUMN org_id text;
ALTER TABLE webhook_counters ADD COLUMN org_id text;
ALTER TABLE delivery_hours ADD COLUMN org_id text;
ALTER TABLE delivery_contacts ADD COLUMN org_id text;
ALTER TABLE stage_totals ADD COLUMN org_id text;
ALTER TABLE rotation_turns ADD COLUMN org_id text;
ALTER TABLE rotation_counts ADD COLUMN org_id text;

UPDATE receipts SET org_id = (SELECT org_id FROM webhooks WHERE id = webhook_id);
UPDATE webhook_counters SET org_id = (SELECT org_id FROM webhooks WHERE id = webhook_id);
UPDATE delivery_hours SET org_id = (SELECT org_id FROM webhooks WHERE id = webhook_id);
UPDATE delivery_contacts SET org_id = (SELECT org_id FROM deliveries WHERE id = delivery_id);
UPDATE stage_totals SET org_id = (SELECT f.org_id FROM stages AS s JOIN funnels AS f ON f.id = s.funnel_id
    WHERE s.id = stage_id);
UPDATE rotation_turns SET org_id = (SELECT org_id FROM rotations WHERE id = rotation_id);
UPDATE rotation_counts SET org_id = (SELECT org_id FROM rotations WHERE id = rotation_id);

-- +goose Down
ALTER TABLE rotation_counts DROP COLUMN org_id;
ALTER TABLE rotation_turns DROP COLUMN org_id;
ALTER TABLE stage_totals DROP COLUMN org_id;
ALTER TABLE delivery_contacts DROP COLUMN org_id;
ALTER TABLE delivery_hours DROP COLUMN org_id;
ALTER TABLE webhook_counters DROP COLUMN org_id;
ALTER TABLE receipts DROP COLUMN org_id;

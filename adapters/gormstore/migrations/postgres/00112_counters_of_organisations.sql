-- +goose NO TRANSACTION
-- +goose Up
-- What a post writes says whose it is, also where a webhook, a stage, a rotation or a delivery implies it: on Citus, a
-- post then touches the rows of one node. Instances of the version before leave it out.
ALTER TABLE receipts ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE webhook_counters ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE delivery_hours ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE delivery_contacts ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE stage_totals ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE rotation_turns ADD COLUMN IF NOT EXISTS org_id uuid;
ALTER TABLE rotation_counts ADD COLUMN IF NOT EXISTS org_id uuid;

-- An hour at a time: a repeated post waits for whoever changes its receipt.
-- +goose StatementBegin
DO $$
DECLARE
    since timestamptz;
    until timestamptz;
BEGIN
    SELECT MIN(at), MAX(at) INTO since, until FROM receipts;
    WHILE since <= until LOOP
        UPDATE receipts SET org_id = w.org_id FROM webhooks AS w
            WHERE w.id = webhook_id AND receipts.org_id IS NULL AND at >= since AND at < since + interval '1 hour';
        COMMIT;
        since := since + interval '1 hour';
    END LOOP;
END $$;
-- +goose StatementEnd
-- Counters, one commit for those of a webhook, a stage or a rotation: each post waits for the next one alone.
-- +goose StatementBegin
DO $$
DECLARE
    one record;
BEGIN
    FOR one IN SELECT id, org_id FROM webhooks LOOP
        UPDATE webhook_counters SET org_id = one.org_id WHERE webhook_id = one.id AND org_id IS NULL;
        COMMIT;
        UPDATE delivery_hours SET org_id = one.org_id WHERE webhook_id = one.id AND org_id IS NULL;
        COMMIT;
    END LOOP;
    FOR one IN SELECT s.id, f.org_id FROM stages AS s JOIN funnels AS f ON f.id = s.funnel_id LOOP
        UPDATE stage_totals SET org_id = one.org_id WHERE stage_id = one.id AND org_id IS NULL;
        COMMIT;
    END LOOP;
    FOR one IN SELECT id, org_id FROM rotations LOOP
        UPDATE rotation_turns SET org_id = one.org_id WHERE rotation_id = one.id AND org_id IS NULL;
        COMMIT;
        UPDATE rotation_counts SET org_id = one.org_id WHERE rotation_id = one.id AND org_id IS NULL;
        COMMIT;
    END LOOP;
END $$;
-- +goose StatementEnd
UPDATE delivery_contacts SET org_id = d.org_id FROM deliveries AS d
    WHERE d.id = delivery_id AND delivery_contacts.org_id IS NULL;

-- +goose Down
ALTER TABLE rotation_counts DROP COLUMN IF EXISTS org_id;
ALTER TABLE rotation_turns DROP COLUMN IF EXISTS org_id;
ALTER TABLE stage_totals DROP COLUMN IF EXISTS org_id;
ALTER TABLE delivery_contacts DROP COLUMN IF EXISTS org_id;
ALTER TABLE delivery_hours DROP COLUMN IF EXISTS org_id;
ALTER TABLE webhook_counters DROP COLUMN IF EXISTS org_id;
ALTER TABLE receipts DROP COLUMN IF EXISTS org_id;

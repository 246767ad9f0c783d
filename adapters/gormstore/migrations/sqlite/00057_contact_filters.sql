-- +goose Up
-- After the id come the columns of the other filters, so that excluded rows are skipped within the index. Contacts
-- waiting in one stage have their own index.
DROP INDEX contacts_assignee;
DROP INDEX contacts_origin;
DROP INDEX contacts_webhook;
DROP INDEX contacts_waiting;
CREATE INDEX contacts_of_assignee ON contacts (assignee_id, id, stage_id) WHERE assignee_id IS NOT NULL;
CREATE INDEX contacts_of_origin ON contacts (origin_id, id, stage_id, assignee_id) WHERE origin_id IS NOT NULL;
CREATE INDEX contacts_of_webhook ON contacts (webhook_id, id, stage_id, assignee_id, origin_id) WHERE webhook_id IS NOT NULL;
CREATE INDEX contacts_who_wait ON contacts (org_id, id, assignee_id, origin_id, webhook_id) WHERE waiting;
CREATE INDEX contacts_who_wait_in ON contacts (stage_id, id, assignee_id, origin_id, webhook_id) WHERE waiting;

-- +goose Down
DROP INDEX contacts_who_wait_in;
DROP INDEX contacts_who_wait;
DROP INDEX contacts_of_webhook;
DROP INDEX contacts_of_origin;
DROP INDEX contacts_of_assignee;
CREATE INDEX contacts_waiting ON contacts (org_id, id) WHERE waiting;
CREATE INDEX contacts_webhook ON contacts (webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX contacts_origin ON contacts (origin_id, id) WHERE origin_id IS NOT NULL;
CREATE INDEX contacts_assignee ON contacts (assignee_id, id) WHERE assignee_id IS NOT NULL;

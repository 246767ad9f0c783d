-- +goose Up
-- Statements of a key, an organisation and its members, filtered by product, by cache or by both.
CREATE INDEX lookups_key_product ON lookups (key_id, product, cache, id);
CREATE INDEX lookups_org_product ON lookups (org_id, product, cache, id);
CREATE INDEX lookups_members_product ON lookups (org_id, product, cache, id) WHERE key_id IS NULL;

-- Contacts by amount and in alphabetical order.
CREATE INDEX contacts_amount ON contacts (org_id, amount, id);
CREATE INDEX contacts_name ON contacts (org_id, substr(search, 1, 80), id);
-- Contacts by origin, webhook or member. Those by stage already have an index.
CREATE INDEX contacts_origin ON contacts (origin_id, id) WHERE origin_id IS NOT NULL;
CREATE INDEX contacts_webhook ON contacts (webhook_id, id) WHERE webhook_id IS NOT NULL;
CREATE INDEX contacts_assignee ON contacts (assignee_id, id) WHERE assignee_id IS NOT NULL;

-- +goose Down
DROP INDEX contacts_assignee;
DROP INDEX contacts_webhook;
DROP INDEX contacts_origin;
DROP INDEX contacts_name;
DROP INDEX contacts_amount;
DROP INDEX lookups_members_product;
DROP INDEX lookups_org_product;
DROP INDEX lookups_key_product;

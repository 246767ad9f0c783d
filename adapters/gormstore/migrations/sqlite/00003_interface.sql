-- +goose Up
-- Members' sessions in the interface, by the hash of the cookie's token.
CREATE TABLE sessions (
    hash       blob PRIMARY KEY,
    member_id  text NOT NULL REFERENCES members (id),
    created_at datetime NOT NULL,
    seen_at    datetime NOT NULL
);
CREATE INDEX sessions_member ON sessions (member_id);

-- Failed sign-in attempts, by a keyed hash of the e-mail address.
CREATE TABLE sign_in_failures (
    email blob PRIMARY KEY,
    count integer NOT NULL,
    at    datetime NOT NULL
);

-- A lookup may be about a contact.
ALTER TABLE lookups ADD COLUMN contact_id text;
CREATE INDEX lookups_contact ON lookups (contact_id, id) WHERE contact_id IS NOT NULL;
CREATE INDEX lookups_org ON lookups (org_id, id);
-- Covering indexes: the lookup that called the bureau for a record, and spending by day.
CREATE INDEX lookups_record ON lookups (record_id) WHERE NOT cache AND record_id IS NOT NULL;
CREATE INDEX lookups_spend ON lookups (org_id, day, product, key_id, amount, charged) WHERE charged;

-- search is the text that contacts are searched by, without case and accents: name,
-- e-mail, company and the digits of the phone. Migrate rewrites it for existing
-- contacts, because neither database can remove accents.
ALTER TABLE contacts ADD COLUMN search text;
UPDATE contacts SET search = lower(name || ' ' || email || ' ' || company || ' ' || phone_e164);
-- A covering index for a stage's count and value on the board.
CREATE INDEX contacts_stage ON contacts (stage_id, id, amount);

-- +goose Down
DROP INDEX contacts_stage;
ALTER TABLE contacts DROP COLUMN search;
DROP INDEX lookups_spend;
DROP INDEX lookups_record;
DROP INDEX lookups_org;
DROP INDEX lookups_contact;
ALTER TABLE lookups DROP COLUMN contact_id;
DROP TABLE sign_in_failures;
DROP TABLE sessions;

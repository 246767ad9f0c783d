-- +goose Up
-- Contacts that were deleted or merged into another one: their content is kept sealed for as long as this can be
-- undone. The id stays: posts were answered with it.
CREATE TABLE removed_contacts (
    id         text NOT NULL PRIMARY KEY,
    org_id     text NOT NULL,
    webhook_id text,
    into_id    text,
    at         datetime NOT NULL,
    content    blob
);
CREATE INDEX removed_contacts_into ON removed_contacts (into_id, id) WHERE into_id IS NOT NULL;
CREATE INDEX removed_contacts_at ON removed_contacts (at) WHERE content IS NOT NULL;

-- Similar contacts. An address may be longer than an index allows.
CREATE INDEX contacts_email ON contacts (org_id, substr(lower(email), 1, 200), id);
CREATE INDEX contacts_phone ON contacts (org_id, phone_e164, id) WHERE phone_e164 <> '';

-- +goose Down
DROP INDEX contacts_phone;
DROP INDEX contacts_email;
DROP TABLE removed_contacts;

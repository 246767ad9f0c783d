-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid = 'contacts'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Contacts that were deleted or merged into another one: their content is kept sealed for as long as this can be
-- undone. The id stays: posts were answered with it.
CREATE TABLE IF NOT EXISTS removed_contacts (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    webhook_id uuid,
    into_id    uuid,
    at         timestamptz NOT NULL,
    content    bytea
);
CREATE INDEX IF NOT EXISTS removed_contacts_into ON removed_contacts (into_id, id) WHERE into_id IS NOT NULL;
CREATE INDEX IF NOT EXISTS removed_contacts_at ON removed_contacts (at) WHERE content IS NOT NULL;

-- Similar contacts. An address may be longer than an index allows.
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_email ON contacts (org_id, (substr(lower(email COLLATE "C"), 1, 200)), id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_phone ON contacts (org_id, phone_e164, id) WHERE phone_e164 <> '';

-- +goose Down
DROP INDEX contacts_phone;
DROP INDEX contacts_email;
DROP TABLE removed_contacts;

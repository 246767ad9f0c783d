-- +goose Up
-- Bulk actions on contacts: assigning, moving, deleting, or importing a file, a few at a time.
CREATE TABLE bulk_actions (
    id        uuid NOT NULL PRIMARY KEY,
    org_id    uuid NOT NULL,
    member_id uuid NOT NULL,
    kind      text NOT NULL,
    target_id uuid,
    settings  bytea,
    status    text NOT NULL,
    total     bigint NOT NULL,
    done      bigint NOT NULL,
    skipped   bigint NOT NULL,
    at        timestamptz NOT NULL,
    ended_at  timestamptz
);
CREATE INDEX bulk_actions_open ON bulk_actions (id) WHERE status IN ('fazendo', 'desfazendo');
CREATE INDEX bulk_actions_at ON bulk_actions (at);

-- The contacts of one action, by id: each one's previous state, or the row of the file to import it from.
CREATE TABLE bulk_items (
    id         uuid NOT NULL PRIMARY KEY,
    bulk_id    uuid NOT NULL,
    contact_id uuid,
    state      text NOT NULL,
    before_id  uuid,
    content    bytea,
    result     text NOT NULL
);
CREATE INDEX bulk_items_bulk ON bulk_items (bulk_id, state, id);
CREATE INDEX bulk_items_contact ON bulk_items (contact_id) WHERE contact_id IS NOT NULL;

-- +goose Down
DROP TABLE bulk_items;
DROP TABLE bulk_actions;

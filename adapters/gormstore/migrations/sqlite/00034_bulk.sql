-- +goose Up
-- Bulk actions on contacts: assigning, moving, deleting, or importing a file, a few at a time.
CREATE TABLE bulk_actions (
    id        text NOT NULL PRIMARY KEY,
    org_id    text NOT NULL,
    member_id text NOT NULL,
    kind      text NOT NULL,
    target_id text,
    settings  blob,
    status    text NOT NULL,
    total     integer NOT NULL,
    done      integer NOT NULL,
    skipped   integer NOT NULL,
    at        datetime NOT NULL,
    ended_at  datetime
);
CREATE INDEX bulk_actions_open ON bulk_actions (id) WHERE status IN ('fazendo', 'desfazendo');
CREATE INDEX bulk_actions_at ON bulk_actions (at);

-- The contacts of one action, by id: each one's previous state, or the row of the file to import it from.
CREATE TABLE bulk_items (
    id         text NOT NULL PRIMARY KEY,
    bulk_id    text NOT NULL,
    contact_id text,
    state      text NOT NULL,
    before_id  text,
    content    blob,
    result     text NOT NULL
);
CREATE INDEX bulk_items_bulk ON bulk_items (bulk_id, state, id);
CREATE INDEX bulk_items_contact ON bulk_items (contact_id) WHERE contact_id IS NOT NULL;

-- +goose Down
DROP TABLE bulk_items;
DROP TABLE bulk_actions;

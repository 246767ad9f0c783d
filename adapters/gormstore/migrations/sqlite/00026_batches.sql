-- +goose Up
-- One question about many documents. columns is the names of the table's columns, encrypted; a batch's charges
-- are in key_usage.
CREATE TABLE batches (
    id           text PRIMARY KEY,
    org_id       text NOT NULL,
    key_id       text,
    member_id    text,
    name         text NOT NULL,
    product      text NOT NULL,
    refresh      numeric NOT NULL,
    status       text NOT NULL,
    reason       text NOT NULL,
    note         text NOT NULL,
    resume_at    datetime,
    columns      blob NOT NULL,
    total        integer NOT NULL,
    valid        integer NOT NULL,
    repeated     integer NOT NULL,
    invalid      integer NOT NULL,
    from_history integer NOT NULL,
    price        integer NOT NULL,
    ceiling      integer,
    ended        integer NOT NULL,
    charged      integer NOT NULL,
    free         integer NOT NULL,
    failed       integer NOT NULL,
    run_from     datetime,
    run_ended    integer NOT NULL,
    created_at   datetime NOT NULL,
    expires_at   datetime NOT NULL,
    started_at   datetime,
    ended_at     datetime,
    request_key  text NOT NULL,
    request_body blob
);
CREATE INDEX batches_org ON batches (org_id, id);
CREATE INDEX batches_key ON batches (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX batches_open ON batches (org_id, started_at) WHERE status IN ('em_andamento', 'pausado');
CREATE INDEX batches_quoted ON batches (expires_at) WHERE status = 'orcado';
CREATE INDEX batches_preparing ON batches (id) WHERE status = 'preparando';
CREATE UNIQUE INDEX batches_request ON batches (COALESCE(key_id, member_id), request_key) WHERE request_key <> '';

-- content is the document and its row, encrypted. An item's outcome is in the statement, by lookup_id.
CREATE TABLE batch_items (
    id          text PRIMARY KEY,
    batch_id    text NOT NULL,
    org_id      text NOT NULL,
    line        integer NOT NULL,
    state       text NOT NULL,
    doc_type    text NOT NULL,
    content     blob NOT NULL,
    cell        integer NOT NULL,
    repeat_of   integer NOT NULL,
    message     text NOT NULL,
    code        text NOT NULL,
    seen_id     text,
    lookup_id   text,
    owner       text NOT NULL,
    queued      numeric NOT NULL,
    lease_until datetime
);
CREATE UNIQUE INDEX batch_items_line ON batch_items (batch_id, line);
CREATE INDEX batch_items_pending ON batch_items (batch_id, line) WHERE state = 'pendente';
CREATE INDEX batch_items_in_flight ON batch_items (org_id, lease_until) WHERE state = 'em_andamento';

-- When batches may next call a bureau whose calls per second are limited.
CREATE TABLE bureau_pace (
    bureau  text PRIMARY KEY,
    next_at datetime NOT NULL
);

ALTER TABLE organisations ADD COLUMN member_batch_limit integer;

-- +goose Down
ALTER TABLE organisations DROP COLUMN member_batch_limit;
DROP TABLE bureau_pace;
DROP TABLE batch_items;
DROP TABLE batches;

-- +goose Up
-- One question about many documents. columns is the names of the table's columns, encrypted; a batch's charges
-- are in key_usage.
CREATE TABLE batches (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL,
    key_id       uuid,
    member_id    uuid,
    name         text NOT NULL,
    product      text NOT NULL,
    refresh      boolean NOT NULL,
    status       text NOT NULL,
    reason       text NOT NULL,
    note         text NOT NULL,
    resume_at    timestamptz,
    columns      bytea NOT NULL,
    total        bigint NOT NULL,
    valid        bigint NOT NULL,
    repeated     bigint NOT NULL,
    invalid      bigint NOT NULL,
    from_history bigint NOT NULL,
    price        bigint NOT NULL,
    ceiling      bigint,
    ended        bigint NOT NULL,
    charged      bigint NOT NULL,
    free         bigint NOT NULL,
    failed       bigint NOT NULL,
    run_from     timestamptz,
    run_ended    bigint NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    started_at   timestamptz,
    ended_at     timestamptz,
    request_key  text NOT NULL,
    request_body bytea
);
CREATE INDEX batches_org ON batches (org_id, id);
CREATE INDEX batches_key ON batches (key_id, id) WHERE key_id IS NOT NULL;
CREATE INDEX batches_open ON batches (org_id, started_at) WHERE status IN ('em_andamento', 'pausado');
CREATE INDEX batches_quoted ON batches (expires_at) WHERE status = 'orcado';
CREATE INDEX batches_preparing ON batches (id) WHERE status = 'preparando';
CREATE UNIQUE INDEX batches_request ON batches (COALESCE(key_id, member_id), request_key) WHERE request_key <> '';

-- content is the document and its row, encrypted. An item's outcome is in the statement, by lookup_id.
CREATE TABLE batch_items (
    id          uuid PRIMARY KEY,
    batch_id    uuid NOT NULL,
    org_id      uuid NOT NULL,
    line        bigint NOT NULL,
    state       text NOT NULL,
    doc_type    text NOT NULL,
    content     bytea NOT NULL,
    cell        bigint NOT NULL,
    repeat_of   bigint NOT NULL,
    message     text NOT NULL,
    code        text NOT NULL,
    seen_id     uuid,
    lookup_id   uuid,
    owner       text NOT NULL,
    queued      boolean NOT NULL,
    lease_until timestamptz
);
CREATE UNIQUE INDEX batch_items_line ON batch_items (batch_id, line);
CREATE INDEX batch_items_pending ON batch_items (batch_id, line) WHERE state = 'pendente';
CREATE INDEX batch_items_in_flight ON batch_items (org_id, lease_until) WHERE state = 'em_andamento';

-- When batches may next call a bureau whose calls per second are limited.
CREATE TABLE bureau_pace (
    bureau  text PRIMARY KEY,
    next_at timestamptz NOT NULL
);

ALTER TABLE organisations ADD COLUMN IF NOT EXISTS member_batch_limit bigint;

-- +goose Down
ALTER TABLE organisations DROP COLUMN member_batch_limit;
DROP TABLE bureau_pace;
DROP TABLE batch_items;
DROP TABLE batches;

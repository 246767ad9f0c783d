-- +goose Up
CREATE TABLE organisations (
    id         text PRIMARY KEY,
    name       text NOT NULL,
    created_at datetime NOT NULL
);

CREATE TABLE members (
    id            text PRIMARY KEY,
    org_id        text NOT NULL REFERENCES organisations (id),
    name          text NOT NULL,
    email         text NOT NULL,
    role          text NOT NULL,
    active        numeric NOT NULL,
    password_hash text NOT NULL,
    created_at    datetime NOT NULL
);
CREATE UNIQUE INDEX members_email ON members (email);
CREATE INDEX members_org ON members (org_id, created_at);

CREATE TABLE keys (
    id           text PRIMARY KEY,
    org_id       text NOT NULL REFERENCES organisations (id),
    name         text NOT NULL,
    prefix       text NOT NULL,
    scopes       text NOT NULL,
    per_minute   integer NOT NULL,
    per_day      integer NOT NULL,
    per_month    integer NOT NULL,
    created_at   datetime NOT NULL,
    expires_at   datetime,
    revoked_at   datetime,
    last_used_at datetime
);
CREATE INDEX keys_org ON keys (org_id, id);

-- A key may have several secrets while it is being rotated.
CREATE TABLE key_secrets (
    hash    blob PRIMARY KEY,
    key_id  text NOT NULL REFERENCES keys (id),
    ends_at datetime
);
CREATE INDEX key_secrets_key ON key_secrets (key_id);

-- Charges of each key for a day (2026-11-20), a month (2026-11) and in total.
CREATE TABLE key_usage (
    key_id text NOT NULL,
    bucket text NOT NULL,
    count  integer NOT NULL,
    amount integer NOT NULL,
    PRIMARY KEY (key_id, bucket)
);

-- The statement. document is encrypted; amount is in ten-thousandths of a real.
CREATE TABLE lookups (
    id        text PRIMARY KEY,
    org_id    text NOT NULL,
    key_id    text,
    member_id text,
    product   text NOT NULL,
    doc_type  text NOT NULL,
    document  blob NOT NULL,
    at        datetime NOT NULL,
    cache     numeric NOT NULL,
    charged   numeric NOT NULL,
    amount    integer NOT NULL,
    status    text NOT NULL,
    record_id text,
    day       text NOT NULL,
    month     text NOT NULL,
    settle_at datetime
);
CREATE INDEX lookups_key ON lookups (key_id, id);
CREATE INDEX lookups_running ON lookups (settle_at) WHERE status = 'em_andamento';

-- History. doc_index is a keyed hash of organisation, product and document; answer
-- holds the named fields and the bureau's bytes, encrypted.
CREATE TABLE records (
    id          text PRIMARY KEY,
    org_id      text NOT NULL,
    product     text NOT NULL,
    doc_type    text NOT NULL,
    doc_index   blob NOT NULL,
    document    blob NOT NULL,
    answered_at datetime NOT NULL,
    found       numeric NOT NULL,
    schema      text NOT NULL,
    answer      blob NOT NULL
);
CREATE INDEX records_document ON records (doc_index, answered_at);

-- Calls to the bureau in flight, so that identical lookups share one.
CREATE TABLE leases (
    doc_index  blob PRIMARY KEY,
    call_id    text NOT NULL,
    expires_at datetime NOT NULL
);
CREATE INDEX leases_call ON leases (call_id);

-- One sealed sentence for each data key ever used, so that a wrong key is
-- detected at start, not when the first record cannot be read.
CREATE TABLE data_keys (
    id         text PRIMARY KEY,
    proof      blob NOT NULL,
    created_at datetime NOT NULL
);

-- +goose Down
DROP TABLE data_keys;
DROP TABLE leases;
DROP TABLE records;
DROP TABLE lookups;
DROP TABLE key_usage;
DROP TABLE key_secrets;
DROP TABLE keys;
DROP TABLE members;
DROP TABLE organisations;

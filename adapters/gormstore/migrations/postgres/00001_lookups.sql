-- +goose Up
CREATE TABLE organisations (
    id         uuid PRIMARY KEY,
    name       text NOT NULL,
    created_at timestamptz NOT NULL
);

CREATE TABLE members (
    id            uuid PRIMARY KEY,
    org_id        uuid NOT NULL REFERENCES organisations (id),
    name          text NOT NULL,
    email         text NOT NULL,
    role          text NOT NULL,
    active        boolean NOT NULL,
    password_hash text NOT NULL,
    created_at    timestamptz NOT NULL
);
CREATE UNIQUE INDEX members_email ON members (email);
CREATE INDEX members_org ON members (org_id, created_at);

CREATE TABLE keys (
    id           uuid PRIMARY KEY,
    org_id       uuid NOT NULL REFERENCES organisations (id),
    name         text NOT NULL,
    prefix       text NOT NULL,
    scopes       text NOT NULL,
    per_minute   bigint NOT NULL,
    per_day      bigint NOT NULL,
    per_month    bigint NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz
);
CREATE INDEX keys_org ON keys (org_id, id);

-- A key may have several secrets while it is being rotated.
CREATE TABLE key_secrets (
    hash    bytea PRIMARY KEY,
    key_id  uuid NOT NULL REFERENCES keys (id),
    ends_at timestamptz
);
CREATE INDEX key_secrets_key ON key_secrets (key_id);

-- Charges of each key for a day (2026-11-20), a month (2026-11) and in total.
CREATE TABLE key_usage (
    key_id uuid NOT NULL,
    bucket text NOT NULL,
    count  bigint NOT NULL,
    amount bigint NOT NULL,
    PRIMARY KEY (key_id, bucket)
);

-- The statement. document is encrypted; amount is in ten-thousandths of a real.
CREATE TABLE lookups (
    id        uuid PRIMARY KEY,
    org_id    uuid NOT NULL,
    key_id    uuid,
    member_id uuid,
    product   text NOT NULL,
    doc_type  text NOT NULL,
    document  bytea NOT NULL,
    at        timestamptz NOT NULL,
    cache     boolean NOT NULL,
    charged   boolean NOT NULL,
    amount    bigint NOT NULL,
    status    text NOT NULL,
    record_id uuid,
    day       text NOT NULL,
    month     text NOT NULL,
    settle_at timestamptz
);
CREATE INDEX lookups_key ON lookups (key_id, id);
CREATE INDEX lookups_running ON lookups (settle_at) WHERE status = 'em_andamento';

-- History. doc_index is a keyed hash of organisation, product and document; answer
-- holds the named fields and the bureau's bytes, encrypted.
CREATE TABLE records (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    product     text NOT NULL,
    doc_type    text NOT NULL,
    doc_index   bytea NOT NULL,
    document    bytea NOT NULL,
    answered_at timestamptz NOT NULL,
    found       boolean NOT NULL,
    schema      text NOT NULL,
    answer      bytea NOT NULL
);
-- Ciphertext does not compress; trying costs time.
ALTER TABLE records ALTER COLUMN answer SET STORAGE EXTERNAL;
ALTER TABLE records SET (toast_tuple_target = 8160);
CREATE INDEX records_document ON records (doc_index, answered_at);

-- Calls to the bureau in flight, so that identical lookups share one.
CREATE TABLE leases (
    doc_index  bytea PRIMARY KEY,
    call_id    uuid NOT NULL,
    expires_at timestamptz NOT NULL
);
CREATE INDEX leases_call ON leases (call_id);

-- One sealed sentence for each data key ever used, so that a wrong key is
-- detected at start, not when the first record cannot be read.
CREATE TABLE data_keys (
    id         text PRIMARY KEY,
    proof      bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- +goose Down
DROP TABLE data_keys, leases, records, lookups, key_usage, key_secrets, keys, members, organisations;

-- +goose Up
-- The key of the hashes that people are found by. It is sealed, and stays the same when the data keys change.
CREATE TABLE subject_keys (
    id         uuid PRIMARY KEY,
    secret     bytea NOT NULL,
    created_at timestamptz NOT NULL
);

-- The data held about a person, by the keyed hash of organisation and document: lookups, and items of batches. A chore
-- writes it up to a mark; later rows are scanned.
CREATE TABLE subject_traces (
    subject bytea NOT NULL,
    kind    text NOT NULL,
    row_id  uuid NOT NULL,
    PRIMARY KEY (subject, kind, row_id)
);
CREATE TABLE privacy_marks (
    name  text PRIMARY KEY,
    up_to uuid NOT NULL
);
INSERT INTO privacy_marks (name, up_to) VALUES ('lookups', '00000000-0000-0000-0000-000000000000'),
    ('batch_items', '00000000-0000-0000-0000-000000000000'), ('records', '00000000-0000-0000-0000-000000000000');

-- People whom nobody in an organisation may look up.
CREATE TABLE subject_blocks (
    org_id     uuid NOT NULL,
    subject    bytea NOT NULL,
    erasure_id uuid NOT NULL,
    asked_by   text NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (org_id, subject)
);

-- Erasures, and finally their receipts. hashes are those of the person, concatenated; content is the person's sealed
-- identity, until it is done.
CREATE TABLE erasures (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    state       text NOT NULL,
    asked_by    text NOT NULL,
    at          timestamptz NOT NULL,
    ended_at    timestamptz,
    block       boolean NOT NULL,
    key_id      text NOT NULL,
    hashes      bytea NOT NULL,
    counts      text NOT NULL,
    content     bytea,
    kind        text NOT NULL,
    after       text NOT NULL,
    round       bigint NOT NULL,
    journalled  boolean NOT NULL,
    replayed_at timestamptz,
    lease       text NOT NULL,
    lease_until timestamptz
);
CREATE INDEX erasures_org ON erasures (org_id, id);
CREATE INDEX erasures_open ON erasures (id) WHERE state = 'em_andamento';

-- +goose Down
DROP TABLE erasures;
DROP TABLE subject_blocks;
DROP TABLE privacy_marks;
DROP TABLE subject_traces;
DROP TABLE subject_keys;

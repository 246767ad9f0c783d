-- +goose Up
-- The key of the hashes that people are found by. It is sealed, and stays the same when the data keys change.
CREATE TABLE subject_keys (
    id         text PRIMARY KEY,
    secret     blob NOT NULL,
    created_at datetime NOT NULL
);

-- The data held about a person, by the keyed hash of organisation and document: lookups, and items of batches. A chore
-- writes it up to a mark; later rows are scanned.
CREATE TABLE subject_traces (
    subject blob NOT NULL,
    kind    text NOT NULL,
    row_id  text NOT NULL,
    PRIMARY KEY (subject, kind, row_id)
) WITHOUT ROWID;
CREATE TABLE privacy_marks (
    name  text PRIMARY KEY,
    up_to text NOT NULL
);
INSERT INTO privacy_marks (name, up_to) VALUES ('lookups', '00000000-0000-0000-0000-000000000000'),
    ('batch_items', '00000000-0000-0000-0000-000000000000'), ('records', '00000000-0000-0000-0000-000000000000');

-- People whom nobody in an organisation may look up.
CREATE TABLE subject_blocks (
    org_id     text NOT NULL,
    subject    blob NOT NULL,
    erasure_id text NOT NULL,
    asked_by   text NOT NULL,
    at         datetime NOT NULL,
    PRIMARY KEY (org_id, subject)
) WITHOUT ROWID;

-- Erasures, and finally their receipts. hashes are those of the person, concatenated; content is the person's sealed
-- identity, until it is done.
CREATE TABLE erasures (
    id          text PRIMARY KEY,
    org_id      text NOT NULL,
    state       text NOT NULL,
    asked_by    text NOT NULL,
    at          datetime NOT NULL,
    ended_at    datetime,
    block       numeric NOT NULL,
    key_id      text NOT NULL,
    hashes      blob NOT NULL,
    counts      text NOT NULL,
    content     blob,
    kind        text NOT NULL,
    after       text NOT NULL,
    round       integer NOT NULL,
    journalled  numeric NOT NULL,
    replayed_at datetime,
    lease       text NOT NULL,
    lease_until datetime
);
CREATE INDEX erasures_org ON erasures (org_id, id);
CREATE INDEX erasures_open ON erasures (id) WHERE state = 'em_andamento';

-- +goose Down
DROP TABLE erasures;
DROP TABLE subject_blocks;
DROP TABLE privacy_marks;
DROP TABLE subject_traces;
DROP TABLE subject_keys;

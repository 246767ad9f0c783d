-- +goose Up
-- The audit log: for each organisation a chain of lines, each bound to the one before by its hash. address and detail
-- are sealed, and bound by their checksums, so that they can be resealed or removed.
CREATE TABLE audit_lines (
    id          text NOT NULL PRIMARY KEY,
    org_id      text NOT NULL,
    number      integer NOT NULL,
    at          datetime NOT NULL,
    actor       text NOT NULL,
    door        text NOT NULL,
    action      text NOT NULL,
    object      text NOT NULL,
    request_id  text NOT NULL,
    address     blob,
    address_sum blob,
    detail      blob,
    detail_sum  blob,
    subject     blob,
    erased_by   text,
    hash        blob NOT NULL
);
CREATE UNIQUE INDEX audit_lines_number ON audit_lines (org_id, number);
CREATE INDEX audit_lines_org_at ON audit_lines (org_id, at, number);
CREATE INDEX audit_lines_at ON audit_lines (at);
CREATE INDEX audit_lines_actor ON audit_lines (org_id, actor, number);
CREATE INDEX audit_lines_action ON audit_lines (org_id, action, number);
CREATE INDEX audit_lines_actor_action ON audit_lines (org_id, actor, action, number);
CREATE INDEX audit_lines_object ON audit_lines (org_id, object);
CREATE INDEX audit_lines_subject ON audit_lines (org_id, subject) WHERE subject IS NOT NULL;

-- The end of each chain, apart from its lines; sealed is the same, which nobody can write without a data key.
CREATE TABLE audit_heads (
    id             text NOT NULL PRIMARY KEY,
    number         integer NOT NULL,
    hash           blob NOT NULL,
    at             datetime NOT NULL,
    removed_number integer NOT NULL,
    removed_hash   blob NOT NULL,
    sealed         blob
);
INSERT INTO audit_heads (id, number, hash, at, removed_number, removed_hash)
SELECT id, 0, zeroblob(32), '1970-01-01 00:00:00+00:00', 0, zeroblob(32) FROM organisations;

-- +goose Down
DROP TABLE audit_heads;
DROP TABLE audit_lines;

-- +goose Up
-- The audit log: for each organisation a chain of lines, each bound to the one before by its hash. address and detail
-- are sealed, and bound by their checksums, so that they can be resealed or removed.
CREATE TABLE audit_lines (
    id          uuid NOT NULL PRIMARY KEY,
    org_id      uuid NOT NULL,
    number      bigint NOT NULL,
    at          timestamptz NOT NULL,
    actor       text NOT NULL,
    door        text NOT NULL,
    action      text NOT NULL,
    object      text NOT NULL,
    request_id  text NOT NULL,
    address     bytea,
    address_sum bytea,
    detail      bytea,
    detail_sum  bytea,
    subject     bytea,
    erased_by   uuid,
    hash        bytea NOT NULL
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
    id             uuid NOT NULL PRIMARY KEY,
    number         bigint NOT NULL,
    hash           bytea NOT NULL,
    at             timestamptz NOT NULL,
    removed_number bigint NOT NULL,
    removed_hash   bytea NOT NULL,
    sealed         bytea
);
INSERT INTO audit_heads (id, number, hash, at, removed_number, removed_hash)
SELECT id, 0, decode(repeat('00', 32), 'hex'), to_timestamp(0), 0, decode(repeat('00', 32), 'hex') FROM organisations;

-- +goose Down
DROP TABLE audit_heads;
DROP TABLE audit_lines;

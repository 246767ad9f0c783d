-- +goose Up
-- Members who are given contacts in turn: each as often as his weight says, but not while he is away.
CREATE TABLE rotations (
    id         uuid NOT NULL PRIMARY KEY,
    org_id     uuid NOT NULL,
    name       text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX rotations_org ON rotations (org_id, id);
CREATE TABLE rotation_members (
    rotation_id uuid NOT NULL,
    member_id   uuid NOT NULL,
    weight      bigint NOT NULL,
    away_until  timestamptz,
    PRIMARY KEY (rotation_id, member_id)
);

-- How many turns were taken, and who got how many contacts. There are no foreign keys: posts write them.
CREATE TABLE rotation_turns (
    rotation_id uuid NOT NULL PRIMARY KEY,
    turn        bigint NOT NULL
);
CREATE TABLE rotation_counts (
    rotation_id uuid NOT NULL,
    member_id   uuid NOT NULL,
    contacts    bigint NOT NULL,
    PRIMARY KEY (rotation_id, member_id)
);
ALTER TABLE webhooks ADD COLUMN rotation_id uuid;

-- +goose Down
ALTER TABLE webhooks DROP COLUMN rotation_id;
DROP TABLE rotation_counts;
DROP TABLE rotation_turns;
DROP TABLE rotation_members;
DROP TABLE rotations;

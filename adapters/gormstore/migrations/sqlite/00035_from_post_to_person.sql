-- +goose Up
-- Members who are given contacts in turn: each in proportion to their weight, but not while away.
CREATE TABLE rotations (
    id         text NOT NULL PRIMARY KEY,
    org_id     text NOT NULL,
    name       text NOT NULL,
    created_at datetime NOT NULL
);
CREATE INDEX rotations_org ON rotations (org_id, id);
CREATE TABLE rotation_members (
    rotation_id text NOT NULL,
    member_id   text NOT NULL,
    weight      integer NOT NULL,
    away_until  datetime,
    PRIMARY KEY (rotation_id, member_id)
);

-- The number of turns taken, and of contacts given to each member. There are no foreign keys: posts write these rows.
CREATE TABLE rotation_turns (
    rotation_id text NOT NULL PRIMARY KEY,
    turn        integer NOT NULL
);
CREATE TABLE rotation_counts (
    rotation_id text NOT NULL,
    member_id   text NOT NULL,
    contacts    integer NOT NULL,
    PRIMARY KEY (rotation_id, member_id)
);
ALTER TABLE webhooks ADD COLUMN rotation_id text;

-- Contacts that nobody has answered yet; for those older than this migration it is unknown. And how long others waited,
-- by who answered first and by origin.
ALTER TABLE contacts ADD COLUMN waiting boolean NOT NULL DEFAULT false;
CREATE INDEX contacts_waiting ON contacts (org_id, id) WHERE waiting;
CREATE TABLE first_answers (
    org_id    text NOT NULL,
    hour      datetime NOT NULL,
    member_id text NOT NULL,
    origin_id text NOT NULL,
    answers   integer NOT NULL,
    seconds   integer NOT NULL,
    PRIMARY KEY (org_id, hour, member_id, origin_id)
);

-- +goose Down
DROP TABLE first_answers;
DROP INDEX contacts_waiting;
ALTER TABLE contacts DROP COLUMN waiting;
ALTER TABLE webhooks DROP COLUMN rotation_id;
DROP TABLE rotation_counts;
DROP TABLE rotation_turns;
DROP TABLE rotation_members;
DROP TABLE rotations;

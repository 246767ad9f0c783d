-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index
        WHERE NOT indisvalid AND indrelid = 'contacts'::regclass
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Members who are given contacts in turn: each in proportion to their weight, but not while away.
CREATE TABLE IF NOT EXISTS rotations (
    id         uuid NOT NULL PRIMARY KEY,
    org_id     uuid NOT NULL,
    name       text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS rotations_org ON rotations (org_id, id);
CREATE TABLE IF NOT EXISTS rotation_members (
    rotation_id uuid NOT NULL,
    member_id   uuid NOT NULL,
    weight      bigint NOT NULL,
    away_until  timestamptz,
    PRIMARY KEY (rotation_id, member_id)
);

-- The number of turns taken, and of contacts given to each member. There are no foreign keys: posts write these rows.
CREATE TABLE IF NOT EXISTS rotation_turns (
    rotation_id uuid NOT NULL PRIMARY KEY,
    turn        bigint NOT NULL
);
CREATE TABLE IF NOT EXISTS rotation_counts (
    rotation_id uuid NOT NULL,
    member_id   uuid NOT NULL,
    contacts    bigint NOT NULL,
    PRIMARY KEY (rotation_id, member_id)
);
ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS rotation_id uuid;

-- Contacts that nobody has answered yet; for those older than this migration it is unknown. And how long others waited,
-- by who answered first and by origin.
ALTER TABLE contacts ADD COLUMN IF NOT EXISTS waiting boolean NOT NULL DEFAULT false;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contacts_waiting ON contacts (org_id, id DESC NULLS LAST) WHERE waiting;
CREATE TABLE IF NOT EXISTS first_answers (
    org_id    uuid NOT NULL,
    hour      timestamptz NOT NULL,
    member_id uuid NOT NULL,
    origin_id uuid NOT NULL,
    answers   bigint NOT NULL,
    seconds   bigint NOT NULL,
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

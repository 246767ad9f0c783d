-- +goose Up
-- Who is signed in sees with what and from where, and can end one of several. address is sealed. An
-- instance of before gives no ids.
ALTER TABLE sessions ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid();
ALTER TABLE sessions ADD COLUMN device text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address bytea;
CREATE UNIQUE INDEX sessions_id ON sessions (id);

-- What is used once, by the hash of its secret: links by e-mail, sign-ins that wait for a second factor, challenges of
-- passkeys. data is what belongs to it, and nothing personal.
CREATE TABLE tickets (
    hash       bytea NOT NULL PRIMARY KEY,
    kind       text NOT NULL,
    member_id  uuid,
    data       bytea,
    expires_at timestamptz NOT NULL
);
CREATE INDEX tickets_member ON tickets (member_id, kind);
CREATE INDEX tickets_expires ON tickets (expires_at);

-- The second factor of a member, by his id: the sealed secret of his one-time codes, and the last step that was used.
CREATE TABLE one_time_codes (
    id        uuid NOT NULL PRIMARY KEY,
    secret    bytea NOT NULL,
    confirmed boolean NOT NULL,
    last_step bigint NOT NULL
);
CREATE TABLE recovery_codes (
    member_id uuid NOT NULL,
    hash      bytea NOT NULL,
    PRIMARY KEY (member_id, hash)
);
CREATE TABLE passkeys (
    id         uuid NOT NULL PRIMARY KEY,
    member_id  uuid NOT NULL,
    name       text NOT NULL,
    credential bytea NOT NULL,
    content    bytea NOT NULL,
    created_at timestamptz NOT NULL,
    used_at    timestamptz
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_member ON passkeys (member_id);

ALTER TABLE members ADD COLUMN IF NOT EXISTS second_factor boolean NOT NULL DEFAULT false;
ALTER TABLE organisations ADD COLUMN IF NOT EXISTS second_factor boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE organisations DROP COLUMN second_factor;
ALTER TABLE members DROP COLUMN second_factor;
DROP TABLE passkeys;
DROP TABLE recovery_codes;
DROP TABLE one_time_codes;
DROP TABLE tickets;
DROP INDEX sessions_id;
ALTER TABLE sessions DROP COLUMN address;
ALTER TABLE sessions DROP COLUMN device;
ALTER TABLE sessions DROP COLUMN id;

-- +goose Up
-- Members see the device and address of each of their sessions, and can end any. address is sealed.
ALTER TABLE sessions ADD COLUMN id text NOT NULL DEFAULT '';
UPDATE sessions SET id = lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) ||
    '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6)));
ALTER TABLE sessions ADD COLUMN device text NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN address blob;
CREATE UNIQUE INDEX sessions_id ON sessions (id);

-- Single-use tickets, by the hash of their secret: links by e-mail, sign-ins that await a second factor, passkey
-- challenges. data belongs to the ticket and is not personal.
CREATE TABLE tickets (
    hash       blob NOT NULL PRIMARY KEY,
    kind       text NOT NULL,
    member_id  text,
    data       blob,
    expires_at datetime NOT NULL
);
CREATE INDEX tickets_member ON tickets (member_id, kind);
CREATE INDEX tickets_expires ON tickets (expires_at);

-- A member's second factor, by member id: the sealed secret of the one-time codes, and the last time step used.
CREATE TABLE one_time_codes (
    id        text NOT NULL PRIMARY KEY,
    secret    blob NOT NULL,
    confirmed boolean NOT NULL,
    last_step integer NOT NULL
);
CREATE TABLE recovery_codes (
    member_id text NOT NULL,
    hash      blob NOT NULL,
    PRIMARY KEY (member_id, hash)
);
CREATE TABLE passkeys (
    id         text NOT NULL PRIMARY KEY,
    member_id  text NOT NULL,
    name       text NOT NULL,
    credential blob NOT NULL,
    content    blob NOT NULL,
    created_at datetime NOT NULL,
    used_at    datetime
);
CREATE UNIQUE INDEX passkeys_credential ON passkeys (credential);
CREATE INDEX passkeys_member ON passkeys (member_id);

ALTER TABLE members ADD COLUMN second_factor boolean NOT NULL DEFAULT false;
ALTER TABLE organisations ADD COLUMN second_factor boolean NOT NULL DEFAULT false;

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

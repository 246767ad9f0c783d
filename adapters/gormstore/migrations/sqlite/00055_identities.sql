-- +goose Up
-- A member's identity at an OpenID Connect provider: the issuer, and its subject, which is never reassigned.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    member_id  text NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_member ON identities (member_id, issuer);

-- Whether the provider said that a second factor was used there.
ALTER TABLE sessions ADD COLUMN factor_elsewhere boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE sessions DROP COLUMN factor_elsewhere;
DROP TABLE identities;

-- +goose Up
-- Who a member is at a provider of OpenID Connect: its issuer, and the name that it has for him and never gives to another.
CREATE TABLE identities (
    issuer     text NOT NULL,
    subject    text NOT NULL,
    member_id  text NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX identities_member ON identities (member_id, issuer);

-- Whether the provider said that he showed a second factor there.
ALTER TABLE sessions ADD COLUMN factor_elsewhere boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE sessions DROP COLUMN factor_elsewhere;
DROP TABLE identities;

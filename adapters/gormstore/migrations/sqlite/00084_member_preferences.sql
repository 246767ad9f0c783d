-- +goose Up
-- What the interface remembers for each member; no personal data of contacts.
CREATE TABLE member_preferences (
    org_id    text NOT NULL,
    member_id text NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    name      text NOT NULL,
    value     text NOT NULL,
    PRIMARY KEY (org_id, member_id, name)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE member_preferences;

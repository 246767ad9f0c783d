-- +goose Up
-- What the interface remembers for each member; no personal data of contacts.
CREATE TABLE IF NOT EXISTS member_preferences (
    org_id    uuid NOT NULL,
    member_id uuid NOT NULL REFERENCES members (id) ON DELETE CASCADE,
    name      text NOT NULL,
    value     text NOT NULL,
    PRIMARY KEY (org_id, member_id, name)
);

-- +goose Down
DROP TABLE member_preferences;

-- +goose Up
-- The second and further contacts of a post with several people, from position 1. No foreign keys, as with deliveries.
CREATE TABLE delivery_contacts (
    delivery_id text NOT NULL,
    position    integer NOT NULL,
    contact_id  text NOT NULL,
    PRIMARY KEY (delivery_id, position)
);

-- +goose Down
DROP TABLE delivery_contacts;

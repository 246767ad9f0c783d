-- +goose Up
-- The second and further contacts of a post with several people, from position 1. No foreign keys, as with deliveries.
CREATE TABLE delivery_contacts (
    delivery_id uuid NOT NULL,
    position    bigint NOT NULL,
    contact_id  uuid NOT NULL,
    PRIMARY KEY (delivery_id, position)
);

-- +goose Down
DROP TABLE delivery_contacts;

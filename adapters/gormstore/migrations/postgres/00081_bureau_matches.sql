-- +goose Up
-- How often the answers of two bureaus to the same question agreed, by month and field; field is empty for whether a
-- bureau has a record at all, where the amounts are too.
CREATE TABLE IF NOT EXISTS bureau_matches (
    month         text NOT NULL,
    product       text NOT NULL,
    first_bureau  text NOT NULL,
    second_bureau text NOT NULL,
    field         text NOT NULL,
    equal         bigint NOT NULL,
    different     bigint NOT NULL,
    only_first    bigint NOT NULL,
    only_second   bigint NOT NULL,
    neither       bigint NOT NULL,
    first_amount  bigint NOT NULL,
    second_amount bigint NOT NULL,
    PRIMARY KEY (month, product, first_bureau, second_bureau, field)
);

-- +goose Down
DROP TABLE bureau_matches;

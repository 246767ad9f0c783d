-- +goose Up
-- People being erased, or erased: what was in somebody's memory before until may no longer ask about them nor store
-- anything of them. While the erasure runs, until is far away.
CREATE TABLE erased_subjects (
    org_id     text NOT NULL,
    subject    blob NOT NULL,
    erasure_id text NOT NULL,
    until      datetime NOT NULL,
    PRIMARY KEY (org_id, subject)
) WITHOUT ROWID;
CREATE INDEX erased_subjects_until ON erased_subjects (until);
CREATE INDEX erased_subjects_erasure ON erased_subjects (erasure_id);

-- +goose Down
DROP TABLE erased_subjects;

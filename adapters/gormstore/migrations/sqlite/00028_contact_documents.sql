-- +goose Up
-- The CPFs and CNPJs of contacts, sealed, and the keyed hash of each, one after the other.
ALTER TABLE contacts ADD COLUMN documents blob;
ALTER TABLE contacts ADD COLUMN doc_index blob;

-- The hashes that contacts are found by.
CREATE TABLE contact_documents (
    org_id     text NOT NULL,
    doc_index  blob NOT NULL,
    contact_id text NOT NULL,
    PRIMARY KEY (org_id, doc_index, contact_id)
) WITHOUT ROWID;
CREATE INDEX contact_documents_contact ON contact_documents (contact_id);

-- Documents are added, changed and deleted with their contact, which has at most ten.
-- +goose StatementBegin
CREATE TRIGGER contact_documents_come AFTER INSERT ON contacts WHEN new.doc_index IS NOT NULL
BEGIN
    INSERT OR IGNORE INTO contact_documents (org_id, doc_index, contact_id)
    SELECT new.org_id, substr(new.doc_index, 1 + 32 * n, 32), new.id
    FROM (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
    WHERE 32 * n < length(new.doc_index);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_documents_change AFTER UPDATE OF doc_index ON contacts WHEN old.doc_index IS NOT new.doc_index
BEGIN
    DELETE FROM contact_documents WHERE contact_id = old.id;
    INSERT OR IGNORE INTO contact_documents (org_id, doc_index, contact_id)
    SELECT new.org_id, substr(new.doc_index, 1 + 32 * n, 32), new.id
    FROM (SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3 UNION ALL SELECT 4 UNION ALL SELECT 5 UNION ALL SELECT 6 UNION ALL SELECT 7 UNION ALL SELECT 8 UNION ALL SELECT 9)
    WHERE 32 * n < length(new.doc_index);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_documents_go AFTER DELETE ON contacts WHEN old.doc_index IS NOT NULL
BEGIN
    DELETE FROM contact_documents WHERE contact_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER contact_documents_go;
DROP TRIGGER contact_documents_change;
DROP TRIGGER contact_documents_come;
DROP TABLE contact_documents;
ALTER TABLE contacts DROP COLUMN doc_index;
ALTER TABLE contacts DROP COLUMN documents;

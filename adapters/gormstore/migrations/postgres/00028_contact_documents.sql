-- +goose Up
-- The CPFs and CNPJs of contacts, sealed, and the keyed hash of each, one after the other.
ALTER TABLE contacts ADD COLUMN IF NOT EXISTS documents bytea, ADD COLUMN IF NOT EXISTS doc_index bytea;

-- The hashes that contacts are found by. There is no foreign key: it would cost as much as the row.
CREATE TABLE contact_documents (
    org_id     uuid NOT NULL,
    doc_index  bytea NOT NULL,
    contact_id uuid NOT NULL,
    PRIMARY KEY (org_id, doc_index, contact_id)
);
CREATE INDEX contact_documents_contact ON contact_documents (contact_id);

-- Documents are added, changed and deleted with their contact; one without any costs nothing.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION contact_documents_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        DELETE FROM contact_documents WHERE contact_id = OLD.id;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO contact_documents (org_id, doc_index, contact_id)
        SELECT NEW.org_id, substr(NEW.doc_index, 1 + 32 * n, 32), NEW.id
        FROM generate_series(0, COALESCE(octet_length(NEW.doc_index), 0) / 32 - 1) AS n
        ON CONFLICT DO NOTHING;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
CREATE TRIGGER contact_documents_come AFTER INSERT ON contacts
    FOR EACH ROW WHEN (NEW.doc_index IS NOT NULL) EXECUTE FUNCTION contact_documents_follow();
CREATE TRIGGER contact_documents_change AFTER UPDATE OF doc_index ON contacts
    FOR EACH ROW WHEN (OLD.doc_index IS DISTINCT FROM NEW.doc_index) EXECUTE FUNCTION contact_documents_follow();
CREATE TRIGGER contact_documents_go AFTER DELETE ON contacts
    FOR EACH ROW WHEN (OLD.doc_index IS NOT NULL) EXECUTE FUNCTION contact_documents_follow();

-- +goose Down
DROP TRIGGER contact_documents_go ON contacts;
DROP TRIGGER contact_documents_change ON contacts;
DROP TRIGGER contact_documents_come ON contacts;
DROP FUNCTION contact_documents_follow;
DROP TABLE contact_documents;
ALTER TABLE contacts DROP COLUMN doc_index;
ALTER TABLE contacts DROP COLUMN documents;

-- +goose Up
-- The search text of contacts, written some time after they arrive, so that no post waits for its index. Migrate
-- creates that index, contact_trigrams, as not every role may. There is no foreign key: it would cost as much as the row.
CREATE TABLE contact_words (
    contact_id uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    words      text NOT NULL
);

-- The last contact whose words are written.
CREATE TABLE contact_index (
    id    bigint PRIMARY KEY,
    up_to uuid NOT NULL
);
INSERT INTO contact_index (id, up_to) VALUES (1, '00000000-0000-0000-0000-000000000000');

-- Words are changed and deleted with their contact. A contact without words yet gets them here, because the indexer
-- may have read it before the change.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION contact_words_follow() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        DELETE FROM contact_words WHERE contact_id = OLD.id;
    ELSE
        INSERT INTO contact_words (contact_id, org_id, words) VALUES (NEW.id, NEW.org_id, COALESCE(NEW.search, ''))
        ON CONFLICT (contact_id) DO UPDATE SET words = excluded.words;
    END IF;
    RETURN NULL;
END $$;
-- +goose StatementEnd
DROP TRIGGER IF EXISTS contact_words_follow ON contacts;
CREATE TRIGGER contact_words_follow AFTER DELETE OR UPDATE OF search ON contacts
    FOR EACH ROW EXECUTE FUNCTION contact_words_follow();

-- +goose Down
DROP TRIGGER contact_words_follow ON contacts;
DROP FUNCTION contact_words_follow;
DROP TABLE contact_index;
DROP TABLE contact_words;

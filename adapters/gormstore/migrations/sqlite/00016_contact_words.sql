-- +goose Up
-- The search index: all trigrams of the contacts' search text. It is written some time after they arrive, so that no
-- post waits for it. Deleted text leaves it at once.
CREATE VIRTUAL TABLE contact_trigrams USING fts5 (words, content = '', detail = none, tokenize = 'trigram');
INSERT INTO contact_trigrams (contact_trigrams, rank) VALUES ('secure-delete', 1);

-- The contact of each row in it. Places are in the order of the contacts' ids: see placeOf.
CREATE TABLE contact_words (
    place      integer PRIMARY KEY,
    contact_id text NOT NULL UNIQUE
);

-- The last contact whose words are written.
CREATE TABLE contact_index (
    id    integer PRIMARY KEY,
    up_to text NOT NULL
);
INSERT INTO contact_index (id, up_to) VALUES (1, '00000000-0000-0000-0000-000000000000');

DROP VIEW IF EXISTS contact_texts;
-- The text to index: three characters for the organisation, so that each has its own part of the index, and the words,
-- each after two spaces, so that the first letter of a word has a trigram of its own.
CREATE VIEW contact_texts AS
SELECT w.place, c.id, char(
        57344 + instr('0123456789abcdef', substr(c.org_id, -1)),
        57344 + instr('0123456789abcdef', substr(c.org_id, -2, 1)),
        57344 + instr('0123456789abcdef', substr(c.org_id, -3, 1))
    ) || '  ' || replace(c.search, ' ', '  ') AS words
FROM contact_words w CROSS JOIN contacts c ON c.id = w.contact_id;

-- Words are changed and deleted with their contact.
DROP TRIGGER IF EXISTS contact_words_go;
DROP TRIGGER IF EXISTS contact_words_return;
DROP TRIGGER IF EXISTS contact_words_leave;
-- +goose StatementBegin
CREATE TRIGGER contact_words_leave BEFORE UPDATE OF search ON contacts
BEGIN
    INSERT INTO contact_trigrams (contact_trigrams, rowid, words)
    SELECT 'delete', t.place, t.words FROM contact_words w JOIN contact_texts t ON t.place = w.place
    WHERE w.contact_id = old.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_words_return AFTER UPDATE OF search ON contacts
BEGIN
    INSERT INTO contact_trigrams (rowid, words)
    SELECT t.place, t.words FROM contact_words w JOIN contact_texts t ON t.place = w.place WHERE w.contact_id = new.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER contact_words_go BEFORE DELETE ON contacts
BEGIN
    INSERT INTO contact_trigrams (contact_trigrams, rowid, words)
    SELECT 'delete', t.place, t.words FROM contact_words w JOIN contact_texts t ON t.place = w.place
    WHERE w.contact_id = old.id;
    DELETE FROM contact_words WHERE contact_id = old.id;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER contact_words_go;
DROP TRIGGER contact_words_return;
DROP TRIGGER contact_words_leave;
DROP VIEW contact_texts;
DROP TABLE contact_index;
DROP TABLE contact_words;
DROP TABLE contact_trigrams;

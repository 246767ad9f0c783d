-- +goose Up
-- What it means that a contact is in a stage: open, won or lost. Until now the names said it.
ALTER TABLE stages ADD COLUMN outcome text;
UPDATE stages SET outcome = CASE name WHEN 'Ganho' THEN 'won' WHEN 'Perdido' THEN 'lost' ELSE 'open' END;

-- +goose Down
ALTER TABLE stages DROP COLUMN outcome;

-- +goose Up
-- The meaning of a stage: open, won or lost. Until now it was derived from the name.
ALTER TABLE stages ADD COLUMN outcome text;
UPDATE stages SET outcome = CASE name WHEN 'Ganho' THEN 'won' WHEN 'Perdido' THEN 'lost' ELSE 'open' END;

-- +goose Down
ALTER TABLE stages DROP COLUMN outcome;

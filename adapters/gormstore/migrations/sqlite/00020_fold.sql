-- +goose Up
-- Slots not folded yet: those of past hours are merged into a single one, number -100.
CREATE INDEX delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;
CREATE INDEX lookup_hours_open ON lookup_hours (hour) WHERE slot <> -100;
CREATE INDEX contact_hours_open ON contact_hours (hour) WHERE slot <> -100;
CREATE INDEX spend_days_open ON spend_days (day) WHERE slot <> -100;

-- +goose Down
DROP INDEX spend_days_open;
DROP INDEX contact_hours_open;
DROP INDEX lookup_hours_open;
DROP INDEX delivery_hours_open;

-- +goose Up
-- The hours of past days are summed too, in slot -101. What is left to sum: slots of hours, and all of days.
CREATE INDEX delivery_hours_counting ON delivery_hours (hour) WHERE slot > -100;
CREATE INDEX delivery_hours_daily ON delivery_hours (hour) WHERE slot > -101;
DROP INDEX IF EXISTS delivery_hours_open;
CREATE INDEX lookup_hours_counting ON lookup_hours (hour) WHERE slot > -100;
CREATE INDEX lookup_hours_daily ON lookup_hours (hour) WHERE slot > -101;
DROP INDEX IF EXISTS lookup_hours_open;
CREATE INDEX contact_hours_counting ON contact_hours (hour) WHERE slot > -100;
CREATE INDEX contact_hours_daily ON contact_hours (hour) WHERE slot > -101;
DROP INDEX IF EXISTS contact_hours_open;

-- +goose Down
CREATE INDEX delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;
DROP INDEX delivery_hours_daily;
DROP INDEX delivery_hours_counting;
CREATE INDEX lookup_hours_open ON lookup_hours (hour) WHERE slot <> -100;
DROP INDEX lookup_hours_daily;
DROP INDEX lookup_hours_counting;
CREATE INDEX contact_hours_open ON contact_hours (hour) WHERE slot <> -100;
DROP INDEX contact_hours_daily;
DROP INDEX contact_hours_counting;

-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid AND indrelid IN
        ('delivery_hours'::regclass, 'lookup_hours'::regclass, 'contact_hours'::regclass)
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- The hours of past days are summed too, in slot -101. What is left to sum: slots of hours, and all of days.
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_hours_counting ON delivery_hours (hour) WHERE slot > -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_hours_daily ON delivery_hours (hour) WHERE slot > -101;
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookup_hours_counting ON lookup_hours (hour) WHERE slot > -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookup_hours_daily ON lookup_hours (hour) WHERE slot > -101;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contact_hours_counting ON contact_hours (hour) WHERE slot > -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contact_hours_daily ON contact_hours (hour) WHERE slot > -101;
DROP INDEX CONCURRENTLY IF EXISTS delivery_hours_open;
DROP INDEX CONCURRENTLY IF EXISTS lookup_hours_open;
DROP INDEX CONCURRENTLY IF EXISTS contact_hours_open;

-- +goose Down
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookup_hours_open ON lookup_hours (hour) WHERE slot <> -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contact_hours_open ON contact_hours (hour) WHERE slot <> -100;
DROP INDEX CONCURRENTLY IF EXISTS delivery_hours_daily;
DROP INDEX CONCURRENTLY IF EXISTS delivery_hours_counting;
DROP INDEX CONCURRENTLY IF EXISTS lookup_hours_daily;
DROP INDEX CONCURRENTLY IF EXISTS lookup_hours_counting;
DROP INDEX CONCURRENTLY IF EXISTS contact_hours_daily;
DROP INDEX CONCURRENTLY IF EXISTS contact_hours_counting;

-- +goose NO TRANSACTION
-- +goose Up
-- Indexes left invalid by a killed run are rebuilt.
-- +goose StatementBegin
DO $$
DECLARE broken text;
BEGIN
    FOR broken IN SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid AND indrelid IN
        ('delivery_hours'::regclass, 'lookup_hours'::regclass, 'contact_hours'::regclass, 'spend_days'::regclass)
    LOOP
        EXECUTE 'DROP INDEX ' || broken;
    END LOOP;
END $$;
-- +goose StatementEnd

-- Slots not folded yet: those of past hours are merged into a single one, number -100.
CREATE INDEX CONCURRENTLY IF NOT EXISTS delivery_hours_open ON delivery_hours (hour) WHERE slot <> -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS lookup_hours_open ON lookup_hours (hour) WHERE slot <> -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS contact_hours_open ON contact_hours (hour) WHERE slot <> -100;
CREATE INDEX CONCURRENTLY IF NOT EXISTS spend_days_open ON spend_days (day) WHERE slot <> -100;

-- +goose Down
DROP INDEX CONCURRENTLY IF EXISTS spend_days_open;
DROP INDEX CONCURRENTLY IF EXISTS contact_hours_open;
DROP INDEX CONCURRENTLY IF EXISTS lookup_hours_open;
DROP INDEX CONCURRENTLY IF EXISTS delivery_hours_open;

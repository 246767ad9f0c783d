-- +goose Up
-- The text that the challenge of a webhook of Meta's must know; null for other webhooks.
ALTER TABLE webhooks ADD COLUMN IF NOT EXISTS verify_token bytea;

-- Pages of an advertising platform whose leads a webhook fetches. The token is sealed; forms are JSON.
CREATE TABLE IF NOT EXISTS lead_sources (
    id           uuid NOT NULL PRIMARY KEY,
    org_id       uuid NOT NULL,
    webhook_id   uuid NOT NULL,
    page         text NOT NULL,
    name         text NOT NULL,
    token        bytea NOT NULL,
    forms        text NOT NULL,
    state        text NOT NULL,
    reason       text NOT NULL,
    expires_at   timestamptz,
    checked_at   timestamptz,
    told         text NOT NULL,
    read_to      timestamptz NOT NULL,
    run_at       timestamptz NOT NULL,
    paused_until timestamptz NOT NULL,
    failures     bigint NOT NULL,
    lease        text NOT NULL,
    lease_until  timestamptz,
    created_at   timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS lead_sources_page ON lead_sources (webhook_id, page);

-- Leads that were announced or read. key is a hash of the platform's id, by which a lead is known for ever; lead is
-- that id, sealed, while the lead waits.
CREATE TABLE IF NOT EXISTS leads (
    id         uuid NOT NULL PRIMARY KEY,
    webhook_id uuid NOT NULL,
    page       text NOT NULL,
    key        text NOT NULL,
    lead       bytea,
    state      text NOT NULL,
    attempts   bigint NOT NULL,
    run_at     timestamptz NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS leads_key ON leads (webhook_id, key);
CREATE INDEX IF NOT EXISTS leads_waiting ON leads (webhook_id, page, run_at) WHERE state = 'aguardando';

-- +goose Down
DROP TABLE leads;
DROP TABLE lead_sources;
ALTER TABLE webhooks DROP COLUMN verify_token;

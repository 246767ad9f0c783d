-- +goose Up
-- The text that the challenge of a webhook of Meta's must know; null for other webhooks.
ALTER TABLE webhooks ADD COLUMN verify_token blob;

-- Pages of an advertising platform whose leads a webhook fetches. The token is sealed; forms are JSON.
CREATE TABLE lead_sources (
    id           text NOT NULL PRIMARY KEY,
    org_id       text NOT NULL,
    webhook_id   text NOT NULL,
    page         text NOT NULL,
    name         text NOT NULL,
    token        blob NOT NULL,
    forms        text NOT NULL,
    state        text NOT NULL,
    reason       text NOT NULL,
    expires_at   datetime,
    checked_at   datetime,
    told         text NOT NULL,
    read_to      datetime NOT NULL,
    run_at       datetime NOT NULL,
    paused_until datetime NOT NULL,
    failures     integer NOT NULL,
    lease        text NOT NULL,
    lease_until  datetime,
    created_at   datetime NOT NULL
);
CREATE UNIQUE INDEX lead_sources_page ON lead_sources (webhook_id, page);

-- Leads that were announced or read. key is a hash of the platform's id, by which a lead is known for ever; lead is
-- that id, sealed, while the lead waits.
CREATE TABLE leads (
    id         text NOT NULL PRIMARY KEY,
    webhook_id text NOT NULL,
    page       text NOT NULL,
    key        text NOT NULL,
    lead       blob,
    state      text NOT NULL,
    attempts   integer NOT NULL,
    run_at     datetime NOT NULL
);
CREATE UNIQUE INDEX leads_key ON leads (webhook_id, key);
CREATE INDEX leads_waiting ON leads (webhook_id, page, run_at) WHERE state = 'aguardando';

-- +goose Down
DROP TABLE leads;
DROP TABLE lead_sources;
ALTER TABLE webhooks DROP COLUMN verify_token;

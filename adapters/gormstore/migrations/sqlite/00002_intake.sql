-- +goose Up
-- epoch increases with every change that posts to the organisation's webhooks must see.
ALTER TABLE organisations ADD COLUMN epoch integer NOT NULL DEFAULT 0;

CREATE TABLE funnels (
    id         text PRIMARY KEY,
    org_id     text NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    is_default numeric NOT NULL,
    created_at datetime NOT NULL
);
CREATE UNIQUE INDEX funnels_default ON funnels (org_id) WHERE is_default;

CREATE TABLE stages (
    id        text PRIMARY KEY,
    funnel_id text NOT NULL REFERENCES funnels (id),
    name      text NOT NULL,
    position  integer NOT NULL
);
CREATE UNIQUE INDEX stages_position ON stages (funnel_id, position);

-- Existing organisations have no funnel.
INSERT INTO funnels (id, org_id, name, is_default, created_at)
SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), id, 'Vendas', true, created_at FROM organisations;
INSERT INTO stages (id, funnel_id, name, position)
SELECT lower(hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8' || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))), f.id, s.name, s.position
FROM funnels f, (SELECT 'Novo' AS name, 0 AS position UNION ALL SELECT 'Em contato', 1 UNION ALL SELECT 'Proposta', 2
    UNION ALL SELECT 'Negociação', 3 UNION ALL SELECT 'Ganho', 4 UNION ALL SELECT 'Perdido', 5) AS s;

-- folded is the name without case and accents.
CREATE TABLE origins (
    id     text PRIMARY KEY,
    org_id text NOT NULL REFERENCES organisations (id),
    name   text NOT NULL,
    folded text NOT NULL
);
CREATE UNIQUE INDEX origins_folded ON origins (org_id, folded);

-- token and secret are encrypted, not hashed: authorised members can see them again.
CREATE TABLE webhooks (
    id         text PRIMARY KEY,
    org_id     text NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    kind       text NOT NULL,
    band       text NOT NULL,
    enabled    numeric NOT NULL,
    origin_id  text REFERENCES origins (id),
    scheme     text NOT NULL,
    secret     blob NOT NULL,
    token      blob NOT NULL,
    thanks_url text NOT NULL,
    created_at datetime NOT NULL
);
CREATE INDEX webhooks_org ON webhooks (org_id, id);

-- A webhook may have several tokens while it is being regenerated.
CREATE TABLE webhook_tokens (
    hash       blob PRIMARY KEY,
    webhook_id text NOT NULL REFERENCES webhooks (id),
    ends_at    datetime
);
CREATE INDEX webhook_tokens_webhook ON webhook_tokens (webhook_id);

-- A counter is the sum of its slots. Each instance counts in its own slot, so that
-- none waits for another.
CREATE TABLE webhook_counters (
    webhook_id text NOT NULL,
    slot       integer NOT NULL,
    received   integer NOT NULL,
    PRIMARY KEY (webhook_id, slot)
);

-- The following tables are written with every post and have no foreign keys: each would
-- lock and read a row for every row. `fichario doctor` checks the references instead.
-- note and attribution are encrypted.
CREATE TABLE contacts (
    id          text PRIMARY KEY,
    org_id      text NOT NULL,
    webhook_id  text,
    name        text NOT NULL,
    email       text NOT NULL,
    phone       text NOT NULL,
    phone_e164  text NOT NULL,
    company     text NOT NULL,
    amount      integer NOT NULL,
    note        blob NOT NULL,
    origin_id   text,
    attribution blob,
    stage_id    text NOT NULL,
    assignee_id text,
    created_at  datetime NOT NULL
);
CREATE INDEX contacts_org ON contacts (org_id, id);

-- The history of contacts. subject is encrypted.
CREATE TABLE contact_events (
    id         text PRIMARY KEY,
    org_id     text NOT NULL,
    contact_id text NOT NULL,
    kind       text NOT NULL,
    actor      text NOT NULL,
    subject    blob,
    at         datetime NOT NULL
);
CREATE INDEX contact_events_contact ON contact_events (contact_id, id);

CREATE TABLE notifications (
    id         text PRIMARY KEY,
    org_id     text NOT NULL,
    kind       text NOT NULL,
    contact_id text NOT NULL,
    subject    text NOT NULL,
    at         datetime NOT NULL
);
CREATE INDEX notifications_org ON notifications (org_id, id);

-- The last notification that each member has read.
CREATE TABLE notification_marks (
    member_id text PRIMARY KEY REFERENCES members (id),
    up_to     text NOT NULL
);

-- The delivery log. content is the headers and the body, encrypted.
CREATE TABLE deliveries (
    id         text PRIMARY KEY,
    org_id     text NOT NULL,
    webhook_id text NOT NULL,
    at         datetime NOT NULL,
    outcome    text NOT NULL,
    code       text NOT NULL,
    reason     text NOT NULL,
    contact_id text,
    content    blob NOT NULL,
    truncated  numeric NOT NULL,
    replay_of  text
);
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id);

-- What identifies a post, so that it is processed once. key and body are keyed hashes.
CREATE TABLE receipts (
    webhook_id text NOT NULL,
    key        blob NOT NULL,
    body       blob NOT NULL,
    contact_id text NOT NULL,
    at         datetime NOT NULL,
    PRIMARY KEY (webhook_id, key)
);
CREATE INDEX receipts_at ON receipts (at);

-- action is encrypted: it holds addresses, secrets and texts.
CREATE TABLE automations (
    id         text PRIMARY KEY,
    org_id     text NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    event      text NOT NULL,
    enabled    numeric NOT NULL,
    origin_id  text REFERENCES origins (id),
    webhook_id text REFERENCES webhooks (id),
    min_amount integer NOT NULL,
    action     blob NOT NULL,
    created_at datetime NOT NULL
);
CREATE INDEX automations_org ON automations (org_id, id);

-- The queue of work done after the answer. It holds ids, no personal data.
CREATE TABLE jobs (
    id            text PRIMARY KEY,
    org_id        text NOT NULL,
    kind          text NOT NULL,
    contact_id    text NOT NULL,
    automation_id text,
    member_id     text,
    state         text NOT NULL,
    attempts      integer NOT NULL,
    run_at        datetime NOT NULL,
    result        text NOT NULL,
    created_at    datetime NOT NULL,
    ended_at      datetime,
    lease         text NOT NULL,
    lease_until   datetime
);
CREATE INDEX jobs_ready ON jobs (kind, run_at) WHERE state = 'ready';
CREATE INDEX jobs_org ON jobs (org_id, id) WHERE kind <> 'contact.created';

-- +goose Down
ALTER TABLE organisations DROP COLUMN epoch;
DROP TABLE jobs;
DROP TABLE automations;
DROP TABLE receipts;
DROP TABLE deliveries;
DROP TABLE notification_marks;
DROP TABLE notifications;
DROP TABLE contact_events;
DROP TABLE contacts;
DROP TABLE webhook_counters;
DROP TABLE webhook_tokens;
DROP TABLE webhooks;
DROP TABLE origins;
DROP TABLE stages;
DROP TABLE funnels;

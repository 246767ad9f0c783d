-- +goose Up
-- epoch increases with every change that posts to the organisation's webhooks must see.
ALTER TABLE organisations ADD COLUMN epoch bigint NOT NULL DEFAULT 0;

CREATE TABLE funnels (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    is_default boolean NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX funnels_default ON funnels (org_id) WHERE is_default;

CREATE TABLE stages (
    id        uuid PRIMARY KEY,
    funnel_id uuid NOT NULL REFERENCES funnels (id),
    name      text NOT NULL,
    position  bigint NOT NULL
);
CREATE UNIQUE INDEX stages_position ON stages (funnel_id, position);

-- Existing organisations have no funnel.
INSERT INTO funnels (id, org_id, name, is_default, created_at)
SELECT gen_random_uuid(), id, 'Vendas', true, created_at FROM organisations;
INSERT INTO stages (id, funnel_id, name, position)
SELECT gen_random_uuid(), f.id, s.name, s.position
FROM funnels f, (VALUES ('Novo', 0), ('Em contato', 1), ('Proposta', 2), ('Negociação', 3), ('Ganho', 4), ('Perdido', 5)) AS s (name, position);

-- folded is the name without case and accents.
CREATE TABLE origins (
    id     uuid PRIMARY KEY,
    org_id uuid NOT NULL REFERENCES organisations (id),
    name   text NOT NULL,
    folded text NOT NULL
);
CREATE UNIQUE INDEX origins_folded ON origins (org_id, folded);

-- token and secret are encrypted, not hashed: authorised members can see them again.
CREATE TABLE webhooks (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    kind       text NOT NULL,
    band       text NOT NULL,
    enabled    boolean NOT NULL,
    origin_id  uuid REFERENCES origins (id),
    scheme     text NOT NULL,
    secret     bytea NOT NULL,
    token      bytea NOT NULL,
    thanks_url text NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX webhooks_org ON webhooks (org_id, id);

-- A webhook may have several tokens while it is being regenerated.
CREATE TABLE webhook_tokens (
    hash       bytea PRIMARY KEY,
    webhook_id uuid NOT NULL REFERENCES webhooks (id),
    ends_at    timestamptz
);
CREATE INDEX webhook_tokens_webhook ON webhook_tokens (webhook_id);

-- A counter is the sum of its slots. Each instance counts in its own slot, so that
-- none waits for another.
CREATE TABLE webhook_counters (
    webhook_id uuid NOT NULL,
    slot       bigint NOT NULL,
    received   bigint NOT NULL,
    PRIMARY KEY (webhook_id, slot)
) WITH (fillfactor = 50);

-- The following tables are written with every post and have no foreign keys: each would
-- lock and read a row for every row. `fichario doctor` checks the references instead.
-- note and attribution are encrypted.
CREATE TABLE contacts (
    id          uuid PRIMARY KEY,
    org_id      uuid NOT NULL,
    webhook_id  uuid,
    name        text NOT NULL,
    email       text NOT NULL,
    phone       text NOT NULL,
    phone_e164  text NOT NULL,
    company     text NOT NULL,
    amount      bigint NOT NULL,
    note        bytea NOT NULL,
    origin_id   uuid,
    attribution bytea,
    stage_id    uuid NOT NULL,
    assignee_id uuid,
    created_at  timestamptz NOT NULL
);
CREATE INDEX contacts_org ON contacts (org_id, id);

-- The history of contacts. subject is encrypted.
CREATE TABLE contact_events (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    contact_id uuid NOT NULL,
    kind       text NOT NULL,
    actor      text NOT NULL,
    subject    bytea,
    at         timestamptz NOT NULL
);
CREATE INDEX contact_events_contact ON contact_events (contact_id, id);

CREATE TABLE notifications (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    kind       text NOT NULL,
    contact_id uuid NOT NULL,
    subject    text NOT NULL,
    at         timestamptz NOT NULL
);
CREATE INDEX notifications_org ON notifications (org_id, id);

-- The last notification that each member has read.
CREATE TABLE notification_marks (
    member_id uuid PRIMARY KEY REFERENCES members (id),
    up_to     uuid NOT NULL
);

-- The delivery log. content is the headers and the body, encrypted.
CREATE TABLE deliveries (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL,
    webhook_id uuid NOT NULL,
    at         timestamptz NOT NULL,
    outcome    text NOT NULL,
    code       text NOT NULL,
    reason     text NOT NULL,
    contact_id uuid,
    content    bytea NOT NULL,
    truncated  boolean NOT NULL,
    replay_of  uuid
);
ALTER TABLE deliveries ALTER COLUMN content SET STORAGE EXTERNAL;
CREATE INDEX deliveries_webhook ON deliveries (webhook_id, id);

-- What identifies a post, so that it is processed once. key and body are keyed hashes.
CREATE TABLE receipts (
    webhook_id uuid NOT NULL,
    key        bytea NOT NULL,
    body       bytea NOT NULL,
    contact_id uuid NOT NULL,
    at         timestamptz NOT NULL,
    PRIMARY KEY (webhook_id, key)
);
CREATE INDEX receipts_at ON receipts (at);

-- action is encrypted: it holds addresses, secrets and texts.
CREATE TABLE automations (
    id         uuid PRIMARY KEY,
    org_id     uuid NOT NULL REFERENCES organisations (id),
    name       text NOT NULL,
    event      text NOT NULL,
    enabled    boolean NOT NULL,
    origin_id  uuid REFERENCES origins (id),
    webhook_id uuid REFERENCES webhooks (id),
    min_amount bigint NOT NULL,
    action     bytea NOT NULL,
    created_at timestamptz NOT NULL
);
CREATE INDEX automations_org ON automations (org_id, id);

-- The queue of work done after the answer. It holds ids, no personal data.
CREATE TABLE jobs (
    id            uuid PRIMARY KEY,
    org_id        uuid NOT NULL,
    kind          text NOT NULL,
    contact_id    uuid NOT NULL,
    automation_id uuid,
    member_id     uuid,
    state         text NOT NULL,
    attempts      bigint NOT NULL,
    run_at        timestamptz NOT NULL,
    result        text NOT NULL,
    created_at    timestamptz NOT NULL,
    ended_at      timestamptz,
    lease         text NOT NULL,
    lease_until   timestamptz
);
CREATE INDEX jobs_ready ON jobs (kind, run_at) WHERE state = 'ready';
CREATE INDEX jobs_org ON jobs (org_id, id) WHERE kind <> 'contact.created';

-- +goose Down
ALTER TABLE organisations DROP COLUMN epoch;
DROP TABLE jobs, automations, receipts, deliveries, notification_marks, notifications, contact_events, contacts, webhook_counters,
    webhook_tokens, webhooks, origins, stages, funnels;

export const webhooks: readonly string[] = [
  // Webhooks waiting to be sent, and the position of each project's operation events.
  `create table webhook_outbox (
    id uuid primary key default gen_random_uuid(),
    project_id text not null,
    endpoint text not null,
    type text not null,
    once text not null,
    data jsonb not null,
    state text not null default 'queued' check (state in ('queued', 'delivered', 'dead')),
    tries integer not null default 0,
    next_try_at timestamptz not null default latchkey_now(),
    failure text,
    created_at timestamptz not null default latchkey_now(),
    updated_at timestamptz not null default latchkey_now(),
    unique (project_id, endpoint, once)
  )`,
  `create index webhook_outbox_due on webhook_outbox(project_id, endpoint, next_try_at) where state = 'queued'`,
  'create index webhook_outbox_newest on webhook_outbox(created_at desc, id)',
  'create index webhook_outbox_project on webhook_outbox(project_id, state, created_at desc, id)',
  `create index webhook_outbox_ended on webhook_outbox(updated_at) where state <> 'queued'`,
  `create index webhook_outbox_oldest on webhook_outbox(created_at) where state = 'queued'`,
  // Excludes delivered webhooks and sent mails, which are the majority.
  'create index webhook_outbox_endpoint on webhook_outbox(project_id, endpoint, created_at desc, id desc)',
  `create index webhook_outbox_open on webhook_outbox(project_id, endpoint, state, created_at desc, id desc)
    where state <> 'delivered'`,
  `create table webhook_cursors (
    project_id text primary key,
    event_id bigint not null
  )`,
]

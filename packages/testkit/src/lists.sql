-- What the lists of operators read, :rows of each: of the projects big and small, below the organizations :parent and :other.

set session_replication_role = replica;

insert into projects (id, name, api_key_hash, redirect_urls, allowed_origins)
select id, id, sha256(id::bytea), '{}', '{}' from unnest(array['big', 'small']) as id on conflict do nothing;

-- One in fifty is another project's, and ends otherwise than included.
insert into operations (user_op_hash, project_id, policy_id, chain_id, entry_point, sender, nonce, state, block_number,
  block_hash, actual_gas_used, actual_gas_cost, ended_at, created_at, replaced_by)
select '0x' || lpad(to_hex(n), 64, '0'), case when n % 50 = 0 then 'small' else 'big' end, 'p' || n % 20,
  case when n % 50 = 0 then 10 else 1 end, '0x' || repeat('e0', 20), '0x' || lpad(to_hex(n % 5000), 40, '0'), n,
  case when n % 50 = 0 then 'failed' else 'included' end, case when n % 50 = 0 then null else n end,
  case when n % 50 = 0 then null else '0x' || repeat('b0', 32) end, case when n % 50 = 0 then null else 90000 + n::bigint * 7919 % 70001 end, 1, now(), now() - n * interval '30 seconds', null
from generate_series(1, :rows) as n;

insert into reservations (chain_id, entry_point, sender, nonce, state, amount, valid_until, paymaster, project_id, policy_id,
  actual_cost, block_number, block_time)
select 1, '0x' || repeat('e0', 20), '0x' || lpad(to_hex(n % 5000), 40, '0'), n, 'settled', 5, now(), '0xp', 'big',
  'p' || n % 20, 3, n, now() - n * interval '10 minutes'
from generate_series(1, :rows) as n;

insert into operator_log (seq, at, operator_id, operator_name, role, action, project_id, outcome, row_mac)
select n, now(), 'o' || n % 30, 'x', 'admin', 'policy.update', 'p' || n % 40, 'done', ''
from generate_series(1, :rows / 2) as n;

insert into security_events (at, roles, event, count)
select now() - n * interval '1 second', '{custody}', case when n % 50 = 0 then 'account_frozen' else 'code_refused' end, n
from generate_series(:rows, 1, -1) as n;

insert into organizations (id, name) values (':parent', 'parent'), (':other', 'parent');

-- Each in an organization of their own, of which there is no row.
insert into users (id, org_id, parent_org_id, name, email, mac, created_at)
select gen_random_uuid(), gen_random_uuid(), case when n % 50 = 0 then ':other'::uuid else ':parent'::uuid end,
  'person of number ' || n, 'person.' || n || '@example.com', sha256(n::text::bytea), now() - n * interval '30 seconds'
from generate_series(1, :rows) as n;

-- And one person with all rows.
with own as (insert into organizations (id, parent_id, name) values (gen_random_uuid(), ':parent', 'own') returning id)
insert into users (id, org_id, parent_org_id, name, email, mac)
select gen_random_uuid(), id, ':parent', 'Ada', 'ada@example.com', '' from own;

insert into webhook_outbox (project_id, endpoint, type, once, data, state, created_at)
select 'big', case when n % 20 = 0 then 'second' else 'main' end, 'limit.hit', n::text, '{}',
  case n % 50 when 0 then 'dead' when 1 then 'queued' else 'delivered' end, now() - n * interval '30 seconds'
from generate_series(1, :rows) as n;

insert into mail_outbox (id, activity_id, org_id, user_id, template, recipient, state, expires_at, created_at)
select gen_random_uuid(), gen_random_uuid(), ':parent', ':parent', 'sign-in', 'person.' || n || '@example.com',
  case n % 50 when 0 then 'failed' when 1 then 'queued' else 'sent' end, now(), now() - n * interval '30 seconds'
from generate_series(1, :rows) as n;

insert into smart_accounts (id, project_id, signer, address, factory_type, owners, salt)
select gen_random_uuid(), 'big', '0xowner' || n, '0x' || lpad(to_hex(n), 40, '0'), 'x', array['0xowner' || n], 0
from generate_series(1, :rows) as n;

insert into wallet_accounts (id, wallet_id, org_id, path, address, public_key)
select gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), n::text, '0xOwner' || n, '' from generate_series(1, :rows) as n;

reset session_replication_role;

vacuum analyze smart_accounts, wallet_accounts, operations, reservations, operator_log, security_events, users, webhook_outbox,
  mail_outbox

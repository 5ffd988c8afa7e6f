import { sql } from 'kysely'
import type { ReservationTable } from '../../platform/database/gatewayTables.ts'
import { namedQuery } from '../../platform/database/namedQuery.ts'
import type { Db } from '../../platform/database/openStore.ts'

type Amounts = { count: bigint; cost: bigint }

/** Ledger amounts relevant to a request, without the operation's own reservation, which would be replaced. */
export type Position = {
  /** State of the operation's reservation; null when there is none. */
  state: ReservationTable['state'] | null
  /**
   * The operation's open signatures: the number requested by the caller, and the highest cost of all of them. By scope,
   * also the highest cost of the signatures under this policy.
   */
  own: { signatures: bigint; cost: bigint } & Record<Scope | 'unsent', bigint>
  /**
   * Wei that the paymaster may still owe for other operations, or has paid since the block in which its deposit was
   * read.
   */
  owed: bigint
  /** Open operations; `isOwnOpen`: whether the operation itself is one of them. */
  open: Record<OpenScope, bigint>
  isOwnOpen: Record<OpenScope, boolean>
  /**
   * Wei reserved for open operations of this policy and chain that the client IP address requested and that were not
   * sent.
   */
  unsent: bigint
} & Record<Scope, Spent>

type OpenScope = 'sender' | 'ip' | 'key'
/**
 * Budgets of a policy. Operations count for a sender only if the same caller requested them or they were sent with the
 * account's signature, since anyone may request sponsorship for any address.
 */
type Scope = OpenScope | 'policy'
/** Open and settled amounts. Costs are for this chain only. */
type Spent = { day: Amounts; total: Amounts }

export declare namespace readPosition {
  /** `caller` contains digests; addresses are in lower case. */
  type Parameters = {
    projectId: string
    policyId: string
    chainId: number
    entryPoint: string
    paymaster: string
    sender: string
    nonce: bigint
    /** Digests. */
    caller: { key: string; ip: string | null }
    deposit: { wei: bigint; blockNumber: bigint } | undefined
  }
}

const scopes = ['sender', 'ip', 'key', 'policy'] as const satisfies Scope[]

/** Reads from one snapshot, so that concurrent settlements count once, either as open or as spent. */
export async function readPosition(trx: Db, request: readPosition.Parameters): Promise<Position> {
  // Prepared statement, since its planning takes longer than its execution.
  const { rows } = await namedQuery(trx, 'read_position', buildQuery(request))
  const row = rows[0]
  const big = (name: Exclude<keyof Row, 'state'>) => BigInt(row?.[name] ?? 0)
  const byScope = <value>(read: (scope: Scope) => value) =>
    Object.fromEntries(scopes.map((scope) => [scope, read(scope)])) as Record<Scope, value>
  const spent = (scope: Scope, period: 'day' | 'total'): Amounts => ({
    count: big(`${scope}_open_count`) + big(`${scope}_${period}_count`),
    cost: big(`${scope}_open_cost`) + big(`${scope}_${period}_cost`),
  })
  return {
    state: row?.state ?? null,
    own: {
      signatures: big('own_signatures'),
      cost: big('own_cost'),
      unsent: big('own_unsent_cost'),
      ...byScope((scope) => big(`own_${scope}_cost`)),
    },
    owed: big('owed_open') + big('owed_settled'),
    open: { sender: big('open_sender'), ip: big('open_ip'), key: big('open_key') },
    isOwnOpen: { sender: big('own_sender') > 0n, ip: big('own_ip') > 0n, key: big('own_key') > 0n },
    unsent: big('unsent_open_cost'),
    ...byScope((scope) => ({ day: spent(scope, 'day'), total: spent(scope, 'total') })),
  }
}

type Sum =
  | 'own_signatures'
  | `own_${OpenScope}`
  | `own_${'' | 'unsent_' | `${Scope}_`}cost`
  | 'unsent_open_cost'
  | 'owed_open'
  | 'owed_settled'
  | `open_${OpenScope}`
  | `${Scope}_${'open' | 'day' | 'total'}_${'count' | 'cost'}`
type Row = { [sum in Sum]: string | null } & { state: Position['state'] }

function buildQuery(request: readPosition.Parameters) {
  const { projectId, policyId, chainId, entryPoint, paymaster, sender, caller, deposit } = request
  const nonce = request.nonce.toString()
  const isOwn = sql`(chain_id = ${chainId} and entry_point = ${entryPoint} and sender = ${sender} and nonce = ${nonce}::numeric)`
  const isOwnSignature = sql`(chain_id = ${chainId} and entry_point = ${entryPoint} and sender = ${sender} and nonce = ${nonce}::text)`
  const isSigned = sql`(state = 'signed' and paymaster is not null)`
  const byKey = sql`(caller_key = ${caller.key})`
  const byIp = sql`(caller_ip = ${caller.ip}::text)`
  const byCaller = sql`(${byKey} and caller_ip is not distinct from ${caller.ip}::text)`
  const bySender = sql`(sent_at is not null or ${byCaller})`
  const isPolicy = sql`(project_id = ${projectId} and policy_id = ${policyId})`
  const operations = sql`count(distinct (chain_id, entry_point, sender, nonce))`
  return sql<Row>`
    with own as (
      select count(*) filter (where ${byCaller}) as signatures, max(max_cost) as cost,
        count(*) filter (where ${bySender}) as sender, count(*) filter (where ${byIp}) as ip,
        count(*) filter (where ${byKey}) as key,
        max(max_cost) filter (where ${isPolicy}) as policy_cost,
        max(max_cost) filter (where ${isPolicy} and ${bySender}) as sender_cost,
        max(max_cost) filter (where ${isPolicy} and ${byKey}) as key_cost,
        max(max_cost) filter (where ${isPolicy} and ${byIp}) as ip_cost,
        max(max_cost) filter (where ${isPolicy} and ${byIp} and sent_at is null) as unsent_cost
      from sponsorships where ${isOwnSignature} and ${isSigned}
    ), policy_operations as (
      select chain_id = ${chainId} as here, max(max_cost) as cost,
        max(max_cost) filter (where ${bySender} and sender = ${sender}) as sender_cost,
        max(max_cost) filter (where ${byKey}) as key_cost, max(max_cost) filter (where ${byIp}) as ip_cost,
        case when bool_or(sent_at is not null) then null else max(max_cost) filter (where ${byIp}) end as unsent_cost
      from sponsorships
      where ${isPolicy} and ${isSigned} and not ${isOwnSignature}
      group by chain_id, entry_point, sender, nonce
    ), policy_open as (
      select ${sql.join(
        scopes.map((scope) => {
          const cost = sql.ref(scope === 'policy' ? 'cost' : `${scope}_cost`)
          return sql`count(${cost}) as ${sql.ref(`${scope}_open_count`)},
            sum(${cost}) filter (where here) as ${sql.ref(`${scope}_open_cost`)}`
        }),
      )}, sum(unsent_cost) filter (where here) as unsent_open_cost
      from policy_operations
    ), spent as (
      select case spender when '' then 'policy' when ${sender} then 'sender' when ${keySpender(caller)} then 'key'
          else 'ip' end as scope,
        chain_id = ${chainId} as here, count, cost, day = (latchkey_now() at time zone 'utc')::date as today
      from policy_spend
      where ${isPolicy} and spender in ('', ${sender}, ${keySpender(caller)}, ${ipSpender(caller)})
    ), spend as (
      select ${sql.join(
        scopes.map(
          (scope) => sql`
            sum(count) filter (where scope = ${scope}) as ${sql.ref(`${scope}_total_count`)},
            sum(count) filter (where scope = ${scope} and today) as ${sql.ref(`${scope}_day_count`)},
            sum(cost) filter (where scope = ${scope} and here) as ${sql.ref(`${scope}_total_cost`)},
            sum(cost) filter (where scope = ${scope} and here and today) as ${sql.ref(`${scope}_day_cost`)}`,
        ),
      )}
      from spent
    )
    select
      (select state from reservations where ${isOwn}) as state,
      own.signatures as own_signatures, own.cost as own_cost, own.unsent_cost as own_unsent_cost,
      own.sender as own_sender, own.ip as own_ip, own.key as own_key, own.policy_cost as own_policy_cost,
      own.sender_cost as own_sender_cost, own.key_cost as own_key_cost, own.ip_cost as own_ip_cost,
      (select sum(amount) from reservations where chain_id = ${chainId} and entry_point = ${entryPoint}
        and paymaster = ${paymaster} and state = 'reserved' and not ${isOwn}) as owed_open,
      (select sum(actual_cost) from reservations where chain_id = ${chainId} and entry_point = ${entryPoint}
        and paymaster = ${paymaster} and state = 'settled'
        and block_number > ${deposit?.blockNumber.toString() ?? null}::bigint) as owed_settled,
      (select ${operations} from sponsorships where chain_id = ${chainId} and sender = ${sender} and ${isSigned}
        and ${bySender}) as open_sender,
      (select ${operations} from sponsorships where ${byIp} and ${isSigned}) as open_ip,
      (select ${operations} from sponsorships where ${byKey} and ${isSigned}) as open_key,
      policy_open.*, spend.*
    from own, policy_open, spend`
}

export function keySpender({ key }: { key: string }): string {
  return `key:${key}`
}

export function ipSpender({ ip }: { ip: string | null }): string | null {
  return ip === null ? null : `ip:${ip}`
}

import { z } from 'zod'
import { type Db, openStore } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { listWebhooks, replayWebhooks } from '../store/webhookOutbox.ts'
import type { Call, Command, Outcome } from './command.ts'
import { readWebhooksDatabase } from './readConfig.ts'

const states = ['queued', 'delivered', 'dead'] as const
const maxListed = 1_000
const listedByDefault = 50

/** Lists and resends webhooks. */
export const webhookCommands = {
  'webhooks list': {
    takes: `[--state ${states.join('|')}] [--project ID] [--limit N]`,
    does: `list webhooks without their payload, newest first (--limit, default ${listedByDefault}): state, attempts, last failure and next attempt`,
    options: ['state', 'project', 'limit'],
    run: (call) => withDatabase(call, list),
  },
  'webhooks replay': {
    takes: 'ID … | --dead [--project ID]',
    does: 'send webhooks again, by id, or with --dead all that ran out of attempts. They keep their ids, so that receivers can ignore those already seen',
    options: ['dead', 'project'],
    operands: [0, 100],
    run: (call) => withDatabase(call, replay),
  },
} as const satisfies Record<string, Command>

async function withDatabase(call: Call, use: (call: Call, db: Db) => Promise<Outcome>): Promise<Outcome> {
  const store = await openStore({ databaseUrl: readWebhooksDatabase(call.environment), maxConnections: 1 })
  try {
    return await use(call, store.db)
  } finally {
    await store.close()
  }
}

async function list({ options }: Call, db: Db): Promise<Outcome> {
  const state = states.find((one) => one === options.state)
  if (options.state !== undefined && !state) throw configInvalid(`--state is one of ${states.join(', ')}.`)
  const limit = Number(options.limit ?? listedByDefault)
  if (!Number.isInteger(limit) || limit < 1 || limit > maxListed)
    throw configInvalid(`--limit must be a whole number from 1 to ${maxListed}.`)
  const rows = await listWebhooks(db, { state, projectId: options.project, limit })
  const webhooks = rows.map((row) => ({
    id: row.id,
    projectId: row.project_id,
    endpoint: row.endpoint,
    type: row.type,
    state: row.state,
    tries: row.tries,
    failure: row.failure,
    nextTryAt: row.state === 'queued' ? row.next_try_at.toISOString() : null,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }))
  const text = webhooks
    .map(({ id, createdAt, state, tries, projectId, endpoint, type, failure }) =>
      [id, createdAt, state.padEnd(9), `${tries} tries`, `${projectId}/${endpoint}`, type, failure ?? ''].join('  '),
    )
    .join('\n')
  return { text: text || 'No matching webhooks.', result: { webhooks } }
}

async function replay({ operands, options }: Call, db: Db): Promise<Outcome> {
  if (operands.length > 0 === (options.dead === true))
    throw configInvalid('Give the ids of webhooks (see `latchkey-server webhooks list`) or --dead.')
  if (!operands.every((id) => z.uuid().safeParse(id).success))
    throw configInvalid('A webhook id must be a UUID: the first column of `latchkey-server webhooks list`.')
  const replayed = await replayWebhooks(db, options.dead ? { projectId: options.project } : { ids: operands })
  const ok = options.dead === true || replayed === operands.length
  const rest = ok ? '' : ' The others are not there, or are being sent at this moment.'
  return { text: `Queued again: ${replayed}.${rest}`, result: { replayed }, ok }
}

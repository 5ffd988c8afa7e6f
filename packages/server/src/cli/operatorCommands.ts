import { type OperatorRole, operatorRoles } from 'latchkey-protocol/admin'
import { z } from 'zod'
import { parseKey } from '../platform/crypto/parseKey.ts'
import { inTransaction } from '../platform/database/inTransaction.ts'
import { type Db, openStore } from '../platform/database/openStore.ts'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { appendOperatorLog, readOperatorLogHead, verifyOperatorLog } from '../store/operatorLog.ts'
import { endOperatorSessions } from '../store/operatorSessions.ts'
import {
  createOperator,
  endOperator,
  listOperators,
  type Operator,
  rotateOperator,
  type StoredOperator,
} from '../store/operators.ts'
import type { Call, Command, CommandOptions, Outcome } from './command.ts'
import type { Environment } from './createReader.ts'
import { listPasskeyOperators, passkeyOperatorCommands, removePasskeyOperator } from './passkeyOperators.ts'
import { readOperatorsTask } from './readConfig.ts'
import { readHeads } from './readHeads.ts'

/** Caller logged for operator changes made on the command line. */
const caller = { id: 'command-line', name: 'Command line', role: 'admin' }

type Task = { db: Db; key: Uint8Array; id: string; options: CommandOptions; environment: Environment }

/**
 * Manages admin API keys and console operators. Every command needs LATCHKEY_OPERATOR_KEY, and most need the admin
 * API's database.
 */
export const operatorCommands = {
  ...passkeyOperatorCommands,
  'operators create': {
    takes: '--name NAME --role viewer|operator|admin',
    does: 'create a key for the admin API and print it once. Viewers read; operators also change policies and API keys; admins also create operator keys',
    options: ['name', 'role'],
    run: (call) => withOperators(call, create),
  },
  'operators list': {
    does: 'list console users (if LATCHKEY_OPERATORS_FILE is set) and all keys of the admin API, including revoked ones',
    run: (call) => withOperators(call, list),
  },
  'operators rotate': {
    takes: 'ID [--overlap-hours N]',
    does: 'create a new key with the same name and role; the old one works for N more hours (default: 1)',
    options: ['overlap-hours'],
    operands: [1, 1],
    run: (call) => withOperators(call, rotate),
  },
  'operators remove': {
    takes: 'ID',
    does: 'revoke a key of the admin API, or remove a console user from LATCHKEY_OPERATORS_FILE and end their sessions',
    operands: [1, 1],
    run: (call) => withOperators(call, remove),
  },
  'operators heads': {
    does: 'print the head of the operator log. Store it where nobody with write access to the database can change it',
    run: (call) => withOperators(call, heads),
  },
  'operators verify': {
    takes: '[--heads FILE]',
    does: 'verify the operator log and report the first invalid entry. With --heads, also verify that it still contains these heads',
    options: ['heads'],
    run: (call) => withOperators(call, verify),
  },
} as const satisfies Record<string, Command>

async function withOperators(call: Call, use: (task: Task) => Promise<Outcome>): Promise<Outcome> {
  const { environment, options, operands } = call
  const [id = ''] = operands
  if (operands.length > 0 && !z.uuid().safeParse(id).success)
    throw configInvalid('ID must be a UUID: the first column of `latchkey-server operators list`.')
  const { databaseUrl, operatorKey } = readOperatorsTask(environment)
  const key = parseKey(operatorKey, 'LATCHKEY_OPERATOR_KEY')
  const store = await openStore({ databaseUrl, maxConnections: 2 })
  try {
    return await use({ db: store.db, key, id, options, environment })
  } finally {
    await store.close()
  }
}

async function create({ db, key, options }: Task): Promise<Outcome> {
  const { name } = options
  const role = operatorRoles.find((one) => one === options.role)
  if (!role || !name) throw configInvalid(`Give --name and --role, one of ${operatorRoles.join(', ')}.`)
  const made = await inTransaction(db, async (trx) => {
    const created = await createOperator(trx, { key, name, role })
    await log(trx, key, 'operator.create', { after: created.operator })
    return created
  })
  return toSecret(made)
}

async function list({ db, key, environment }: Task): Promise<Outcome> {
  const passkeyOperators = listPasskeyOperators(environment)
  const operators = await listOperators(db, { key })
  const lines = [
    ...passkeyOperators.map(
      ({ id, name, role, passkeys }) => `${id}  ${role.padEnd(8)}  ${passkeys.length} passkey(s)  ${name}`,
    ),
    ...operators.map(toLine),
  ]
  const text = lines.join('\n') || 'There are no operators.'
  return { text, result: { operators, passkeyOperators }, ok: operators.every(({ isGenuine }) => isGenuine) }
}

async function rotate({ db, key, id, options }: Task): Promise<Outcome> {
  const hours = Number(options['overlap-hours'] ?? '1')
  if (!(hours >= 0 && hours <= 720)) throw configInvalid('--overlap-hours must be a number from 0 to 720.')
  const made = await inTransaction(db, async (trx) => {
    const rotated = await rotateOperator(trx, { key, id, afterMs: hours * 3_600_000 })
    await log(trx, key, 'operator.rotate', { target: id, before: rotated.before, after: rotated.operator })
    return rotated
  })
  return toSecret(made)
}

async function remove({ db, key, id, environment }: Task): Promise<Outcome> {
  const taken = removePasskeyOperator(environment, id)
  if (taken) {
    const ended = await inTransaction(db, async (trx) => {
      await log(trx, key, 'operator.remove', { target: id, before: taken })
      return endOperatorSessions(trx, { operatorId: id })
    })
    const text = `${taken.name} was taken out of the file; sessions ended: ${ended}. Give all copies of admin and custody the file, and start them again: until then their passkey signs in.`
    return { text, result: { operator: taken, sessions: ended } }
  }
  const { after } = await inTransaction(db, async (trx) => {
    const ended = await endOperator(trx, { key, id })
    await log(trx, key, 'operator.remove', { target: id, ...ended })
    return ended
  })
  return { text: `Revoked the key of ${after.name}.`, result: { operator: after } }
}

async function heads({ db }: Task): Promise<Outcome> {
  const head = await readOperatorLogHead(db)
  return { text: head ? JSON.stringify(head) : '', result: { heads: head ? [head] : [] } }
}

async function verify({ db, key, options }: Task): Promise<Outcome> {
  const noted = options.heads === undefined ? undefined : readNoted(options.heads)
  const result = await verifyOperatorLog(db, { key, heads: noted })
  const { entries, bad } = result
  const text =
    bad === undefined
      ? `The operator log is intact: ${entries} entries.`
      : `The operator log was changed. First invalid or missing entry: ${bad}.`
  return { text, result, ok: bad === undefined }
}

type Change = { target?: string; before?: Operator; after?: Operator }

async function log(trx: Db, key: Uint8Array, action: string, { target, before, after }: Change): Promise<void> {
  await appendOperatorLog(trx, {
    key,
    operator: caller,
    action,
    target: target ?? after?.id,
    before,
    after,
    outcome: 'done',
  })
}

function toSecret({ secret, operator }: { secret: string; operator: StoredOperator }): Outcome {
  const text = `${toLine(operator)}\n\n${secret}\n\nThis key is shown once. Send it as bearer.`
  return { text, result: { operator, secret } }
}

function toLine({ id, name, role, expiresAt, removedAt, isGenuine }: StoredOperator): string {
  const state = removedAt ? 'ended' : expiresAt ? `ends ${expiresAt.toISOString()}` : 'works'
  return `${id}  ${(role satisfies OperatorRole).padEnd(8)}  ${isGenuine ? state : 'FORGED'}  ${name}`
}

const headSchema = z.strictObject({ seq: z.string().regex(/^\d{1,18}$/), mac: z.string().regex(/^[0-9a-f]{64}$/) })

function readNoted(path: string): z.output<typeof headSchema>[] {
  const lines = readHeads(path).split('\n')
  try {
    return lines.filter((line) => line.trim() !== '').map((line) => headSchema.parse(JSON.parse(line)))
  } catch (cause) {
    throw configInvalid(`The file ${path} does not hold what \`operators heads\` prints.`, cause)
  }
}

import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type OperatorRole, operatorRoles } from 'latchkey/wire'
import { z } from 'zod'
import { configInvalid } from '../http/ServerError.ts'
import { parseKey } from '../keys/parseKey.ts'
import { inTransaction } from '../store/inTransaction.ts'
import { type Db, openStore } from '../store/openStore.ts'
import { appendOperatorLog, readOperatorLogHead, verifyOperatorLog } from '../store/operatorLog.ts'
import { createOperator, endOperator, listOperators, rotateOperator, type StoredOperator } from '../store/operators.ts'
import type { Environment } from './createReader.ts'
import { readOperatorsTask } from './readConfig.ts'

const usage = `latchkey-server operators <command> [--json]

Keys of the admin API. Needs LATCHKEY_OPERATOR_KEY, as the role admin has it, and its database. A key is printed once.

  create --name NAME --role viewer|operator|admin
            make a key: viewers look, operators change policies and API keys, admins also make keys of operators
  list      all keys, ended ones included
  rotate ID [--overlap-hours N]
            make a key with the name and the role of another, which goes on working for N hours (default: 1)
  remove ID end a key at once
  heads     print the end of the log of operators: keep it where nobody who can write to the database can write
  verify [--heads FILE]
            prove the log, and name the first entry that is wrong; with FILE also that it contains the ends printed before
`

/** Who changes operators from the command line, in the log. */
const caller = { id: 'command-line', name: 'Command line', role: 'admin' }

export declare namespace runOperators {
  type Parameters = {
    /** Behind `operators`. */
    arguments: readonly string[]
    environment: Environment
    print: (text: string) => void
  }
}

type Options = {
  name?: string
  role?: string
  heads?: string
  'overlap-hours'?: string
  json?: boolean
  help?: boolean
}
type Task = { db: Db; key: Uint8Array; id: string; options: Options; show: (value: object, text: string) => void }

/** The command `operators`. Returns the exit code. */
export async function runOperators({ arguments: words, environment, print }: runOperators.Parameters): Promise<number> {
  const call = readCall(words)
  if (!call || call.options.help) {
    print(usage)
    return call ? 0 : 2
  }
  const { databaseUrl, operatorKey } = readOperatorsTask(environment)
  const key = parseKey(operatorKey, 'LATCHKEY_OPERATOR_KEY')
  const store = await openStore({ databaseUrl, maxConnections: 2 })
  try {
    const show = (value: object, text: string) => print(call.options.json ? JSON.stringify(value) : text)
    return await commands[call.command]({ ...call, db: store.db, key, show })
  } finally {
    await store.close()
  }
}

const commands = {
  async create({ db, key, options, show }: Task): Promise<number> {
    const role = operatorRoles.find((one) => one === options.role)
    if (!role || !options.name) throw configInvalid(`Give --name and --role, one of ${operatorRoles.join(', ')}.`)
    const name = options.name
    const made = await inTransaction(db, async (trx) => {
      const created = await createOperator(trx, { key, name, role })
      await log(trx, key, 'operator.create', { after: created.operator })
      return created
    })
    showSecret(made, show)
    return 0
  },
  async list({ db, key, show }: Task): Promise<number> {
    const operators = await listOperators(db, { key })
    show(operators, operators.map(toLine).join('\n') || 'There are no operators.')
    return operators.every(({ isGenuine }) => isGenuine) ? 0 : 1
  },
  async rotate({ db, key, id, options, show }: Task): Promise<number> {
    const hours = Number(options['overlap-hours'] ?? '1')
    if (!(hours >= 0 && hours <= 720)) throw configInvalid('--overlap-hours must be a number from 0 to 720.')
    const made = await inTransaction(db, async (trx) => {
      const rotated = await rotateOperator(trx, { key, id, afterMs: hours * 3_600_000 })
      await log(trx, key, 'operator.rotate', { target: id, before: rotated.before, after: rotated.operator })
      return rotated
    })
    showSecret(made, show)
    return 0
  },
  async remove({ db, key, id, show }: Task): Promise<number> {
    const { after } = await inTransaction(db, async (trx) => {
      const ended = await endOperator(trx, { key, id })
      await log(trx, key, 'operator.remove', { target: id, ...ended })
      return ended
    })
    show(after, `The key of ${after.name} ended.`)
    return 0
  },
  async heads({ db, show }: Task): Promise<number> {
    const head = await readOperatorLogHead(db)
    if (head) show(head, JSON.stringify(head))
    return 0
  },
  async verify({ db, key, options, show }: Task): Promise<number> {
    const heads = options.heads === undefined ? undefined : readHeads(options.heads)
    const result = await verifyOperatorLog(db, { key, heads })
    const { entries, bad } = result
    show(
      result,
      bad === undefined
        ? `The log of operators is whole: ${entries} entries.`
        : `The log of operators was changed. First bad or missing entry: ${bad}.`,
    )
    return bad === undefined ? 0 : 1
  },
}

function readCall(words: readonly string[]) {
  try {
    const { values: options, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        name: { type: 'string' },
        role: { type: 'string' },
        heads: { type: 'string' },
        'overlap-hours': { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const [command = '', id = '', ...more] = positionals
    if (options.help && command === '') return { command: 'list' as const, id, options }
    const needsId = command === 'rotate' || command === 'remove'
    if (!isCommand(command) || more.length > 0 || (!options.help && (id !== '') !== needsId)) return undefined
    if (needsId && !options.help && !z.uuid().safeParse(id).success) return undefined
    return { command, id, options }
  } catch {
    // An option that does not exist, or one without its value.
    return undefined
  }
}

function isCommand(name: string): name is keyof typeof commands {
  return Object.hasOwn(commands, name)
}

type Change = { target?: string; before?: StoredOperator; after: StoredOperator }

async function log(trx: Db, key: Uint8Array, action: string, { target, before, after }: Change): Promise<void> {
  await appendOperatorLog(trx, {
    key,
    operator: caller,
    action,
    target: target ?? after.id,
    before,
    after,
    outcome: 'done',
  })
}

function showSecret({ secret, operator }: { secret: string; operator: StoredOperator }, show: Task['show']): void {
  show({ operator, secret }, `${toLine(operator)}\n\n${secret}\n\nThis key is shown once. Send it as bearer.`)
}

function toLine({ id, name, role, expiresAt, removedAt, isGenuine }: StoredOperator): string {
  const state = removedAt ? 'ended' : expiresAt ? `ends ${expiresAt.toISOString()}` : 'works'
  return `${id}  ${(role satisfies OperatorRole).padEnd(8)}  ${isGenuine ? state : 'FORGED'}  ${name}`
}

const headSchema = z.strictObject({ seq: z.string().regex(/^\d{1,18}$/), mac: z.string().regex(/^[0-9a-f]{64}$/) })

/** JSON objects, one a line. */
function readHeads(path: string): z.output<typeof headSchema>[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n')
    return lines.filter((line) => line.trim() !== '').map((line) => headSchema.parse(JSON.parse(line)))
  } catch (cause) {
    throw configInvalid(`The file ${path} does not hold what \`operators heads\` prints.`, cause)
  }
}

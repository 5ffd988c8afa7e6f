import { once } from 'node:events'
import { BaseError } from 'latchkey/accounts'
import { type AccountKind, accountKinds, CommandError, type Creation, connectChain } from 'latchkey-exit'
import type { Address, Chain, Client, Transport } from 'viem'
import { type ParityOptions, parityUsage, parseParityOptions } from './parityOptions.ts'
import { readOwnerLines } from './readOwnerLines.ts'

type Counts = { lines: number; wrongLines: number; addresses: number; checked: number; different: number }
type Row = {
  line: number
  owners: readonly Address[]
  /** Salt; undefined if 0. */
  salt?: string
  type: AccountKind['type']
  version: string
  /** Address computed offline. */
  address: Address
  /** Address from the chain; undefined if no chain was queried. */
  onChain?: Address
}

/** Compares addresses. `program`: command name that the user typed. Resolves to the exit code. */
export async function runParity(args: readonly string[], program: string): Promise<number> {
  const usage = parityUsage(program)
  const options = read(args, usage)
  if (!options) return 2
  if (options.help) {
    console.log(usage)
    return 0
  }
  try {
    return await compareAll(options)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(error.message)
    return 1
  }
}

async function compareAll(options: ParityOptions): Promise<number> {
  const client = options.rpcUrl === undefined ? undefined : await connectChain(options.rpcUrl)
  const counts: Counts = { lines: 0, wrongLines: 0, addresses: 0, checked: 0, different: 0 }
  const missing = new Set<string>()
  for await (const read of readOwnerLines(options.owners)) {
    counts.lines += 1
    if ('problem' in read) {
      counts.wrongLines += 1
      console.error(`Line ${read.line}: ${read.problem}.`)
      continue
    }
    const rows = await Promise.all(accountKinds.map((kind) => compare(kind, read, client)))
    for (const [index, row] of rows.entries()) {
      const kind = accountKinds[index]
      if (client && kind && row?.onChain === undefined) missing.add(`${kind.type} ${kind.version}`)
      if (row) await report(row, options, counts)
    }
  }
  await finish(counts, missing, options)
  return counts.wrongLines > 0 || counts.different > 0 ? 1 : 0
}

function read(args: readonly string[], usage: string): ParityOptions | undefined {
  try {
    return parseParityOptions(args)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    return undefined
  }
}

async function compare(
  kind: AccountKind,
  { line, owners, salt }: { line: number } & Creation,
  client: Client<Transport, Chain, undefined> | undefined,
): Promise<Row | undefined> {
  const address = kind.predict({ owners, salt }, client?.chain)
  if (!address) return undefined
  const row: Row = { line, owners, type: kind.type, version: kind.version, address }
  if (salt !== 0n) row.salt = String(salt)
  if (!client) return row
  try {
    const onChain = await kind.ask(client, { owners, salt })
    return onChain === undefined ? row : { ...row, onChain }
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    const text = `Line ${line}: the chain did not name the address of ${kind.type} ${kind.version}: ${cause.shortMessage}`
    throw new CommandError(text, { code: 'NODE_UNREACHABLE', cause })
  }
}

async function report(row: Row, { json }: ParityOptions, counts: Counts): Promise<void> {
  counts.addresses += 1
  const { line, owners, type, version, address, onChain } = row
  if (onChain !== undefined) counts.checked += 1
  const isDifferent = onChain !== undefined && onChain !== address
  if (isDifferent) {
    counts.different += 1
    console.error(
      `Line ${line}: ${type} ${version} of ${owners.join(', ')} is ${address} offline and ${onChain} on the chain.`,
    )
  }
  await print(
    json
      ? JSON.stringify(row)
      : `${owners.join(',')}${row.salt === undefined ? '' : ` salt=${row.salt}`}\t${type}\t${version}\t${address}`,
  )
}

async function finish(counts: Counts, missing: ReadonlySet<string>, { json }: ParityOptions): Promise<void> {
  if (json) return print(JSON.stringify({ counts, ...(missing.size > 0 && { missing: [...missing] }) }))
  if (missing.size > 0) console.error(`This chain has no factory of ${[...missing].join(', ')}: not compared.`)
  const { lines, wrongLines, addresses, checked, different } = counts
  console.error(
    `${lines} lines, ${wrongLines} of them wrong; ${addresses} addresses, ${checked} compared with the chain, ${different} differ.`,
  )
}

/** Prints a line. Waits if the reader of a pipe is slower. */
async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

import { once } from 'node:events'
import { BaseError } from 'latchkey/accounts'
import { defineLatchkeyDevChain, supportedChains } from 'latchkey/chains'
import { type Address, type Chain, type Client, createClient, http, type Transport } from 'viem'
import { rpc } from '../chain/rpc.ts'
import { DevError } from '../errors.ts'
import { type AccountKind, accountKinds } from './accountKinds.ts'
import { type ParityOptions, parityUsage, parseParityOptions } from './parityOptions.ts'
import { readOwnerLines } from './readOwnerLines.ts'

type Counts = { lines: number; wrongLines: number; addresses: number; checked: number; different: number }
type Row = {
  line: number
  owners: readonly Address[]
  type: AccountKind['type']
  version: string
  /** Computed offline. */
  address: Address
  /** What the chain gives; absent when none was asked. */
  onChain?: Address
}

/** Runs `latchkey-dev parity`. Resolves to the exit code. */
export async function runParity(args: readonly string[]): Promise<number> {
  const options = read(args)
  if (!options) return 2
  if (options.help) {
    console.log(parityUsage)
    return 0
  }
  const client = options.rpcUrl === undefined ? undefined : await connect(options.rpcUrl)
  const counts: Counts = { lines: 0, wrongLines: 0, addresses: 0, checked: 0, different: 0 }
  for await (const read of readOwnerLines(options.owners)) {
    counts.lines += 1
    if ('problem' in read) {
      counts.wrongLines += 1
      console.error(`Line ${read.line}: ${read.problem}.`)
      continue
    }
    const rows = await Promise.all(accountKinds.map((kind) => compare(kind, read, client)))
    for (const row of rows) if (row) await report(row, options, counts)
  }
  await finish(counts, options)
  return counts.wrongLines > 0 || counts.different > 0 ? 1 : 0
}

function read(args: readonly string[]): ParityOptions | undefined {
  try {
    return parseParityOptions(args)
  } catch (error) {
    if (!(error instanceof DevError)) throw error
    console.error(`${error.message}\n\n${parityUsage}`)
    return undefined
  }
}

async function connect(rpcUrl: string): Promise<Client<Transport, Chain, undefined>> {
  const id = Number(await rpc<string>({ url: rpcUrl, method: 'eth_chainId', params: [] }))
  // A chain that is not in the list is taken for a dev world's.
  const chain: Chain =
    supportedChains.find((known) => known.id === id) ?? defineLatchkeyDevChain({ id, nodeUrl: rpcUrl })
  return createClient({ chain, transport: http(rpcUrl, { timeout: 30_000 }) })
}

async function compare(
  kind: AccountKind,
  { line, owners }: { line: number; owners: readonly [Address, ...Address[]] },
  client: Client<Transport, Chain, undefined> | undefined,
): Promise<Row | undefined> {
  const address = kind.predict(owners, client?.chain)
  if (!address) return undefined
  const row = { line, owners, type: kind.type, version: kind.version, address }
  if (!client) return row
  try {
    return { ...row, onChain: await kind.ask(client, owners) }
  } catch (cause) {
    if (!(cause instanceof BaseError)) throw cause
    const text = `Line ${line}: the chain did not name the address of ${kind.type} ${kind.version}: ${cause.shortMessage}`
    throw new DevError(text, { code: 'NODE_UNREACHABLE', cause })
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
  await print(json ? JSON.stringify(row) : `${owners.join(',')}\t${type}\t${version}\t${address}`)
}

async function finish(counts: Counts, { json }: ParityOptions): Promise<void> {
  if (json) return print(JSON.stringify({ counts }))
  const { lines, wrongLines, addresses, checked, different } = counts
  console.error(
    `${lines} lines, ${wrongLines} of them wrong; ${addresses} addresses, ${checked} compared with the chain, ${different} differ.`,
  )
}

/** Waits while the reader of a pipe is slower. */
async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain')
}

import { type IntentAct, readIntent } from 'latchkey-protocol'
import { type Address, encodeFunctionData, type Hex, type PublicClient, parseAbi } from 'viem'
import type { LatchkeyAccount } from '../../../latchkey/src/accounts/types.ts'
import type { createRandom } from '../createRandom.ts'
import { FixtureError } from '../FixtureError.ts'

type Random = ReturnType<typeof createRandom>
type Frame = { type: string; from: Hex; to?: Hex; value?: Hex; input: Hex; error?: string; calls?: readonly Frame[] }
type Place = {
  reader: PublicClient
  random: Random
  /** Contracts that accept any call. */
  targets: readonly Address[]
  /** Plugins installed on the account, which it calls before each execution. */
  plugins?: readonly Address[] | undefined
  /**
   * Whether the account has a fallback function that ignores unknown call data. `readIntent` still reads such call
   * data.
   */
  hasFallback?: boolean | undefined
}

const struct = 'struct Call { address target; uint256 value; bytes data; }'
const single = parseAbi(['function execute(address dest, uint256 value, bytes func)'])
const structs = parseAbi([struct, 'function executeBatch(Call[] calls)'])
const pairs = parseAbi(['function executeBatch(address[] dest, bytes[] func)'])
const triples = parseAbi(['function executeBatch(address[] dest, uint256[] value, bytes[] func)'])
const known = parseAbi([
  'function transfer(address to, uint256 amount)',
  'function approve(address spender, uint256 amount)',
  'function transferOwnership(address newOwner)',
])

/**
 * Numbers of operations: `equal` ran and were read correctly, `unread` ran but were not read, `refused` were refused by
 * the account.
 */
export type Compared = { equal: number; unread: number; refused: number }

/**
 * Creates random call data for a deployed account and damages half of it. Compares the calls that `readIntent` returns
 * with the calls that the account makes on the chain. If call data runs, `readIntent` must read it exactly or not at
 * all.
 */
export async function compareIntents(account: LatchkeyAccount, place: Place, runs: number): Promise<Compared> {
  const compared: Compared = { equal: 0, unread: 0, refused: 0 }
  const asked = new Set((place.plugins ?? []).map((plugin) => plugin.toLowerCase()))
  for (let run = 0; run < runs; run++) {
    const callData = damage(makeCallData(account.address, place, 0), place.random)
    const frame = await trace(account, place, callData)
    const intent = readIntent({ kind: 'operation', sender: account.address, callData })
    const made = listCalls(frame, account.address.toLowerCase()).filter(({ to }) => !asked.has(to))
    if (frame.error !== undefined || made.length === 0) compared.refused++
    else if ('unread' in intent) compared.unread++
    else {
      const read = intent.acts.map(fromAct)
      const isRead = place.hasFallback ? isWithin(made, read) : JSON.stringify(read) === JSON.stringify(made)
      if (!isRead)
        throw new FixtureError(`${callData} is read as ${JSON.stringify(read)}, but calls ${JSON.stringify(made)}.`)
      compared.equal++
    }
  }
  return compared
}

function makeCallData(self: Address, place: Place, depth: number): Hex {
  const { random } = place
  const calls = Array.from({ length: 1 + random(3) }, () => makeCall(self, place, depth))
  const [first] = calls
  const [dest, values, func] = [
    calls.map(({ target }) => target),
    calls.map(({ value }) => value),
    calls.map(({ data }) => data),
  ]
  switch (random(first ? 6 : 0)) {
    case 0:
      return encodeFunctionData({ abi: pairs, args: [dest, func] })
    case 1:
      return encodeFunctionData({ abi: triples, args: [dest, values, func] })
    case 2:
    case 3:
      return encodeFunctionData({ abi: structs, args: [calls] })
    default:
      return encodeFunctionData({ abi: single, args: [first?.target ?? self, first?.value ?? 0n, first?.data ?? '0x'] })
  }
}

function makeCall(self: Address, place: Place, depth: number) {
  const { random, targets } = place
  if (depth < 3 && random(6) === 0) return { target: self, value: 0n, data: makeCallData(self, place, depth + 1) }
  const target = targets[random(targets.length)] ?? self
  return { target, value: BigInt(random(3)), data: makeData(target, random) }
}

function makeData(target: Address, random: Random): Hex {
  const amount = BigInt(random(1_000))
  switch (random(5)) {
    case 0:
      return '0x'
    case 1:
      return encodeFunctionData({ abi: known, functionName: 'transfer', args: [target, amount] })
    case 2:
      return encodeFunctionData({ abi: known, functionName: 'approve', args: [target, amount] })
    case 3:
      return encodeFunctionData({ abi: known, functionName: 'transferOwnership', args: [target] })
    default:
      return `0x${toBytes(random, random(70)).toString('hex')}`
  }
}

const toBytes = (random: Random, length: number) => Buffer.from(Array.from({ length }, () => random(256)))

/** Leaves half of the call data unchanged. Changes up to three bytes of the other half, or truncates or extends it. */
function damage(callData: Hex, random: Random): Hex {
  if (random(2) === 0) return callData
  const bytes = Buffer.from(callData.slice(2), 'hex')
  const kind = random(4)
  if (kind === 0) return `0x${bytes.subarray(0, random(bytes.length)).toString('hex')}`
  if (kind === 1) return `0x${Buffer.concat([bytes, toBytes(random, 1 + random(40))]).toString('hex')}`
  for (let left = 1 + random(3); left > 0; left--) {
    // Changes mostly the last bytes of words, which contain offsets and lengths.
    const at =
      random(3) === 0 ? random(bytes.length) : 4 + 32 * random(Math.max(1, Math.floor((bytes.length - 4) / 32))) + 31
    if (at < bytes.length) bytes[at] = kind === 2 ? 32 * random(8) : random(256)
  }
  return `0x${bytes.toString('hex')}`
}

async function trace(account: LatchkeyAccount, { reader }: Place, data: Hex): Promise<Frame> {
  const call = { from: account.entryPoint.address, to: account.address, data, gas: '0x989680' }
  return reader.request({
    method: 'debug_traceCall',
    params: [call, 'latest', { tracer: 'callTracer' }],
  } as never) as Promise<Frame>
}

type Made = { to: string; value: string; selector: string }

function listCalls({ calls = [] }: Frame, self: string): Made[] {
  return calls.flatMap((frame) => {
    const { type, from, to = '0x', value = '0x0', input } = frame
    if (type === 'STATICCALL' || frame.error !== undefined) return []
    const isByAccount = type === 'CALL' && from.toLowerCase() === self
    if (!isByAccount || to.toLowerCase() === self) return listCalls(frame, self)
    return [{ to: to.toLowerCase(), value: String(BigInt(value)), selector: toSelector(input) }]
  })
}

function isWithin(calls: readonly Made[], others: readonly Made[]): boolean {
  let at = 0
  for (const other of others) if (JSON.stringify(other) === JSON.stringify(calls[at])) at++
  return at === calls.length
}

const fromAct = ({ to = '', value = '0', selector = '0x' }: IntentAct): Made => ({
  to,
  value,
  selector: toSelector(selector),
})

/** Returns the selector of call data; `0x` for fewer than four bytes. */
const toSelector = (data: string) => (data.length < 10 ? '0x' : data.slice(0, 10).toLowerCase())

import { type AbiValue, decodeArguments } from './decodeArguments.ts'
import type { Intent, IntentAct } from './intent.ts'
import { type Call, describeCall, describeOwnCall } from './knownCalls.ts'
import { readTypedData, type TypedDataPayload } from './readTypedData.ts'

/** Content that a key is asked to sign. Addresses and hex in any case. */
export type IntentPayload =
  /** User operation of an account (ERC-4337). */
  | { kind: 'operation'; sender: string; callData: string }
  /** Transaction of the key's own address, `from`. Without `to` it creates a contract. */
  | {
      kind: 'transaction'
      from: string
      to: string | undefined
      value: bigint
      data: string
      delegates: readonly string[]
    }
  /** EIP-7702 authorization. */
  | { kind: 'authorization'; delegate: string }
  | TypedDataPayload
  /** EIP-191 message; undefined `text`: bytes that are not text. `bytes`: its length. */
  | { kind: 'message'; text: string | undefined; bytes: number }
  /** Digest of unknown content. */
  | { kind: 'digest' }

const bounds = {
  /** Calls of one operation. */
  calls: 500,
  /** Calls of an account on itself inside one another. */
  depth: 4,
  /** Characters of a message that are kept. */
  text: 1_000,
} as const

/**
 * Reads what a payload causes once it is signed. Never guesses: what is not in canonical form, or what an account's own
 * function with an unknown selector would do, is `unread`. Takes linear time in the payload's size.
 *
 * @example
 * ```ts
 * import { readIntent } from 'latchkey-protocol'
 *
 * const sender = '0x49fCE026Cb407cbbd7Ca9E0e1d868e94de55A1a4'
 * const intent = readIntent({ kind: 'operation', sender, callData: '0x' })
 * console.log('unread' in intent ? intent.unread : intent.acts)
 * ```
 */
export function readIntent(payload: IntentPayload): Intent {
  switch (payload.kind) {
    case 'operation':
      return readOperation(payload)
    case 'transaction':
      return readTransaction(payload)
    case 'authorization':
      return { acts: [toDelegation(payload.delegate)] }
    case 'typed-data':
      return readSignedOperation(payload) ?? readTypedData(payload)
    case 'message':
      return readMessage(payload)
    case 'digest':
      return { unread: 'It is a digest of unknown content.' }
  }
}

const executeUserOp = '0x8dd7712f'

function readOperation({ sender, callData }: { sender: string; callData: string }): Intent {
  const to = sender.toLowerCase()
  const data = callData.toLowerCase()
  // Modular Account v2: the selector is followed by the call data itself.
  const own = data.startsWith(executeUserOp) && data.length > 10 ? `0x${data.slice(10)}` : data
  if (own === '0x') return { acts: [] }
  const acts: IntentAct[] = []
  const unread = addOwnCall(acts, { to, value: 0n, data: own }, 0)
  return unread === undefined ? { acts } : { unread }
}

/** Reads a user operation of EntryPoint 0.8 or 0.9 that is signed as typed data. */
function readSignedOperation({ primaryType, message }: TypedDataPayload): Intent | undefined {
  const { sender, callData } = message
  if (primaryType !== 'PackedUserOperation') return undefined
  if (isHex(sender) && isHex(callData)) return readOperation({ sender, callData })
  return { unread: 'It is a user operation without a sender or call data in hex.' }
}

const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)

function readTransaction(payload: IntentPayload & { kind: 'transaction' }): Intent {
  const { to, value } = payload
  const delegations = payload.delegates.map(toDelegation)
  if (to === undefined) return { acts: [{ kind: 'deploy', value: String(value) }, ...delegations] }
  const acts: IntentAct[] = []
  const call = { to: to.toLowerCase(), value, data: payload.data.toLowerCase() }
  // A delegated key's address has the functions of an account (EIP-7702).
  const unread = addCall(acts, call, { account: payload.from.toLowerCase(), depth: 0 })
  return unread === undefined ? { acts: [...acts, ...delegations] } : { unread }
}

const toDelegation = (delegate: string): IntentAct => ({ kind: 'delegation', delegate: delegate.toLowerCase() })

function readMessage({ text, bytes }: IntentPayload & { kind: 'message' }): Intent {
  // Owners sign user operations of EntryPoint 0.6 and 0.7 as a message of 32 bytes.
  if (text === undefined && bytes === 32) return { unread: 'It is a message of 32 bytes, such as a digest.' }
  return { acts: [{ kind: 'message', ...(text !== undefined && { text: text.slice(0, bounds.text) }) }] }
}

/** Forms in which an account makes calls, by selector. `toCalls` returns undefined for lists of different lengths. */
const executions: Readonly<
  Record<string, { types: string; toCalls(args: readonly AbiValue[]): (readonly AbiValue[])[] | undefined }>
> = {
  // execute(address,uint256,bytes)
  '0xb61d27f6': { types: '(address,uint256,bytes)', toCalls: (args) => [args] },
  // executeBatch(address[],bytes[])
  '0x18dfb3c7': { types: '(address[],bytes[])', toCalls: ([to, data]) => zip(to, undefined, data) },
  // executeBatch(address[],uint256[],bytes[])
  '0x47e1da2a': { types: '(address[],uint256[],bytes[])', toCalls: ([to, value, data]) => zip(to, value, data) },
  // executeBatch((address,uint256,bytes)[])
  '0x34fcd5be': { types: '((address,uint256,bytes)[])', toCalls: ([calls]) => toList(calls).map(toList) },
  // executeWithSessionKey((address,uint256,bytes)[],address)
  '0x31d99c2c': { types: '((address,uint256,bytes)[],address)', toCalls: ([calls]) => toList(calls).map(toList) },
}

const toList = (value: AbiValue | undefined): readonly AbiValue[] => (Array.isArray(value) ? value : [])

/** Accounts refuse lists of different lengths, or interpret them differently. */
function zip(to: AbiValue | undefined, value: AbiValue | undefined, data: AbiValue | undefined) {
  const [targets, values, datas] = [toList(to), value === undefined ? undefined : toList(value), toList(data)]
  if (datas.length !== targets.length || (values && values.length !== targets.length)) return undefined
  return targets.map((target, index) => [target, values?.[index] ?? 0n, datas[index] ?? '0x'])
}

/** Adds the acts of an account's call on itself. Returns the reason if it cannot be read. */
function addOwnCall(acts: IntentAct[], call: Call, depth: number): string | undefined {
  const selector = call.data.slice(0, 10)
  const execution = Object.hasOwn(executions, selector) ? executions[selector] : undefined
  if (!execution) {
    const act = describeOwnCall(call)
    if (!act) return `The account's own function ${selector} is unknown, or its arguments are not in canonical form.`
    acts.push(act)
    return undefined
  }
  if (depth >= bounds.depth) return `The account calls itself more than ${bounds.depth} times inside one another.`
  const args = decodeArguments(execution.types, call.data.slice(10))
  const calls = args && execution.toCalls(args)
  if (!calls) return notCanonical(call)
  for (const [to, value, data] of calls) {
    if (acts.length >= bounds.calls) return `It makes more than ${bounds.calls} calls.`
    const unread = addCall(acts, toCall(to, value, data), { account: call.to, depth: depth + 1 })
    if (unread !== undefined) return unread
  }
  return undefined
}

function addCall(
  acts: IntentAct[],
  call: Call,
  { account, depth }: { account: string; depth: number },
): string | undefined {
  if (call.to === account) return addOwnCall(acts, call, depth)
  const act = describeCall(call)
  if (!act) return notCanonical(call)
  acts.push(act)
  return undefined
}

function toCall(to: AbiValue | undefined, value: AbiValue | undefined, data: AbiValue | undefined): Call {
  return {
    to: typeof to === 'string' ? to : '',
    value: typeof value === 'bigint' ? value : 0n,
    data: typeof data === 'string' ? data : '0x',
  }
}

const notCanonical = ({ to, data }: Call) => `The call of ${data.slice(0, 10)} on ${to} is not in canonical form.`

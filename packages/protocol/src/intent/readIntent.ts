import type { Intent, IntentAct } from './intent.ts'
import { describeCall, describeOwnCall } from './knownCalls.ts'
import { type Call, makesCalls, readCalls, toLowerHex } from './readCalls.ts'
import { readTypedData, type TypedDataPayload } from './readTypedData.ts'

/** Content to sign with a key. Addresses and hex in any case. */
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
  /** EIP-191 message of `bytes` bytes; `text` is undefined if they are not text. */
  | { kind: 'message'; text: string | undefined; bytes: number }
  /** Digest of unknown content. */
  | { kind: 'digest' }

const bounds = {
  /** Maximum number of calls in one operation. */
  calls: 500,
  /** Maximum depth of nested calls of an account to itself. */
  depth: 4,
  /** Maximum number of characters of a message's `text`. */
  text: 1_000,
} as const

/**
 * Reads the effects of a payload once it is signed. Never guesses: a payload that is not in canonical form, or a call
 * of an account's own unknown function, is `unread`. Takes linear time in the payload's size.
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
      return readSignedOperation(payload) ?? addDeferredCall(readTypedData(payload), payload)
    case 'message':
      return readMessage(payload)
    case 'digest':
      return { unread: 'It is a digest of unknown content.' }
  }
}

const executeUserOp = '0x8dd7712f'

function readOperation({ sender, callData }: { sender: string; callData: string }): Intent {
  const to = toLowerHex(sender)
  const data = toLowerHex(callData)
  // Modular Account v2: the selector is followed by the call data itself.
  const own = data.startsWith(executeUserOp) && data.length > 10 ? (`0x${data.slice(10)}` as const) : data
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

/** Adds the effects of a deferred action's call (Modular Account v2). */
function addDeferredCall(intent: Intent, { message }: TypedDataPayload): Intent {
  const [action] = 'acts' in intent ? intent.acts : []
  if (action?.kind !== 'deferred-action') return intent
  if (!isHex(message.call)) return { unread: 'It is a deferred action without a call in hex.' }
  const later = readOperation({ sender: action.to ?? '', callData: message.call })
  return 'unread' in later ? later : { acts: [action, ...later.acts] }
}

const isHex = (value: unknown): value is string => typeof value === 'string' && /^0x([0-9a-f]{2})*$/i.test(value)

function readTransaction(payload: IntentPayload & { kind: 'transaction' }): Intent {
  const { to, value } = payload
  const delegations = payload.delegates.map(toDelegation)
  if (to === undefined) return { acts: [{ kind: 'deploy', value: String(value) }, ...delegations] }
  const acts: IntentAct[] = []
  const call = { to: toLowerHex(to), value, data: toLowerHex(payload.data) }
  // A delegated key's address has the functions of an account (EIP-7702).
  const unread = addCall(acts, call, { account: payload.from.toLowerCase(), depth: 0 })
  return unread === undefined ? { acts: [...acts, ...delegations] } : { unread }
}

const toDelegation = (delegate: string): IntentAct => ({ kind: 'delegation', delegate: delegate.toLowerCase() })

function readMessage({ text, bytes }: IntentPayload & { kind: 'message' }): Intent {
  // Owners sign user operations of EntryPoint 0.6 and 0.7 as a message of 32 bytes.
  if (bytes === 32 && !isProse(text)) return { unread: 'It is a message of 32 bytes, such as a digest.' }
  return { acts: [{ kind: 'message', ...(text !== undefined && { text: text.slice(0, bounds.text) }) }] }
}

/**
 * Returns whether 32 bytes are text and no digest: ASCII with at least 16 lowercase letters or spaces. An attacker who
 * chooses the hashed content can search for a digest that looks like text: one digest in 10^8 is valid UTF-8, one in
 * 10^16 is such text.
 */
function isProse(text = ''): boolean {
  return /^[ -~]*$/.test(text) && (text.match(/[a-z ]/g) ?? []).length >= 16
}

/** Adds the acts of an account's call on itself. Returns the reason if it cannot be read. */
function addOwnCall(acts: IntentAct[], call: Call, depth: number): string | undefined {
  if (!makesCalls(call.data)) {
    const act = describeOwnCall(call)
    const selector = call.data.slice(0, 10)
    if (!act) return `The account's own function ${selector} is unknown, or its arguments are not in canonical form.`
    acts.push(act)
    return undefined
  }
  if (depth >= bounds.depth) return `The account calls itself more than ${bounds.depth} times inside one another.`
  const calls = readCalls(call.data)
  if (!calls) return notCanonical(call)
  for (const inner of calls) {
    if (acts.length >= bounds.calls) return `It makes more than ${bounds.calls} calls.`
    const unread = addCall(acts, inner, { account: call.to, depth: depth + 1 })
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

const notCanonical = ({ to, data }: Call) => `The call of ${data.slice(0, 10)} on ${to} is not in canonical form.`

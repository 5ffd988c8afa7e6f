import { type Intent, type IntentAct, toApprovedAmount } from './intent.ts'

/** Typed data (EIP-712). `types` lists the members of each struct in order. */
export type TypedDataPayload = {
  kind: 'typed-data'
  domain: Readonly<Record<string, unknown>>
  types: Readonly<Record<string, readonly { name: string; type: string }[]>>
  primaryType: string
  message: Readonly<Record<string, unknown>>
}

/**
 * Reads the effect of signed typed data. A contract computes the hash of a struct by its own definition, so a struct is
 * identified by its name and exact members.
 */
export function readTypedData(payload: TypedDataPayload): Intent {
  const { domain, primaryType, message } = payload
  const shape = toShape(payload)
  if (isAccountWrapper(payload)) return { unread: `${primaryType} holds a digest of unknown content.` }
  const token = toAddress(domain.verifyingContract)
  const known = Object.hasOwn(shapes, shape) ? shapes[shape] : undefined
  if (known) return { acts: known(message, token) }
  // Treats an unknown variant of a permit as an unlimited approval.
  if (/permit/i.test(primaryType)) return { acts: [{ kind: 'approval', token, isUnlimited: true, primaryType }] }
  const application = typeof domain.name === 'string' ? domain.name.slice(0, 100) : undefined
  return { acts: [{ kind: 'typed-data', ...(application !== undefined && { application }), primaryType }] }
}

/** Returns a struct's name and members as EIP-712 encodes them, without the structs it refers to. */
function toShape({ types, primaryType }: Pick<TypedDataPayload, 'types' | 'primaryType'>): string {
  return `${primaryType}(${(types[primaryType] ?? []).map(({ type, name }) => `${type} ${name}`).join(',')})`
}

/**
 * Returns whether typed data is a struct in which smart accounts wrap the hash of a message (ERC-1271).
 *
 * @example
 * ```ts
 * import { isAccountWrapper } from 'latchkey-protocol'
 *
 * const types = { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] }
 * console.log(isAccountWrapper({ types, primaryType: 'ReplaySafeHash' }))
 * ```
 */
export function isAccountWrapper(typedData: Pick<TypedDataPayload, 'types' | 'primaryType'>): boolean {
  return wrappers.includes(toShape(typedData))
}

/** Structs in which accounts wrap the hash of a message before their owner signs it (ERC-1271). */
const wrappers: readonly string[] = [
  'LightAccountMessage(bytes message)',
  'AlchemyModularAccountMessage(bytes message)',
  'ReplaySafeHash(bytes32 hash)',
  'CoinbaseSmartWalletMessage(bytes32 hash)',
  'SafeMessage(bytes message)',
  'Kernel(bytes32 hash)',
]

type Message = Readonly<Record<string, unknown>>

/** Effects of known structs, by name and members. */
const shapes: Readonly<Record<string, (message: Message, token: string) => IntentAct[]>> = {
  // ERC-2612
  'Permit(address owner,address spender,uint256 value,uint256 nonce,uint256 deadline)': ({ spender, value }, token) => [
    toApproval(token, spender, value),
  ],
  // DAI
  'Permit(address holder,address spender,uint256 nonce,uint256 expiry,bool allowed)': ({ spender, allowed }, token) => [
    {
      kind: 'approval',
      token,
      spender: toAddress(spender),
      ...(allowed === false ? { amount: '0' } : { isUnlimited: true }),
    },
  ],
  // Permit2
  'PermitSingle(PermitDetails details,address spender,uint256 sigDeadline)': ({ details, spender }) => [
    toPermit2(details, spender),
  ],
  'PermitBatch(PermitDetails[] details,address spender,uint256 sigDeadline)': ({ details, spender }) =>
    toMembers(details).map((one) => toPermit2(one, spender)),
  'PermitTransferFrom(TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline)': ({
    permitted,
    spender,
  }) => [toPermit2(permitted, spender)],
  'PermitBatchTransferFrom(TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline)': ({
    permitted,
    spender,
  }) => toMembers(permitted).map((one) => toPermit2(one, spender)),
  // ERC-3009
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    toAuthorizedTransfer,
  'ReceiveWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)':
    toAuthorizedTransfer,
  // Modular Account v2: the account later executes the installation in `call`.
  'DeferredAction(uint256 nonce,uint48 deadline,bytes call)': (_, account) => [
    { kind: 'deferred-action', to: account },
  ],
}

function toApproval(token: string, spender: unknown, amount: unknown): IntentAct {
  return { kind: 'approval', token, spender: toAddress(spender), ...toApprovedAmount(toAmount(amount)) }
}

function toPermit2(details: unknown, spender: unknown): IntentAct {
  const { token, amount } = typeof details === 'object' && details !== null ? (details as Message) : {}
  return toApproval(toAddress(token), spender, amount)
}

function toAuthorizedTransfer({ from, to, value }: Message, token: string): IntentAct[] {
  const amount = String(toAmount(value))
  return [{ kind: 'token-transfer', token, from: toAddress(from), recipient: toAddress(to), amount }]
}

const toMembers = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const toAddress = (value: unknown) => (typeof value === 'string' ? value.toLowerCase().slice(0, 42) : '')

/** Parses an amount in JSON: a number, decimal digits or hex. Any other value counts as unlimited. */
function toAmount(value: unknown): bigint {
  const text = String(value)
  return /^(\d{1,80}|0x[0-9a-fA-F]{1,64})$/.test(text) ? BigInt(text) : 2n ** 256n - 1n
}

import type { IntentAct, IntentPayload } from 'latchkey-protocol'

/** Part of a signature that takes a token or native currency from its account. */
export type Spend = {
  /** Undefined if the payload is valid on any chain. */
  chainId: number | undefined
  /** Address in lower case, or `native`. */
  token: string
  /** In the smallest unit. An unlimited approval counts as a practically infinite amount. */
  amount: bigint
  /** Act that spends; undefined for the fee of an operation without calls. */
  act: IntentAct | undefined
}

/** Chain of a payload, and the maximum fee in wei that the account itself pays. */
export type Charged = { chainId?: number | undefined; fee?: bigint | undefined }

/** Returns the maximum amounts that one payload's acts spend, by token. */
export function listSpends({ chainId, fee = 0n }: Charged, acts: readonly IntentAct[]): Spend[] {
  const spends = acts.flatMap((act): Spend[] => {
    const value = BigInt(act.value ?? '0')
    const native = value > 0n ? [{ chainId, token: 'native', amount: value, act }] : []
    const takesToken = act.kind === 'token-transfer' || act.kind === 'approval'
    if (!takesToken || act.token === undefined) return native
    // Tokens without amounts (ERC-721) have no limit.
    const amount = act.isUnlimited ? unlimited : act.amount === undefined ? undefined : BigInt(act.amount)
    return amount === undefined ? native : [...native, { chainId, token: act.token, amount, act }]
  })
  return fee > 0n ? [...spends, { chainId, token: 'native', amount: fee, act: acts[0] }] : spends
}

const unlimited = 2n ** 256n - 1n

/** Returns chain and fee of typed data: a user operation of EntryPoint 0.8 or 0.9, or another struct without a fee. */
export function readCharged(content: IntentPayload): Charged {
  if (content.kind !== 'typed-data') return {}
  const { domain, message, primaryType } = content
  const chainId = toChainId(domain.chainId)
  if (primaryType !== 'PackedUserOperation') return { chainId }
  const { paymasterAndData, accountGasLimits, gasFees, preVerificationGas } = message
  if (typeof paymasterAndData === 'string' && paymasterAndData.length > 2) return { chainId }
  const [verification, call] = toHalves(accountGasLimits)
  const [, maxFeePerGas] = toHalves(gasFees)
  return { chainId, fee: (verification + call + toBigInt(preVerificationGas)) * maxFeePerGas }
}

function toChainId(value: unknown): number | undefined {
  const id = toBigInt(value)
  return id > 0n && id <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(id) : undefined
}

function toBigInt(value: unknown): bigint {
  if (typeof value === 'bigint') return value
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value)
  return typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value) ? BigInt(value) : 0n
}

function toHalves(value: unknown): [bigint, bigint] {
  const packed = toBigInt(value)
  return [packed >> 128n, packed & (2n ** 128n - 1n)]
}

import { errorCodes } from 'latchkey-protocol'
import type { reserve } from '../../store/ledger/reserve.ts'
import type { PaymasterScheme } from '../paymasters/PaymasterScheme.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'

/* Reasons why an operation is not sponsored. `data.rule` contains the name of the rule in `policyRules`. */

/** Creates the refusal. `why` ends the sentence "The gas policy does not pay for this operation:". */
export function policyRefused(rule: string, why: string, data: Record<string, unknown> = {}): RpcError {
  return new RpcError(`The gas policy does not pay for this operation: ${why}`, {
    code: errorCodes.POLICY_REFUSED,
    rpcCode: rpcCodes.paymasterRefused,
    data: { rule, ...data },
  })
}

export function policyNotFound(id: string | undefined): RpcError {
  const message =
    id === undefined
      ? 'The project has no default gas policy. Name one by its policyId, or have its operator declare one.'
      : `There is no gas policy with the id ${JSON.stringify(id.slice(0, 64))} in this project. Check the policyId.`
  return new RpcError(message, { code: errorCodes.POLICY_NOT_FOUND, rpcCode: rpcCodes.invalidParams })
}

/**
 * Creates the error for a low deposit. `available` is undefined if an upstream service pays and maintains its own
 * deposit.
 */
export function depositLow(scheme: PaymasterScheme, available: bigint | undefined, needed?: bigint): RpcError {
  const have = available === undefined ? 'too low' : `${available} wei, less what is reserved`
  const need = needed === undefined ? '' : `, and the operation needs ${needed} wei`
  const payer = scheme.paymaster ?? 'the contract of the paymaster service'
  return new RpcError(
    `The paymaster cannot pay for this operation: its deposit is ${have}${need}. ` +
      `Its operator must deposit more for ${payer} at the entry point ${scheme.entryPoint} (depositTo).`,
    { code: errorCodes.PAYMASTER_DEPOSIT_LOW, rpcCode: rpcCodes.paymasterDeposit },
  )
}

export declare namespace recordRefusal {
  type Parameters = { refusal: reserve.Refusal; scheme: PaymasterScheme; policyId: string; needed: bigint }
}

/**
 * Creates the error for a refusal by the ledger. Does not reveal limits of a whole policy, since clients' API keys are
 * public.
 */
export function recordRefusal({ refusal, scheme, policyId, needed }: recordRefusal.Parameters): RpcError {
  if (refusal.rule === 'deposit') return depositLow(scheme, refusal.available, needed)
  const { rule, limit } = refusal
  if (rule === 'policy') return policyNotFound(policyId)
  if (rule === 'paused') return policyRefused(rule, 'it is paused. Its operator can resume it.')
  if (rule === 'nonce')
    return new RpcError('The nonce of this operation is used. Build the operation again.', {
      code: errorCodes.REQUEST_INVALID,
      rpcCode: rpcCodes.invalidParams,
    })
  if (/^limits\.(policy|key)\./.test(rule)) return policyRefused(rule, `the limit ${rule} is reached.`)
  if (rule === 'open.cost')
    return policyRefused(
      rule,
      `the signed operations of this client address that were not sent may cost at most ${limit} wei now. Send them, wait ten minutes, or have its operator set open.cost.`,
      { limit },
    )
  if (rule.startsWith('open.'))
    return policyRefused(
      rule,
      `too many signed operations are not included yet (${rule}, at most ${limit}). Send them, or wait ten minutes.`,
      { limit },
    )
  return policyRefused(rule, `the limit ${rule} of ${limit} is reached.`, { limit })
}

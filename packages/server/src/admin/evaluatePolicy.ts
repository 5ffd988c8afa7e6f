import type { AdminVerdict } from 'latchkey-protocol/admin'
import { type Address, type Hex, zeroAddress } from 'viem'
import { z } from 'zod'
import { RpcError } from '../gateway/rpc/RpcError.ts'
import { checkRules } from '../gateway/sponsorship/checkRules.ts'
import type { Db } from '../platform/database/openStore.ts'
import { findRefusal } from '../store/ledger/reserve.ts'
import { address, wei } from './adminSchemas.ts'
import type { StoredPolicy } from './reads/changePolicies.ts'

const bytes = z.string().regex(/^0x(?:[0-9a-fA-F]{2}){0,24576}$/, 'must be bytes in hex, at most 24576')

export const operationSchema = z.strictObject({
  chainId: z.int().positive(),
  entryPoint: address,
  sender: address,
  nonce: z
    .string()
    .regex(/^(?:\d{1,78}|0x[0-9a-fA-F]{1,64})$/, 'must be a nonce, decimal or in hex')
    .default('0'),
  callData: bytes,
  factory: address.optional().describe('Factory of an account that is not deployed.'),
  maxCost: wei
    .default('1')
    .describe('Maximum cost of the operation in wei. By default, any budget that is not used up passes.'),
})

/** Rules that are checked only at signing. */
const onlyWhenSigned = [
  'factors',
  'deposit',
  'open.ip',
  'open.key',
  'open.cost',
  'limits.operation.gas',
  'limits.ip',
  'limits.key',
] as const

export const verdictSchema = z.object({
  sponsored: z.boolean(),
  rule: z.string().nullable().describe('Name of the policy rule that refuses the operation, or null if none does.'),
  reason: z.string().nullable(),
  unchecked: z
    .array(z.enum([...onlyWhenSigned, 'sender.code', 'webhook']))
    .describe(
      'Rules that are checked only when the operation is signed: gas and fees, the deposit, the caller, the code of a deployed sender (under targets or factories), the webhook.',
    ),
}) satisfies z.ZodType<AdminVerdict>

export declare namespace evaluatePolicy {
  type Parameters = {
    policy: StoredPolicy
    operation: z.output<typeof operationSchema>
    /** Milliseconds since the epoch. */
    now: number
  }
}

/** Evaluates an operation against the gateway's rules and the current ledger. */
export async function evaluatePolicy(
  db: Db,
  { policy, operation, now }: evaluatePolicy.Parameters,
): Promise<z.input<typeof verdictSchema>> {
  const { chainId, entryPoint, sender, callData, factory } = operation
  const { targets, factories, webhook } = policy.rules
  const unchecked = [
    ...onlyWhenSigned,
    ...((targets || factories) && !factory ? (['sender.code'] as const) : []),
    ...(webhook ? (['webhook'] as const) : []),
  ]
  const refused = (rule: string, reason: string) => ({ sponsored: false, rule, reason, unchecked: [] })
  try {
    checkRules({
      policy,
      chainId,
      operation: { sender: sender as Address, callData: callData as Hex, factory: factory as Address | undefined },
      now,
    })
  } catch (error) {
    if (!(error instanceof RpcError)) throw error
    return refused(String(error.data?.rule ?? error.code), error.message)
  }
  const refusal = await findRefusal(db, {
    projectId: policy.projectId,
    policyId: policy.id,
    caller: { key: 'a test of the admin API' },
    chainId,
    entryPoint,
    paymaster: zeroAddress,
    sender,
    nonce: BigInt(operation.nonce),
    maxCost: BigInt(operation.maxCost),
    validUntil: new Date(now),
    deposit: undefined,
  })
  if (!refusal) return { sponsored: true, rule: null, reason: null, unchecked }
  const limit = 'limit' in refusal && refusal.limit !== undefined ? ` of ${refusal.limit}` : ''
  const reason =
    refusal.rule === 'nonce' ? 'The nonce of this operation is used.' : `The limit ${refusal.rule}${limit} is reached.`
  return refused(refusal.rule, reason)
}

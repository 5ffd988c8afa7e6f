import { randomUUID } from 'node:crypto'
import { errorCodes } from 'latchkey/wire'
import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { z } from 'zod'
import type { Db } from '../store/openStore.ts'
import type { PaymasterScheme, SettledSponsorship, SigningContext, Validity } from './paymasters/PaymasterScheme.ts'
import type { Upstream } from './rpc/createUpstream.ts'
import { RpcError, rpcCodes } from './rpc/RpcError.ts'
import { parseResult } from './rpc/values.ts'

const entryPointAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const uint256Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

/** How long a signed sponsorship can be used, and how far clocks may be apart. Seconds. */
const validForSeconds = 600
const clockSkewSeconds = 60

export declare namespace signSponsorship {
  type Context = SigningContext & {
    /** Stores one row a signed operation. */
    record: (sponsorship: Sponsorship) => Promise<void>
  }
  type Sponsorship = {
    policyId: string
    entryPoint: Address
    sender: Address
    nonce: bigint
    userOpHash: Hex
    /** Wei the paymaster pays at most. */
    maxCost: bigint
    /** Seconds since the epoch. */
    validUntil: number
  }
  type Parameters = {
    policy: Policy
    scheme: PaymasterScheme
    operation: { sender: Address; nonce: bigint }
    settled: SettledSponsorship
    validity: Validity
    /** Wei the paymaster has at the entry point; undefined when that is an upstream service's to mind. */
    deposit: bigint | undefined
  }
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError
}

/**
 * The paymaster's fields for an operation whose gas is settled. Signs nothing that the deposit does not cover.
 *
 * @throws `PAYMASTER_DEPOSIT_LOW`.
 */
export async function signSponsorship(
  context: signSponsorship.Context,
  parameters: signSponsorship.Parameters,
): Promise<signSponsorship.ReturnType> {
  const { policy, scheme, operation, settled, validity, deposit } = parameters
  if (deposit !== undefined && settled.prefund > deposit) throw depositLow(scheme, deposit, settled.prefund)
  const { paymasterFields, userOpHash } = await settled.seal(context)
  await context.record({
    policyId: policy.id,
    entryPoint: scheme.entryPoint,
    sender: operation.sender,
    nonce: operation.nonce,
    userOpHash,
    maxCost: settled.prefund,
    validUntil: validity.validUntil,
  })
  return paymasterFields
}

/** Wei the paymaster has at the entry point; undefined when an upstream service pays, which minds its own. */
export async function readDeposit(node: Upstream, scheme: PaymasterScheme): Promise<bigint | undefined> {
  if (!scheme.paymaster) return undefined
  const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'balanceOf', args: [scheme.paymaster] })
  const deposit = await node.call('eth_call', [{ to: scheme.entryPoint, data }, 'latest'])
  return BigInt(parseResult(uint256Schema, deposit, 'a deposit'))
}

/** The chain's clock may be behind (no block for a while) or ahead (a local chain moved in time) of ours. */
export function validityAt(nowMs: number, blockSeconds: number): Validity {
  const now = Math.floor(nowMs / 1000)
  return {
    validAfter: Math.min(now, blockSeconds) - clockSkewSeconds,
    validUntil: Math.max(now, blockSeconds) + validForSeconds,
  }
}

export function depositLow(scheme: PaymasterScheme, deposit: bigint | undefined, needed?: bigint): RpcError {
  const have = deposit === undefined ? 'too low' : `${deposit} wei`
  const need = needed === undefined ? '' : ` and the operation needs ${needed} wei`
  const payer = scheme.paymaster ?? 'the contract of the paymaster service'
  return new RpcError(
    `The paymaster cannot pay for this operation: its deposit is ${have}${need}. ` +
      `Its operator must deposit more for ${payer} at the entry point ${scheme.entryPoint} (depositTo).`,
    { code: errorCodes.PAYMASTER_DEPOSIT_LOW, rpcCode: rpcCodes.paymasterDeposit },
  )
}

export declare namespace insertSponsorship {
  type Parameters = signSponsorship.Sponsorship & { projectId: string; chainId: number }
}

/** Stores a signed operation, in state `signed`. */
export async function insertSponsorship(db: Db, sponsorship: insertSponsorship.Parameters): Promise<void> {
  await db
    .insertInto('sponsorships')
    .values({
      id: randomUUID(),
      project_id: sponsorship.projectId,
      policy_id: sponsorship.policyId,
      chain_id: sponsorship.chainId,
      entry_point: sponsorship.entryPoint,
      sender: sponsorship.sender,
      nonce: sponsorship.nonce.toString(),
      user_op_hash: sponsorship.userOpHash,
      max_cost: sponsorship.maxCost,
      state: 'signed',
      valid_until: new Date(sponsorship.validUntil * 1000),
    })
    .execute()
}

/** Which operations are paid for. So far a policy sponsors every operation of every project. */
export type Policy = { id: string }

export const defaultPolicies: readonly Policy[] = [{ id: 'default' }]

/**
 * The policy of that id.
 *
 * @throws `POLICY_NOT_FOUND`.
 */
export function findPolicy(policies: readonly Policy[], id: string): Policy {
  const policy = policies.find((candidate) => candidate.id === id)
  if (policy) return policy
  throw new RpcError(`There is no gas policy with the id ${JSON.stringify(id.slice(0, 64))}. Check the policyId.`, {
    code: errorCodes.POLICY_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

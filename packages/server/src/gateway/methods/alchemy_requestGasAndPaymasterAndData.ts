import { errorCodes, type GasOverrides } from 'latchkey/wire'
import { type Address, encodeFunctionData, type Hex, hashMessage, parseAbi } from 'viem'
import { z } from 'zod'
import type { ServiceSigner } from '../../keys/serviceSigner.ts'
import { address, bytes, gasOverrides, quantity } from '../paymasters/quantities.ts'
import type { PaymasterScheme, Validity } from '../paymasters/types.ts'
import { findPolicy, type Policy } from '../policies/findPolicy.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { parseAnswer } from '../rpc/parseAnswer.ts'
import { parseParams } from '../rpc/parseParams.ts'
import { RpcError, rpcCodes } from '../rpc/RpcError.ts'
import { UpstreamError } from '../rpc/UpstreamError.ts'

const entryPointAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])

/** How long a signed sponsorship can be used, and how far clocks may be apart. Seconds. */
const validForSeconds = 600
const clockSkewSeconds = 60

const paramsSchema = z.tuple([
  z.object({
    policyId: z.string().min(1).max(128),
    entryPoint: address,
    userOperation: z.record(z.string(), z.unknown()),
    dummySignature: bytes,
    overrides: gasOverrides.default({}),
  }),
])
const blockSchema = z.object({ baseFeePerGas: quantity, timestamp: quantity })
const uint256Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

export declare namespace requestGasAndPaymasterAndData {
  type Context = {
    node: Upstream
    bundler: Upstream
    schemes: readonly PaymasterScheme[]
    policies: readonly Policy[]
    signer: ServiceSigner
    /** Wei; see `rundler_maxPriorityFeePerGas`. */
    priorityFee: () => Promise<bigint>
    /** Keeps one row a signed operation. */
    record: (sponsorship: Sponsorship) => Promise<void>
    /** Milliseconds since the epoch. */
    now: () => number
  }
  type Sponsorship = {
    policyId: string
    entryPoint: Address
    sender: Address
    nonce: bigint
    userOpHash: Hex
    /** Wei. */
    maxCost: bigint
    /** Seconds since the epoch. */
    validUntil: number
  }
  type ReturnType = Record<string, Hex>
  type ErrorType = RpcError | UpstreamError
}

/**
 * `alchemy_requestGasAndPaymasterAndData`: fees, gas and the paymaster's signature for one operation, in one request.
 * Everything that does not depend on another answer is asked at once; then one call for the digest.
 *
 * Throws `POLICY_NOT_FOUND`, `ENTRY_POINT_NOT_FOUND`, `MULTIPLIER_INVALID`, `PAYMASTER_DEPOSIT_LOW`; the bundler's
 * own error when it refuses the estimate.
 */
export async function requestGasAndPaymasterAndData(
  context: requestGasAndPaymasterAndData.Context,
  params: unknown,
): Promise<requestGasAndPaymasterAndData.ReturnType> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const policy = findPolicy(context.policies, request.policyId)
  const scheme = findScheme(context.schemes, request.entryPoint)
  const open = scheme.open(request.userOperation, request.dummySignature as Hex)

  const { estimate, block, tip, deposit } = await askUpstreams(context, scheme, open.estimateRequest)
  const validity = validityAt(context.now(), Number(block.timestamp))
  const fees = { baseFee: BigInt(block.baseFeePerGas), tip }
  const settled = open.settle(estimate, fees, request.overrides as GasOverrides, validity)
  if (settled.prefund > deposit) throw depositLow(scheme, deposit, settled.prefund)

  const digest = await context.node.call('eth_call', [{ to: scheme.paymaster, data: settled.hashCallData }, 'latest'])
  const hash = parseAnswer(uint256Schema, digest, 'a paymaster digest') as Hex
  const signature = await context.signer.signHash(hashMessage({ raw: hash }))
  const { result, userOpHash } = settled.seal(signature)
  await context.record({
    policyId: policy.id,
    entryPoint: scheme.entryPoint,
    sender: open.sender,
    nonce: open.nonce,
    userOpHash,
    maxCost: settled.prefund,
    validUntil: validity.validUntil,
  })
  return result
}

async function askUpstreams(
  { node, bundler, priorityFee }: requestGasAndPaymasterAndData.Context,
  scheme: PaymasterScheme,
  estimateRequest: Record<string, Hex>,
) {
  const balanceOf = encodeFunctionData({ abi: entryPointAbi, functionName: 'balanceOf', args: [scheme.paymaster] })
  const [estimate, block, tip, deposit] = await Promise.all([
    bundler.send('eth_estimateUserOperationGas', [estimateRequest, scheme.entryPoint]),
    node.call('eth_getBlockByNumber', ['latest', false]),
    priorityFee(),
    node.call('eth_call', [{ to: scheme.entryPoint, data: balanceOf }, 'latest']),
  ])
  const balance = BigInt(parseAnswer(uint256Schema, deposit, 'a deposit'))
  if ('error' in estimate) {
    // EntryPoint 0.6 and 0.7: AA31 is "paymaster deposit too low".
    if (/\bAA31\b/.test(estimate.error.message)) throw depositLow(scheme, balance)
    throw new UpstreamError(estimate.error)
  }
  return { estimate: estimate.result, block: parseAnswer(blockSchema, block, 'a block'), tip, deposit: balance }
}

function findScheme(schemes: readonly PaymasterScheme[], entryPoint: string): PaymasterScheme {
  const scheme = schemes.find((candidate) => candidate.entryPoint.toLowerCase() === entryPoint.toLowerCase())
  if (scheme) return scheme
  const known = schemes.map((candidate) => candidate.entryPoint).join(', ')
  throw new RpcError(`Operations of the entry point ${entryPoint} are not sponsored here. Use one of: ${known}.`, {
    code: errorCodes.ENTRY_POINT_NOT_FOUND,
    rpcCode: rpcCodes.invalidParams,
  })
}

/** The chain's clock may be behind (no block for a while) or ahead (a local chain moved in time) of ours. */
function validityAt(nowMs: number, blockSeconds: number): Validity {
  const now = Math.floor(nowMs / 1000)
  return {
    validAfter: Math.min(now, blockSeconds) - clockSkewSeconds,
    validUntil: Math.max(now, blockSeconds) + validForSeconds,
  }
}

function depositLow(scheme: PaymasterScheme, deposit: bigint, needed?: bigint): RpcError {
  const need = needed === undefined ? '' : ` and the operation needs ${needed} wei`
  return new RpcError(
    `The paymaster cannot pay for this operation: its deposit is ${deposit} wei${need}. ` +
      `Its operator must deposit more for ${scheme.paymaster} at the entry point ${scheme.entryPoint} (depositTo).`,
    { code: errorCodes.PAYMASTER_DEPOSIT_LOW, rpcCode: rpcCodes.paymasterDeposit },
  )
}

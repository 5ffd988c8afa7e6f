import type { ErrorCode, GasOverrides } from 'latchkey-protocol'
import { encodeFunctionData, type Hex, numberToHex, parseAbi, slice, zeroAddress } from 'viem'
import { z } from 'zod'
import type { ServiceSigner } from '../../keys/serviceSigner.ts'
import { inTransaction } from '../../platform/database/inTransaction.ts'
import type { Db } from '../../platform/database/openStore.ts'
import { countLimit } from '../../platform/limits/limitNames.ts'
import type { Logger } from '../../platform/observability/logger.ts'
import type { LimitHit } from '../../store/createEventStream.ts'
import { findPolicy, type Policy } from '../../store/ledger/policies.ts'
import { findPriorTip, findRefusal, recordSignature, reserve, tipFloor } from '../../store/ledger/reserve.ts'
import { logSigned } from '../../store/operations.ts'
import type { Caller } from '../Caller.ts'
import type { Chain } from '../chains/createChain.ts'
import type { Operations } from '../operations/createOperations.ts'
import { withdraw } from '../operations/release.ts'
import type {
  Fees,
  FilledSponsorship,
  GasFields,
  OpenSponsorship,
  PaymasterScheme,
  SettledSponsorship,
  Validity,
} from '../paymasters/PaymasterScheme.ts'
import { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { parseResult, quantity } from '../rpc/values.ts'
import { askWebhook } from './askWebhook.ts'
import { checkPrices, checkRules, limitTip } from './checkRules.ts'
import { checkSender } from './checkSender.ts'
import { depositLow, policyNotFound, recordRefusal } from './refusalErrors.ts'

const entryPointAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const uint256Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const blockSchema = z.object({ baseFeePerGas: quantity, timestamp: quantity, number: quantity })

/** Seconds that a signed sponsorship is valid, and the tolerated clock skew. */
const validForSeconds = 600
const clockSkewSeconds = 60

/** Dependencies of sponsoring besides the chain and the caller. */
export type Sponsor = {
  db: Db
  /** Provides the paymasters' verifying key. */
  signer: ServiceSigner
  /** 32 bytes from which webhook secrets are derived. */
  webhookKey?: Uint8Array | undefined
  /** Milliseconds since the epoch. */
  now: () => number
  /** Registers the chain, so that signed operations are found in later blocks. */
  operations: Pick<Operations, 'begin'>
  /** Called when a limit of a policy refuses an operation. */
  onLimit?: ((hit: LimitHit) => void) | undefined
  logger: Logger
}

export declare namespace sponsorOperation {
  type Context = Sponsor & { chain: Chain; caller: Caller }
  type Parameters = {
    /**
     * Ids of policies. Without any, the project's default policy applies; with several, the first one that allows the
     * operation.
     */
    policyId: string | readonly string[] | undefined
    scheme: PaymasterScheme
    /** An operation whose gas and fees the gateway fills in, or one that already has them. */
    operation: { open: OpenSponsorship; overrides: GasOverrides } | { filled: FilledSponsorship }
  }
  type ReturnType = {
    policy: Policy
    userOpHash: Hex
    /** Paymaster fields of the response. */
    paymasterFields: Record<string, Hex>
    /** Gas and fee fields of the response. */
    gasFields: Record<string, Hex>
  }
  type ErrorType = RpcError | UpstreamError
}

/**
 * Sponsors an operation for every method. Applies the policy's rules, compares gas and fees with an estimate and
 * current prices, and calls the app's webhook. Reserves the highest cost in the ledger before anything is signed.
 *
 * @throws `POLICY_NOT_FOUND`, `POLICY_REFUSED`, `PAYMASTER_DEPOSIT_LOW`, `REQUEST_INVALID`, `MULTIPLIER_INVALID`, and
 * the bundler's own error if it refuses the estimate.
 */
export async function sponsorOperation(
  context: sponsorOperation.Context,
  { policyId, ...parameters }: sponsorOperation.Parameters,
): Promise<sponsorOperation.ReturnType> {
  return underFirstPolicy(policyId, async (id) => {
    const policy = await readPolicy(context.db, context.caller.projectId, id)
    return sponsorUnder(context, policy, parameters)
  })
}

async function sponsorUnder(
  context: sponsorOperation.Context,
  policy: Policy,
  { scheme, operation }: Omit<sponsorOperation.Parameters, 'policyId'>,
): Promise<sponsorOperation.ReturnType> {
  const { chain, now } = context
  const { rules } = policy
  const asked = 'open' in operation ? operation.open : operation.filled
  checkRules({ policy, chainId: chain.chainId, operation: asked, now: now() })

  const [{ estimate, block, tip: market, deposit }, prior] = await Promise.all([
    askUpstreams(context, scheme, asked.estimateRequest),
    findPriorTip(context.db, { chainId: chain.chainId, entryPoint: scheme.entryPoint, ...asked }),
    checkSender({ rules, operation: asked, node: chain.node }),
  ])
  const floor = tipFloor(rules, chain.chainId)
  const { highest, toSigned } = limitTip({ market, factor: rules.factors.maxPriorityFeePerGas, floor, prior })
  const fees = { baseFee: BigInt(block.baseFeePerGas), tip: market, highestTip: highest }
  const validity = validityAt(now(), Number(block.timestamp), policy)
  const settled =
    'open' in operation
      ? operation.open.settle(estimate, fees, operation.overrides, validity)
      : operation.filled.settle(validity)
  const quote = (prices: Fees): GasFields => asked.quote(estimate, prices)
  checkPrices({ gas: settled.gas, quote, fees, floor, highestTip: highest, rules })
  const tip = toSigned(settled.gas.maxPriorityFeePerGas ?? 0n)
  await askPolicyWebhook(context, { policy, scheme, operation: asked, settled })
  const signed = await reserveAndSign(context, { policy, scheme, operation: asked, settled, validity, deposit, tip })
  return { policy, ...signed, gasFields: settled.gasFields }
}

export declare namespace checkSponsorship {
  type Parameters = {
    policyId: string | readonly string[] | undefined
    scheme: PaymasterScheme
    operation: Pick<OpenSponsorship, 'sender' | 'nonce' | 'callData' | 'factory'>
  }
}

/**
 * Refuses an operation without gas and fees if {@link sponsorOperation} would refuse it. For previews: reserves and
 * signs nothing, and does not call the app's webhook.
 * @throws `POLICY_NOT_FOUND`, `POLICY_REFUSED`, `REQUEST_INVALID`.
 */
export async function checkSponsorship(
  { db, chain, caller, now }: sponsorOperation.Context,
  { policyId, scheme, operation }: checkSponsorship.Parameters,
): Promise<void> {
  return underFirstPolicy(policyId, async (id) => {
    const policy = await readPolicy(db, caller.projectId, id)
    checkRules({ policy, chainId: chain.chainId, operation, now: now() })
    await checkSender({ rules: policy.rules, operation, node: chain.node })
    // Costs are not known yet, so a budget with one wei left passes.
    const cost = { maxCost: 1n, validUntil: new Date(now()), deposit: undefined }
    const refusal = await findRefusal(db, { ...toRequest({ policy, chain, caller, scheme, operation }), ...cost })
    if (refusal) throw recordRefusal({ refusal, scheme, policyId: policy.id, needed: 1n })
  })
}

async function underFirstPolicy<result>(
  policyId: sponsorOperation.Parameters['policyId'],
  attempt: (id: string | undefined) => Promise<result>,
): Promise<result> {
  const ids = typeof policyId === 'object' ? policyId : [policyId]
  for (const id of ids.slice(0, -1)) {
    try {
      return await attempt(id)
    } catch (error) {
      if (!(error instanceof RpcError) || !refusals.includes(error.code)) throw error
    }
  }
  return attempt(ids.at(-1))
}

const refusals: readonly ErrorCode[] = ['POLICY_NOT_FOUND', 'POLICY_REFUSED']

/**
 * Returns a policy of the project.
 *
 * @throws `POLICY_NOT_FOUND`.
 */
async function readPolicy(db: Db, projectId: string, policyId: string | undefined): Promise<Policy> {
  const policy = await findPolicy(db, projectId, policyId)
  if (!policy) throw policyNotFound(policyId)
  return policy
}

async function askUpstreams(
  { chain, caller }: sponsorOperation.Context,
  scheme: PaymasterScheme,
  estimateRequest: Readonly<Record<string, unknown>>,
) {
  const { node, bundler, priorityFee, run } = chain
  const [estimate, { block, deposit }, tip] = await Promise.all([
    run.bundler(caller, 1, () => bundler.send('eth_estimateUserOperationGas', [estimateRequest, scheme.entryPoint])),
    readChain(node, scheme),
    priorityFee(),
  ])
  if ('error' in estimate) {
    // EntryPoint 0.6 and 0.7: AA31 is "paymaster deposit too low".
    if (/\bAA31\b/.test(estimate.error.message)) throw depositLow(scheme, deposit?.wei)
    throw new UpstreamError(estimate.error)
  }
  return { estimate: estimate.result, block, tip, deposit }
}

/**
 * Reads the latest block, and the deposit as of that block. The costs of later blocks are not yet deducted from this
 * deposit.
 */
async function readChain(node: Chain['node'], scheme: PaymasterScheme) {
  const latest = await node.call('eth_getBlockByNumber', ['latest', false])
  const block = parseResult(blockSchema, latest, 'a block')
  const wei = await readDeposit(node, scheme, block.number as Hex)
  return { block, deposit: wei === undefined ? undefined : { wei, blockNumber: BigInt(block.number) } }
}

/**
 * Returns the paymaster's deposit at the entry point in wei; undefined if an upstream service pays and maintains its
 * own.
 */
async function readDeposit(
  node: Chain['node'],
  { paymaster, entryPoint }: PaymasterScheme,
  block: Hex | 'latest',
): Promise<bigint | undefined> {
  if (!paymaster) return undefined
  const data = encodeFunctionData({ abi: entryPointAbi, functionName: 'balanceOf', args: [paymaster] })
  const deposit = await node.call('eth_call', [{ to: entryPoint, data }, block])
  return BigInt(parseResult(uint256Schema, deposit, 'a deposit'))
}

/**
 * Returns the validity period of a signature. The chain's clock may be behind this machine's after a while without
 * blocks, or ahead of it on a devnet whose time was moved.
 */
function validityAt(nowMs: number, blockSeconds: number, { rules }: Pick<Policy, 'rules'>): Validity {
  const now = Math.floor(nowMs / 1000)
  const validUntil = Math.max(now, blockSeconds) + validForSeconds
  const last = rules.validUntil === undefined ? validUntil : Math.floor(Date.parse(rules.validUntil) / 1000)
  return { validAfter: Math.min(now, blockSeconds) - clockSkewSeconds, validUntil: Math.min(validUntil, last) }
}

type Asked = OpenSponsorship | FilledSponsorship
type Decision = { policy: Policy; scheme: PaymasterScheme; operation: Asked; settled: SettledSponsorship }

async function askPolicyWebhook(
  { chain, webhookKey: key, now, logger }: sponsorOperation.Context,
  { policy, scheme, operation, settled }: Decision,
): Promise<void> {
  if (!policy.rules.webhook) return
  const { sender, nonce, callData, factory } = operation
  const request = {
    chainId: chain.chainId,
    entryPoint: scheme.entryPoint,
    userOperation: { sender, nonce: numberToHex(nonce), callData, factory, ...settled.gasFields },
    maxCost: String(settled.prefund),
  }
  await askWebhook({ policy, key, request, now: now(), logger })
}

/** Address under which reservations are stored until the upstream service chooses its contract. */
const unknownPaymaster = zeroAddress

async function reserveAndSign(
  { db, signer, operations, chain, caller, onLimit }: sponsorOperation.Context,
  parameters: Decision & { validity: Validity } & Pick<reserve.Parameters, 'deposit' | 'tip'>,
): Promise<{ paymasterFields: Record<string, Hex>; userOpHash: Hex }> {
  const { policy, scheme, operation, settled, validity, deposit, tip } = parameters
  await operations.begin(chain)
  const reserved = await reserve(db, {
    ...toRequest({ policy, chain, caller, scheme, operation }),
    maxCost: settled.prefund,
    tip,
    validUntil: new Date(validity.validUntil * 1000),
    deposit,
  })
  if (!reserved.ok) {
    const { rule } = reserved
    if (rule.startsWith('limits.') || rule.startsWith('open.')) {
      const limit = `policy.${rule}` as const
      countLimit(limit)
      onLimit?.({ limit, projectId: caller.projectId, policyId: policy.id })
    }
    throw recordRefusal({ refusal: reserved, scheme, policyId: policy.id, needed: settled.prefund })
  }
  try {
    const sealed = await settled.seal({ node: chain.node, signer })
    const { paymaster, paymasterAndData = '0x' } = sealed.paymasterFields
    const payer = paymaster ?? slice(paymasterAndData, 0, 20)
    const { userOpHash } = sealed
    await inTransaction(db, async (trx) => {
      await recordSignature(trx, { id: reserved.id, userOpHash, paymaster: payer })
      await logSigned(trx, {
        userOpHash,
        chainId: chain.chainId,
        entryPoint: scheme.entryPoint,
        sender: operation.sender,
        nonce: operation.nonce,
        paymaster: payer,
        projectId: caller.projectId,
        policyId: policy.id,
        maxCost: settled.prefund,
        validUntil: validity.validUntil,
      })
    })
    return sealed
  } catch (error) {
    // No signature has left the server, so there is no cost.
    await withdraw(db, reserved.id)
    throw error
  }
}

type Place = Pick<sponsorOperation.Context, 'chain' | 'caller'> & Pick<Decision, 'policy' | 'scheme'>

function toRequest({
  policy,
  chain,
  caller,
  scheme,
  operation,
}: Place & { operation: checkSponsorship.Parameters['operation'] }) {
  return {
    projectId: caller.projectId,
    policyId: policy.id,
    caller: { key: `${caller.projectId}:${caller.keyId}`, ip: caller.ip },
    chainId: chain.chainId,
    entryPoint: scheme.entryPoint,
    paymaster: scheme.paymaster ?? unknownPaymaster,
    sender: operation.sender,
    nonce: operation.nonce,
  }
}

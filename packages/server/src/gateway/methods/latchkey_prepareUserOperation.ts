import type { GasOverrides, PrepareUserOperationParameters, PrepareUserOperationResult } from 'latchkey-protocol'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, toHex } from 'viem'
import { entryPoint06Address } from 'viem/account-abstraction'
import { z } from 'zod'
import { findPolicy } from '../../store/ledger/policies.ts'
import { logPrepared } from '../../store/operations.ts'
import type { Chain } from '../chains/createChain.ts'
import { readUserOperation } from '../operations/readUserOperation.ts'
import { gasToHex, maxFeePerGas, settleGas } from '../paymasters/gasValues.ts'
import { findScheme, requireEntryPoint } from '../paymasters/schemes.ts'
import { type RpcError, UpstreamError } from '../rpc/RpcError.ts'
import {
  address,
  bytes,
  delegationFactory,
  factoryAddress,
  gasOverrides,
  parseParams,
  parseResult,
  policyIds,
  quantity,
} from '../rpc/values.ts'
import { requestGasAndPaymasterAndData } from './alchemy_requestGasAndPaymasterAndData.ts'

const nonceAbi = parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256 nonce)'])
const uint256Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

const blockSchema = z.object({ baseFeePerGas: quantity })

export const requestSchema = z
  .object({
    entryPoint: address,
    policyId: policyIds.optional(),
    sponsored: z.boolean().optional(),
    userOperation: z.object({
      sender: address,
      callData: bytes,
      initCode: bytes.optional(),
      factory: factoryAddress.optional(),
      factoryData: bytes.optional(),
      nonce: quantity.optional(),
      eip7702Auth: z.object({ address }).loose().optional(),
    }),
    nonceKey: quantity.refine((key) => BigInt(key) < 2n ** 192n, 'must be below 2^192').default('0x0'),
    dummySignature: bytes,
    overrides: gasOverrides.default({}),
  })
  .refine(({ policyId, sponsored }) => policyId === undefined || sponsored !== false, {
    path: ['policyId'],
    message: 'goes without sponsored: false',
  })
type Request = z.output<typeof requestSchema>

export declare namespace prepareUserOperation {
  type Parameters = PrepareUserOperationParameters
  type ReturnType = PrepareUserOperationResult
  type ErrorType = RpcError | UpstreamError
}

/**
 * Serves `latchkey_prepareUserOperation`. Returns nonce, fees, gas and the paymaster's signature for one operation in
 * one request, even for an account's first operation, which deploys it. Refuses the same operations as
 * `alchemy_requestGasAndPaymasterAndData`. Without a policy the account pays: the operation is logged, but nothing is
 * signed or reserved.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, and the errors of {@link requestGasAndPaymasterAndData}.
 */
export async function prepareUserOperation(
  context: requestGasAndPaymasterAndData.Context,
  params: unknown,
): Promise<{ userOperation: Record<string, Hex> }> {
  const [request] = parseParams(z.tuple([requestSchema]), params, 'params')
  const { entryPoint } = request
  const isSponsored = await findPayer(context, request)
  // An entry point without a paymaster is refused before any upstream request.
  if (isSponsored) findScheme(context.chain.schemes, entryPoint)
  else requireEntryPoint(entryPoint)
  const userOperation = await readDraft(context.chain.node, request)
  const { policyId: policy, dummySignature, overrides } = request
  const { eip7702Auth } = request.userOperation
  const delegation = eip7702Auth ? { eip7702Auth } : {}
  const filled = isSponsored
    ? await requestGasAndPaymasterAndData(context, [
        { policyId: policy, entryPoint, userOperation: { ...userOperation, ...delegation }, dummySignature, overrides },
      ])
    : await fillSelfPaid(context, request, userOperation)
  return { userOperation: { ...userOperation, ...filled } }
}

/**
 * Returns whether a policy pays. If that policy later refuses the operation, the call fails: the account does not pay
 * instead.
 */
async function findPayer(
  { db, chain, caller }: requestGasAndPaymasterAndData.Context,
  { sponsored, policyId: policy, entryPoint }: Request,
): Promise<boolean> {
  if (sponsored !== undefined) return sponsored
  if (policy !== undefined) return true
  const hasPaymaster = chain.schemes.some((scheme) => isSame(scheme.entryPoint, entryPoint))
  return hasPaymaster && (await findPolicy(db, caller.projectId, undefined)) !== null
}

async function readDraft(node: Chain['node'], request: Request): Promise<Record<string, Hex>> {
  const { entryPoint, nonceKey, userOperation: given } = request
  const { initCode = '0x', factory, factoryData = '0x', eip7702Auth, ...common } = given
  // The factory `0x7702` creates nothing; it only adds the delegate to the hash.
  const isCreation = initCode !== '0x' || (factory !== undefined && factory !== delegationFactory)
  const [nonce, code] = await Promise.all([
    given.nonce ?? readNonce(node, { entryPoint, sender: given.sender, key: BigInt(nonceKey) }),
    isCreation ? node.call('eth_getCode', [given.sender, 'latest']) : '0x',
  ])
  const isDeployed = isCreation && parseResult(bytes, code, 'a contract’s code') !== '0x'
  const creation06 = { initCode: isDeployed ? '0x' : initCode }
  const creation07 = factory === undefined || isDeployed ? {} : { factory, factoryData }
  const creation = isSame(entryPoint, entryPoint06Address) ? creation06 : creation07
  return { ...common, nonce: toHex(BigInt(nonce)), ...creation } as Record<string, Hex>
}

async function fillSelfPaid(
  { db, chain, caller, operations }: requestGasAndPaymasterAndData.Context,
  { entryPoint, dummySignature, overrides, userOperation }: Request,
  draft: Record<string, Hex>,
): Promise<Record<string, Hex>> {
  const { node, bundler, chainId, priorityFee, run } = chain
  const payer: Record<string, Hex> = isSame(entryPoint, entryPoint06Address) ? { paymasterAndData: '0x' } : {}
  const delegation = userOperation.eip7702Auth ? { eip7702Auth: userOperation.eip7702Auth } : {}
  const request = { ...draft, ...payer, ...delegation, signature: dummySignature }
  const [block, tip] = await Promise.all([node.call('eth_getBlockByNumber', ['latest', false]), priorityFee()])
  const baseFee = BigInt(parseResult(blockSchema, block, 'a block').baseFeePerGas)
  // Sets the fees first, so that the estimate includes the gas of the account's payment to the entry point.
  const fees = { maxFeePerGas: numberToHex(maxFeePerGas(baseFee, tip)), maxPriorityFeePerGas: numberToHex(tip) }
  const estimate = await run.bundler(caller, 1, () =>
    bundler.send('eth_estimateUserOperationGas', [{ ...request, ...fees }, entryPoint]),
  )
  if ('error' in estimate) throw new UpstreamError(estimate.error)
  const gas = gasToHex(settleGas(estimate.result, { baseFee, tip }, overrides as GasOverrides))
  const prepared = readUserOperation(chainId, [{ ...request, ...gas }, entryPoint])
  if (prepared) {
    await operations.begin(chain)
    await logPrepared(db, { ...prepared, projectId: caller.projectId })
  }
  return { ...payer, ...gas }
}

export async function readNonce(
  node: Chain['node'],
  { entryPoint, sender, key }: { entryPoint: string; sender: string; key: bigint },
): Promise<Hex> {
  const data = encodeFunctionData({ abi: nonceAbi, functionName: 'getNonce', args: [sender as Address, key] })
  const result = await node.call('eth_call', [{ to: entryPoint, data }, 'latest'])
  return numberToHex(BigInt(parseResult(uint256Schema, result, 'a nonce')))
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

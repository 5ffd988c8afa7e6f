import type { PrepareUserOperationParameters, PrepareUserOperationResult } from 'latchkey/wire'
import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi, toHex } from 'viem'
import { entryPoint06Address } from 'viem/account-abstraction'
import { z } from 'zod'
import type { Chain } from '../chains/createChain.ts'
import { findScheme } from '../paymasters/schemes.ts'
import type { RpcError, UpstreamError } from '../rpc/RpcError.ts'
import { address, bytes, gasOverrides, parseParams, parseResult, quantity } from '../rpc/values.ts'
import { requestGasAndPaymasterAndData } from './alchemy_requestGasAndPaymasterAndData.ts'

const nonceAbi = parseAbi(['function getNonce(address sender, uint192 key) view returns (uint256 nonce)'])
const uint256Schema = z.string().regex(/^0x[0-9a-fA-F]{64}$/)

const paramsSchema = z.tuple([
  z.object({
    entryPoint: address,
    policyId: z.string().min(1).max(128).optional(),
    userOperation: z.object({
      sender: address,
      callData: bytes,
      initCode: bytes.optional(),
      factory: address.optional(),
      factoryData: bytes.optional(),
      nonce: quantity.optional(),
    }),
    nonceKey: quantity.refine((key) => BigInt(key) < 2n ** 192n, 'must be below 2^192').default('0x0'),
    dummySignature: bytes,
    overrides: gasOverrides.default({}),
  }),
])

export declare namespace prepareUserOperation {
  type Parameters = PrepareUserOperationParameters
  type ReturnType = PrepareUserOperationResult
  type ErrorType = RpcError | UpstreamError
}

/**
 * `latchkey_prepareUserOperation`: nonce, fees, gas and the paymaster's signature for one operation, in one request; the
 * first operation of an account, which makes it, too. What it refuses, `alchemy_requestGasAndPaymasterAndData` says.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, and as {@link requestGasAndPaymasterAndData}.
 */
export async function prepareUserOperation(
  context: requestGasAndPaymasterAndData.Context,
  { node, schemes }: Pick<Chain, 'node' | 'schemes'>,
  params: unknown,
): Promise<{ userOperation: Record<string, Hex> }> {
  const [request] = parseParams(paramsSchema, params, 'params')
  const { nonceKey, userOperation: given, ...rest } = request
  const { entryPoint } = findScheme(schemes, request.entryPoint)
  const { initCode = '0x', factory, factoryData = '0x', ...common } = given
  const isCreation = initCode !== '0x' || factory !== undefined
  const [nonce, code] = await Promise.all([
    given.nonce ?? readNonce(node, { entryPoint, sender: given.sender as Address, key: BigInt(nonceKey) }),
    isCreation ? node.call('eth_getCode', [given.sender, 'latest']) : '0x',
  ])
  const isDeployed = isCreation && parseResult(bytes, code, 'a contract’s code') !== '0x'
  const creation06 = { initCode: isDeployed ? '0x' : initCode }
  const creation07 = factory === undefined || isDeployed ? {} : { factory, factoryData }
  const creation = entryPoint === entryPoint06Address ? creation06 : creation07
  const userOperation = { ...common, nonce: toHex(BigInt(nonce)), ...creation } as Record<string, Hex>
  const filled = await requestGasAndPaymasterAndData(context, [{ ...rest, userOperation }])
  return { userOperation: { ...userOperation, ...filled } }
}

async function readNonce(
  node: Chain['node'],
  { entryPoint, sender, key }: { entryPoint: Address; sender: Address; key: bigint },
): Promise<Hex> {
  const data = encodeFunctionData({ abi: nonceAbi, functionName: 'getNonce', args: [sender, key] })
  const result = await node.call('eth_call', [{ to: entryPoint, data }, 'latest'])
  return numberToHex(BigInt(parseResult(uint256Schema, result, 'a nonce')))
}

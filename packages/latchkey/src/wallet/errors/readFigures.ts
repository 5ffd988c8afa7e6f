import type { RefusalFigure } from 'latchkey-protocol'
import {
  type Address,
  encodeFunctionData,
  formatEther,
  type Hex,
  hexToBigInt,
  hexToNumber,
  numberToHex,
  parseAbi,
  size,
  slice,
} from 'viem'
import type { RpcClient } from '../client/types.ts'
import { hashOperation } from '../entryPoint/hashOperation.ts'
import type { CompleteUserOperation } from '../userOperation/types.ts'
import { type Attempt, readGas } from './readAttempt.ts'
import type { Figures } from './UserOperationRefusedError.ts'

/** Figures of a failure and the sentences that contain them. */
export type Explained = { lines: readonly string[]; figures: Figures }

const abi = parseAbi([
  'function balanceOf(address account) view returns (uint256)',
  'function getNonce(address sender, uint192 key) view returns (uint256)',
])

/** Reads the figures that explain a failure from the operation or the chain. */
export function readFigures(client: RpcClient, attempt: Attempt, name: RefusalFigure): Promise<Explained> {
  return readers[name](client, attempt)
}

type Reader = (client: RpcClient, attempt: Attempt) => Promise<Explained>

const readers: { readonly [name in RefusalFigure]: Reader } = {
  deployment: readDeployment,
  gas: async (_, attempt) => {
    const limit = getGas(attempt)
    return { lines: [`Its gas limits add up to ${limit}.`], figures: { limit } }
  },
  nonce: readNonces,
  prefund: readPrefund,
  size: async (_, { operation }) => {
    const bytes = operation.callData === undefined ? 0 : size(operation.callData)
    return { lines: [`Its call data has ${bytes} bytes.`], figures: { callDataBytes: BigInt(bytes) } }
  },
  time: async (client) => {
    const block = await ask<{ timestamp: Hex }>(client, 'eth_getBlockByNumber', ['latest', false])
    const blockTime = hexToBigInt(block.timestamp)
    const text = new Date(Number(blockTime) * 1000).toISOString()
    return { lines: [`The latest block of the chain is from ${text}.`], figures: { blockTime } }
  },
  verificationGas: (client, attempt) => readGasUse(client, attempt, 'verificationGasLimit'),
  paymasterGas: (client, attempt) => readGasUse(client, attempt, 'paymasterVerificationGasLimit'),
  cost: readCost,
}

/** Checks whether this operation is in a block, by requesting the receipt of its hash. */
export async function wasIncluded(client: RpcClient, attempt: Attempt): Promise<boolean> {
  const { operation, entryPoint, version } = attempt
  if (!version || !operation.callData || operation.maxFeePerGas === undefined) return false
  const chainId = client.chain?.id ?? hexToNumber(await ask<Hex>(client, 'eth_chainId', []))
  const hash = hashOperation(toValues(operation), { version, chainId, entryPointAddress: entryPoint })
  const receipt = await ask<{ userOpHash?: Hex } | null>(client, 'eth_getUserOperationReceipt', [hash])
  return receipt?.userOpHash?.toLowerCase() === hash.toLowerCase()
}

const noCode: Hex = '0x'

async function readDeployment(client: RpcClient, { operation }: Attempt): Promise<Explained> {
  const { sender, initCode } = operation
  const factory = operation.factory ?? (initCode && size(initCode) >= 20 ? slice(initCode, 0, 20) : undefined)
  const [code, factoryCode] = await Promise.all([
    ask<Hex>(client, 'eth_getCode', [sender, 'latest']),
    factory ? ask<Hex>(client, 'eth_getCode', [factory, 'latest']) : noCode,
  ])
  const isThere = code === '0x' ? 'not deployed' : 'deployed'
  const isFactory = factoryCode === '0x' ? 'there is no contract at' : 'it is deployed by'
  const how = factory ? `${isFactory} its factory ${factory}` : 'the operation names no factory'
  return {
    lines: [`The account ${sender} is ${isThere} on this chain; ${how}.`],
    figures: { accountCodeBytes: BigInt(size(code)), factoryCodeBytes: BigInt(size(factoryCode)) },
  }
}

/**
 * Number of bits of the nonce's sequence, which is the lower part of the nonce. The upper part is the key (ERC-4337 §
 * Semi-abstracted Nonce).
 */
const sequenceBits = 64n

async function readNonces(client: RpcClient, { operation, entryPoint }: Attempt): Promise<Explained> {
  const nonce = readGas(operation.nonce)
  const args = [operation.sender, nonce >> sequenceBits] as const
  const data = encodeFunctionData({ abi, functionName: 'getNonce', args })
  const next = hexToBigInt(await ask<Hex>(client, 'eth_call', [{ to: entryPoint, data }, 'latest']))
  const which = nonce < next ? 'It was used already.' : 'Operations before it are missing.'
  return {
    lines: [
      `The operation has nonce ${nonce}, and the next one of the account is ${next}. ${nonce === next ? '' : which}`.trim(),
    ],
    figures: { nonce, nextNonce: next },
  }
}

async function readPrefund(client: RpcClient, attempt: Attempt): Promise<Explained> {
  const { operation, entryPoint } = attempt
  const paymaster = readPaymaster(attempt)
  const payer = paymaster ?? operation.sender
  const data = encodeFunctionData({ abi, functionName: 'balanceOf', args: [payer] })
  const [deposit, held] = await Promise.all([
    ask<Hex>(client, 'eth_call', [{ to: entryPoint, data }, 'latest']).then(hexToBigInt),
    // A paymaster can pay only from its deposit.
    paymaster ? 0n : ask<Hex>(client, 'eth_getBalance', [payer, 'latest']).then(hexToBigInt),
  ])
  // If the bundler refused the gas estimate, the operation has no limits yet.
  const limits = getGas(attempt) > 0n || paymaster ? {} : await estimateFunded(client, attempt)
  const prefund = getGas({ ...attempt, operation: { ...operation, ...limits } }) * readGas(operation.maxFeePerGas)
  const symbol = client.chain?.nativeCurrency?.symbol ?? 'ETH'
  const amount = (wei: bigint) => `${formatEther(wei)} ${symbol}`
  const need = prefund > 0n ? ` The operation needs up to ${amount(prefund)}.` : ''
  const has = paymaster ? amount(deposit) : `${amount(held)} and ${amount(deposit)} at the entry point`
  return {
    lines: [`The ${paymaster ? 'paymaster' : 'account'} ${payer} has ${has}.${need}`],
    figures: { ...(paymaster ? {} : { balance: held }), deposit, prefund },
  }
}

async function readGasUse(
  client: RpcClient,
  attempt: Attempt,
  field: 'verificationGasLimit' | 'paymasterVerificationGasLimit',
): Promise<Explained> {
  const limit = readGas(attempt.operation[field])
  const estimate = await estimateAgain(client, attempt)
  const needed = estimate[field] === undefined ? undefined : BigInt(estimate[field])
  const need = needed === undefined ? '' : ` It is estimated to need ${needed}.`
  return {
    lines: [`\`${field}\` is ${limit}.${need}`],
    figures: { limit, ...(needed === undefined ? {} : { needed }) },
  }
}

async function readCost(client: RpcClient, attempt: Attempt): Promise<Explained> {
  const limit = getGas(attempt)
  const { callGasLimit, verificationGasLimit, preVerificationGas } = await estimateAgain(client, attempt)
  const parts = [callGasLimit, verificationGasLimit, preVerificationGas]
  const needed = parts.every((part) => part !== undefined)
    ? parts.reduce((sum, part) => sum + BigInt(part ?? 0), 0n)
    : undefined
  const need = needed === undefined ? '' : ` It is estimated to need ${needed}.`
  return {
    lines: [`Its gas limits add up to ${limit}.${need}`],
    figures: { limit, ...(needed === undefined ? {} : { needed }) },
  }
}

/** Estimates the operation's gas again. Returns an empty object if the estimate fails. */
async function estimateAgain(
  client: RpcClient,
  { operation, entryPoint }: Attempt,
): Promise<{ [field: string]: Hex | undefined }> {
  const limits = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'paymasterVerificationGasLimit']
  const open = Object.fromEntries(Object.entries(operation).filter(([field]) => !limits.includes(field)))
  try {
    return await ask(client, 'eth_estimateUserOperationGas', [open, entryPoint])
  } catch {
    return {}
  }
}

/** Balance that exceeds the cost of any operation. */
const plentyWei = 2n ** 96n

/** Estimates the gas with a state override that funds the account. Returns an empty object if the estimate fails. */
async function estimateFunded(client: RpcClient, { operation, entryPoint }: Attempt): Promise<Record<string, Hex>> {
  const funded = { [operation.sender]: { balance: numberToHex(plentyWei) } }
  return ask<Record<string, Hex>>(client, 'eth_estimateUserOperationGas', [operation, entryPoint, funded]).then(
    ({ callGasLimit, verificationGasLimit, preVerificationGas }) =>
      callGasLimit && verificationGasLimit && preVerificationGas
        ? { callGasLimit, verificationGasLimit, preVerificationGas }
        : {},
    () => ({}),
  )
}

/** Returns the total gas for which the EntryPoint requires the prefund. */
function getGas({ operation, version }: Attempt): bigint {
  const { callGasLimit, verificationGasLimit, preVerificationGas, paymasterAndData = '0x' } = operation
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit } = operation
  const times = version === '0.6.0' && paymasterAndData !== '0x' ? 3n : 1n
  const paymaster = readGas(paymasterVerificationGasLimit) + readGas(paymasterPostOpGasLimit)
  return readGas(callGasLimit) + readGas(verificationGasLimit) * times + readGas(preVerificationGas) + paymaster
}

function readPaymaster({ operation }: Attempt): Address | undefined {
  const { paymaster, paymasterAndData = '0x' } = operation
  return paymaster ?? (size(paymasterAndData) >= 20 ? slice(paymasterAndData, 0, 20) : undefined)
}

const quantities = [
  'nonce',
  'callGasLimit',
  'verificationGasLimit',
  'preVerificationGas',
  'maxFeePerGas',
  'maxPriorityFeePerGas',
  'paymasterVerificationGasLimit',
  'paymasterPostOpGasLimit',
] as const

function toValues(operation: Attempt['operation']): CompleteUserOperation {
  const known = quantities.filter((field) => operation[field] !== undefined)
  return {
    ...operation,
    ...Object.fromEntries(known.map((field) => [field, readGas(operation[field])])),
  } as unknown as CompleteUserOperation
}

function ask<result>(client: RpcClient, method: string, params: readonly unknown[]): Promise<result> {
  // viem's type accepts only known methods, without those of bundlers.
  const request = client.request as unknown as (call: { method: string; params: readonly unknown[] }) => Promise<result>
  return request({ method, params })
}

import {
  type Address,
  decodeFunctionResult,
  encodeEventTopics,
  encodeFunctionData,
  type Hex,
  hexToBigInt,
  numberToHex,
  parseAbi,
  parseEventLogs,
  type RpcLog,
  size,
  slice,
} from 'viem'
import { toPackedUserOperation } from 'viem/account-abstraction'
import { entryPointAbi, entryPointReadsAbi } from '../../accounts/entryPoint.ts'
import type { ActionContext } from '../client/actions/context.ts'
import { readHex, readObject, readQuantity, rpc } from '../rpc.ts'
import type { UserOperationRequest } from '../userOperation/types.ts'
import { toValues } from './records.ts'
import { toIncluded } from './settleRecord.ts'
import type { OperationRecord } from './types.ts'

// Reads the outcome of an operation from the node, because bundlers are not trusted.

type Context = Omit<ActionContext, 'stack'>

/** Number of following blocks after which a block counts as confirmed. */
const defaultConfirmations = 3
const action = 'Could not read the outcome of the operation.'

/**
 * Returns the outcome of a signed operation if the chain proves one: the operation is in a block, another operation
 * used its nonce, or its paymaster no longer accepts it. The last two count once their block is confirmed. Returns
 * undefined while the outcome is uncertain.
 */
export async function findOutcome(
  context: Context,
  record: OperationRecord,
): Promise<Partial<OperationRecord> | undefined> {
  const { request, hash } = record
  if (!request || !hash) return undefined
  const { outboxConfirmations: confirmations = defaultConfirmations } = context.options
  const latest = await readBlock(context, 'latest')
  const confirmed = latest.number - BigInt(confirmations)
  const nonce = BigInt(request.nonce)
  if ((await readNextNonce(context, nonce, latest.number)) > nonce) {
    const used = await findUse(context, record, nonce, latest.number)
    if (!used) return undefined
    if (used.hash.toLowerCase() === hash.toLowerCase()) return toIncluded(used)
    if (used.blockNumber > confirmed) return undefined
    const { hash: by, transactionHash, blockNumber } = used
    return { state: 'failed', evidence: { kind: 'nonceUsed', by, transactionHash, blockNumber } }
  }
  return confirmed < 0n ? undefined : findExpiry(context, request, hash, confirmed)
}

/**
 * Returns a failure if the paymaster's deadline has passed in a confirmed block: with an unused nonce, the operation
 * can no longer be included.
 */
async function findExpiry(
  context: Context,
  request: UserOperationRequest,
  hash: Hex,
  confirmed: bigint,
): Promise<Partial<OperationRecord> | undefined> {
  const paymaster = readPaymaster(request)
  if (!paymaster) return undefined
  const [validUntil, block] = await Promise.all([
    readValidUntil(context, request, { hash, paymaster, blockNumber: confirmed }),
    readBlock(context, numberToHex(confirmed)),
  ])
  if (validUntil === 0n || block.timestamp <= validUntil) return undefined
  const { number: blockNumber, timestamp: blockTimestamp } = block
  return {
    state: 'failed',
    evidence: { kind: 'paymasterExpired', paymaster, validUntil, blockNumber, blockTimestamp },
  }
}

async function readBlock({ client }: Context, block: Hex | 'latest') {
  const found = readObject(
    await rpc(client, { method: 'eth_getBlockByNumber', params: [block, false], action }),
    action,
  )
  return { number: readQuantity(found.number, action), timestamp: readQuantity(found.timestamp, action) }
}

async function call({ client }: Context, transaction: object, blockNumber: bigint): Promise<Hex> {
  const params = [transaction, numberToHex(blockNumber)]
  return readHex(await rpc(client, { method: 'eth_call', params, action }), action)
}

async function readNextNonce(context: Context, nonce: bigint, blockNumber: bigint): Promise<bigint> {
  const { account } = context
  const read = { abi: entryPointReadsAbi, functionName: 'getNonce' } as const
  const data = encodeFunctionData({ ...read, args: [account.address, nonce >> 64n] })
  return decodeFunctionResult({
    ...read,
    data: await call(context, { to: account.entryPoint.address, data }, blockNumber),
  })
}

/** Block range that nodes allow in a log request. */
const spanBlocks = 2_000n
const maxSpans = 25

/** Finds the account's operation that used a nonce. Searches the EntryPoint's events, latest blocks first. */
async function findUse(context: Context, { createdAtMs }: OperationRecord, nonce: bigint, latest: bigint) {
  const { account, client } = context
  const blockMs = client.chain.blockTime ?? 1000
  const since = BigInt(Math.ceil(Math.max(0, Date.now() - createdAtMs) / blockMs)) + 100n
  const first = latest > since ? latest - since : 0n
  const topics = encodeEventTopics({
    abi: entryPointAbi,
    eventName: 'UserOperationEvent',
    args: { sender: account.address },
  })
  for (let to = latest, span = 0; to >= first && span < maxSpans; to -= spanBlocks, span++) {
    const from = to - spanBlocks + 1n > first ? to - spanBlocks + 1n : first
    const filter = {
      address: account.entryPoint.address,
      topics,
      fromBlock: numberToHex(from),
      toBlock: numberToHex(to),
    }
    const reply = await rpc(client, { method: 'eth_getLogs', params: [filter], action })
    const logs = parseEventLogs({ abi: entryPointAbi, logs: Array.isArray(reply) ? (reply as RpcLog[]) : [] })
    for (const { eventName, args, transactionHash, blockNumber } of logs) {
      if (eventName !== 'UserOperationEvent' || args.nonce !== nonce) continue
      if (args.sender.toLowerCase() !== account.address.toLowerCase() || !transactionHash || blockNumber === null)
        continue
      return { hash: args.userOpHash, transactionHash, blockNumber, success: args.success }
    }
  }
  return undefined
}

function readPaymaster({ paymaster, paymasterAndData = '0x' }: UserOperationRequest): Address | undefined {
  return paymaster ?? (size(paymasterAndData) >= 20 ? slice(paymasterAndData, 0, 20) : undefined)
}

const paymaster06Abi = /* @__PURE__ */ parseAbi([
  'struct UserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; uint256 callGasLimit; uint256 verificationGasLimit; uint256 preVerificationGas; uint256 maxFeePerGas; uint256 maxPriorityFeePerGas; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(UserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
])
const paymaster07Abi = /* @__PURE__ */ parseAbi([
  'struct PackedUserOperation { address sender; uint256 nonce; bytes initCode; bytes callData; bytes32 accountGasLimits; uint256 preVerificationGas; bytes32 gasFees; bytes paymasterAndData; bytes signature; }',
  'function validatePaymasterUserOp(PackedUserOperation userOp, bytes32 userOpHash, uint256 maxCost) returns (bytes context, uint256 validationData)',
])

/**
 * Reads a paymaster's deadline for an operation by calling the contract like the EntryPoint. `validationData` consists
 * of authorizer (160 bits), validUntil (48) and validAfter (48) (ERC-4337). Returns 0 if there is no deadline.
 */
async function readValidUntil(
  context: Context,
  request: UserOperationRequest,
  { hash, paymaster, blockNumber }: { hash: Hex; paymaster: Address; blockNumber: bigint },
): Promise<bigint> {
  const { account } = context
  const functionName = 'validatePaymasterUserOp'
  const values = toValues(request)
  const data =
    account.entryPointVersion === '0.6.0'
      ? encodeFunctionData({ abi: paymaster06Abi, functionName, args: [toStruct06(values), hash, 0n] })
      : encodeFunctionData({
          abi: paymaster07Abi,
          functionName,
          args: [toPackedUserOperation(toFields07(values)), hash, 0n],
        })
  const reply = await call(context, { from: account.entryPoint.address, to: paymaster, data }, blockNumber)
  const [, validationData] = decodeFunctionResult({ abi: paymaster07Abi, functionName, data: reply })
  return hexToBigInt(slice(numberToHex(validationData, { size: 32 }), 6, 12))
}

function toFields07({ initCode: _, paymasterAndData: __, ...fields }: ReturnType<typeof toValues>) {
  return fields
}

function toStruct06(values: ReturnType<typeof toValues>) {
  const { initCode = '0x', paymasterAndData = '0x' } = values
  return { ...values, initCode, paymasterAndData }
}

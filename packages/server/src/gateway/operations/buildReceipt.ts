import type { UserOperationReceipt } from 'latchkey-protocol'
import { decodeAbiParameters, getAddress, type Hex, numberToHex, toEventSelector, zeroAddress } from 'viem'
import { z } from 'zod'
import type { Operation } from '../../store/operations.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import { address, bytes, parseResult, quantity } from '../rpc/values.ts'

const eventTopics = {
  userOperation: toEventSelector('UserOperationEvent(bytes32,address,address,uint256,bool,uint256,uint256)'),
  beforeExecution: toEventSelector('BeforeExecution()'),
  revertReason: toEventSelector('UserOperationRevertReason(bytes32,address,uint256,bytes)'),
  // Emitted by the EntryPoint 0.7 for the paymaster.
  postOpRevertReason: toEventSelector('PostOpRevertReason(bytes32,address,uint256,bytes)'),
}
const receiptSchema = z.looseObject({
  blockHash: bytes,
  logs: z.array(z.looseObject({ address, topics: z.array(bytes), data: bytes, logIndex: quantity })),
})
type Log = z.output<typeof receiptSchema>['logs'][number]

/**
 * Builds the ERC-7769 receipt of an included operation from its transaction, without a bundler. Returns undefined if
 * the node no longer has that transaction in that block.
 */
export async function buildReceipt(node: Upstream, operation: Operation): Promise<UserOperationReceipt | undefined> {
  const { transaction_hash, block_hash, log_index } = operation
  const found = await node.call('eth_getTransactionReceipt', [transaction_hash])
  const parsed = receiptSchema.nullable()
  const receipt = parseResult(parsed, found, 'a transaction receipt')
  if (receipt?.blockHash.toLowerCase() !== block_hash) return undefined
  const index = receipt.logs.findIndex(({ logIndex }) => Number(logIndex) === log_index)
  const logs = receipt.logs.slice(firstLog(receipt.logs, operation.entry_point, index), Math.max(index, 0))
  const { revertReason, postOpRevertReason } = eventTopics
  const reverted = logs.find(({ topics: [name] }) => name === revertReason || name === postOpRevertReason)
  return {
    userOpHash: operation.user_op_hash as Hex,
    entryPoint: getAddress(operation.entry_point),
    sender: getAddress(operation.sender),
    nonce: numberToHex(BigInt(operation.nonce)),
    paymaster: operation.paymaster ? getAddress(operation.paymaster) : zeroAddress,
    actualGasCost: numberToHex(BigInt(operation.actual_gas_cost ?? 0)),
    actualGasUsed: numberToHex(BigInt(operation.actual_gas_used ?? 0)),
    success: operation.success ?? false,
    ...(reverted ? { reason: readReason(reverted) } : {}),
    logs,
    receipt,
  }
}

function readReason({ data }: Log): Hex {
  return decodeAbiParameters([{ type: 'uint256' }, { type: 'bytes' }], data as Hex)[1]
}

/**
 * Returns the index of an operation's first log. It follows the event of the previous operation or, for the first
 * operation, the validations.
 */
function firstLog(logs: readonly Log[], entryPoint: string, index: number): number {
  const isBorder = ({ address: emitter, topics }: Log) =>
    emitter.toLowerCase() === entryPoint &&
    (topics[0] === eventTopics.userOperation || topics[0] === eventTopics.beforeExecution)
  const borders = logs.slice(0, Math.max(index, 0)).map((log, place) => (isBorder(log) ? place : -1))
  return Math.max(-1, ...borders) + 1
}

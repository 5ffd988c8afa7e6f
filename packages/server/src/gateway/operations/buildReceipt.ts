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
  // Of the paymaster, in EntryPoint 0.7.
  postOpRevertReason: toEventSelector('PostOpRevertReason(bytes32,address,uint256,bytes)'),
}
const receiptSchema = z.looseObject({
  blockHash: bytes,
  logs: z.array(z.looseObject({ address, topics: z.array(bytes), data: bytes, logIndex: quantity })),
})
type Log = z.output<typeof receiptSchema>['logs'][number]

/**
 * The receipt of an included operation as ERC-7769 has it, from its transaction: no bundler needs to know it. Undefined
 * when the node has no such transaction in that block any more.
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

/** The logs of an operation come after the event of the one before it, or after the validation of all. */
function firstLog(logs: readonly Log[], entryPoint: string, index: number): number {
  const isBorder = ({ address: emitter, topics }: Log) =>
    emitter.toLowerCase() === entryPoint &&
    (topics[0] === eventTopics.userOperation || topics[0] === eventTopics.beforeExecution)
  const borders = logs.slice(0, Math.max(index, 0)).map((log, place) => (isBorder(log) ? place : -1))
  return Math.max(-1, ...borders) + 1
}

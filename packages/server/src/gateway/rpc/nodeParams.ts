import { z } from 'zod'
import { bounds } from '../gatewayLimits.ts'
import { address, bytes, hexText, quantity } from './values.ts'

/*
 * Schemas of the node's and the bundler's parameters (execution APIs, ERC-7769). Invalid parameters are refused before
 * they are forwarded: a node may read a number of any length, or spend as much gas as a call specifies.
 */

/** 64 bits: block numbers, indexes, gas, nonces. */
export const uint64 = hexText(/^0x[0-9a-fA-F]{1,16}$/, 'must be a quantity of at most 64 bits in hex')

export const hash = hexText(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')

export const tag = z.enum(['latest', 'pending', 'earliest', 'safe', 'finalized'])

export const blockNumber = z.union([tag, uint64], 'must be a block number in hex or a tag such as latest')

/** EIP-1898. */
export const block = z.union(
  [
    tag,
    uint64,
    z.strictObject({ blockHash: hash, requireCanonical: z.boolean().optional() }),
    z.strictObject({ blockNumber: uint64 }),
  ],
  'must be a block number in hex, a tag such as latest, or { blockHash }',
)

const accessList = z.array(z.strictObject({ address, storageKeys: z.array(hash) })).max(bounds.accessListEntries)

const authorization = z.strictObject({
  address,
  chainId: quantity,
  nonce: uint64,
  r: quantity,
  s: quantity,
  yParity: uint64.optional(),
  v: uint64.optional(),
})

/** A simulated transaction. */
export const call = z.strictObject({
  from: address.nullish(),
  to: address.nullish(),
  gas: uint64.nullish(),
  gasPrice: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  value: quantity.nullish(),
  data: bytes.nullish(),
  input: bytes.nullish(),
  nonce: uint64.nullish(),
  chainId: uint64.nullish(),
  type: uint64.nullish(),
  accessList: accessList.nullish(),
  authorizationList: z.array(authorization).max(bounds.authorizations).nullish(),
  maxFeePerBlobGas: quantity.nullish(),
  blobVersionedHashes: z.array(hash).max(bounds.authorizations).nullish(),
})

const storage = z.record(hash, hash)

export const stateOverrides = z
  .record(
    address,
    z.strictObject({
      balance: quantity.optional(),
      nonce: uint64.optional(),
      code: bytes.optional(),
      state: storage.optional(),
      stateDiff: storage.optional(),
      movePrecompileToAddress: address.optional(),
    }),
  )
  .refine(
    (accounts) => Object.keys(accounts).length <= bounds.overrideAccounts,
    `must name at most ${bounds.overrideAccounts} accounts`,
  )

export const blockOverrides = z.strictObject({
  number: uint64.optional(),
  time: uint64.optional(),
  gasLimit: uint64.optional(),
  baseFeePerGas: quantity.optional(),
  blobBaseFee: quantity.optional(),
  difficulty: quantity.optional(),
  feeRecipient: address.optional(),
  coinbase: address.optional(),
  prevRandao: quantity.optional(),
  random: quantity.optional(),
})

export const simulation = z
  .strictObject({
    blockStateCalls: z
      .array(
        z.strictObject({
          blockOverrides: blockOverrides.optional(),
          stateOverrides: stateOverrides.optional(),
          calls: z.array(call).default([]),
        }),
      )
      .min(1)
      .max(bounds.simulatedBlocks),
    traceTransfers: z.boolean().optional(),
    validation: z.boolean().optional(),
    returnFullTransactions: z.boolean().optional(),
  })
  .refine(
    ({ blockStateCalls }) => blockStateCalls.flatMap(({ calls }) => calls).length <= bounds.simulatedCalls,
    `must hold at most ${bounds.simulatedCalls} calls`,
  )

const topic = z.union(
  [hash, z.null(), z.array(hash.nullable()).max(bounds.logTopics)],
  'must be 32 bytes in hex, or a list',
)

export const logFilter = z
  .strictObject({
    fromBlock: blockNumber.nullish(),
    toBlock: blockNumber.nullish(),
    blockHash: hash.nullish(),
    address: z
      .union([address, z.array(address).max(bounds.logAddresses)], 'must be an address, or a list of them')
      .nullish(),
    topics: z.array(topic).max(4).nullish(),
  })
  .refine(
    ({ blockHash, fromBlock, toBlock }) => !blockHash || (!fromBlock && !toBlock),
    'blockHash goes without fromBlock and toBlock',
  )

export const feeHistoryCount = uint64.refine(
  (count) => BigInt(count) <= bounds.feeHistoryBlocks,
  `must be at most ${bounds.feeHistoryBlocks} blocks`,
)

export const percentiles = z.array(z.number().min(0).max(100)).max(bounds.feeHistoryPercentiles)

/** An operation of either entry point, complete or partial. The bundler checks the required fields. */
export const userOperation = z.looseObject({
  sender: address,
  nonce: quantity,
  callData: bytes,
  signature: bytes.nullish(),
  initCode: bytes.nullish(),
  // EIP-7702 uses a marker here that is shorter than an address.
  factory: bytes.nullish(),
  factoryData: bytes.nullish(),
  paymasterAndData: bytes.nullish(),
  paymaster: bytes.nullish(),
  paymasterData: bytes.nullish(),
  callGasLimit: quantity.nullish(),
  verificationGasLimit: quantity.nullish(),
  preVerificationGas: quantity.nullish(),
  maxFeePerGas: quantity.nullish(),
  maxPriorityFeePerGas: quantity.nullish(),
  paymasterVerificationGasLimit: quantity.nullish(),
  paymasterPostOpGasLimit: quantity.nullish(),
})

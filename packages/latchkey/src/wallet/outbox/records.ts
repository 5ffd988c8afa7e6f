import type { Address, Hex } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OutboxPort, OutboxRecord } from '../../core/outbox/OutboxPort.ts'
import type { ActionContext } from '../client/actions/context.ts'
import { hashOperation } from '../entryPoint/hashOperation.ts'
import type { CompleteUserOperation, UserOperationRequest } from '../userOperation/types.ts'
import type { OperationRecord, OperationState } from './types.ts'

// Operation records of one account on one chain.

type Owned = Pick<ActionContext, 'account'> & { client: Pick<ActionContext['client'], 'chain'> }

const endedStates: readonly OperationState[] = ['included', 'notSent', 'failed']
const pendingStates: readonly OperationState[] = ['signed', 'sent']
const states: readonly OperationState[] = [...endedStates, ...pendingStates, 'preparing', 'refused']

export const isEnded = ({ state }: OperationRecord): boolean => endedStates.includes(state)
/** Checks whether a record is signed and its outcome is unknown, so that it must be resent. */
export const isPending = ({ state }: OperationRecord): boolean => pendingStates.includes(state)

export function getOwner({ account, client }: Owned): string {
  return toOwner(client.chain.id, account.address)
}

export const toOwner = (chainId: number | string, account: Address): string => `${chainId}:${account.toLowerCase()}`

/** Returns the name of the lock that a tab holds while it prepares, signs and sends the operation. */
export const recordLock = (id: string): string => `latchkey:operation:${id}`

/** Returns the name of a nonce key's lock, which lets one operation at a time use the next nonce. */
export function laneLock(context: Owned, nonceKey: bigint): string {
  return `latchkey:lane:${getOwner(context)}:${context.account.entryPoint.address.toLowerCase()}:${nonceKey}`
}

/** Reads an account's records, oldest first. Skips invalid records. */
export async function readRecords(store: OutboxPort, context: Owned): Promise<OperationRecord[]> {
  const all = (await store.list(getOwner(context))).filter(isOperationRecord)
  return all.sort((left, right) => left.createdAtMs - right.createdAtMs)
}

/** Changes a record unless it has a final state. */
export async function changeRecord(
  store: OutboxPort,
  { owner, id }: Pick<OperationRecord, 'owner' | 'id'>,
  change: Partial<OperationRecord>,
): Promise<OperationRecord | undefined> {
  const kept = await store.update(owner, id, (known) =>
    isOperationRecord(known) && !isEnded(known) ? { ...known, ...change, changedAtMs: Date.now() } : undefined,
  )
  return kept && isOperationRecord(kept) ? kept : undefined
}

export function hashRequest({ account, client }: Owned, request: UserOperationRequest): Hex {
  const place = {
    version: account.entryPointVersion,
    chainId: client.chain.id,
    entryPointAddress: account.entryPoint.address,
  }
  return hashOperation(toValues(request), place)
}

/** Converts an operation from JSON-RPC form to native values, with quantities as bigints. */
export function toValues(request: UserOperationRequest): CompleteUserOperation {
  const { paymasterVerificationGasLimit, paymasterPostOpGasLimit, ...rest } = request
  return {
    ...rest,
    nonce: BigInt(rest.nonce),
    callGasLimit: BigInt(rest.callGasLimit ?? 0),
    verificationGasLimit: BigInt(rest.verificationGasLimit ?? 0),
    preVerificationGas: BigInt(rest.preVerificationGas ?? 0),
    maxFeePerGas: BigInt(rest.maxFeePerGas ?? 0),
    maxPriorityFeePerGas: BigInt(rest.maxPriorityFeePerGas ?? 0),
    ...(paymasterVerificationGasLimit && { paymasterVerificationGasLimit: BigInt(paymasterVerificationGasLimit) }),
    ...(paymasterPostOpGasLimit && { paymasterPostOpGasLimit: BigInt(paymasterPostOpGasLimit) }),
  }
}

/**
 * Validates a stored record, which may have another version, be truncated, or be written by another script of the page.
 */
export function isOperationRecord(record: OutboxRecord): record is OperationRecord {
  const { version, id, state, chainId, account, uo, nonceKey, createdAtMs }: Partial<OperationRecord> = record
  return (
    version === 1 &&
    typeof id === 'string' &&
    isState(state) &&
    typeof chainId === 'number' &&
    isHex(account) &&
    (typeof uo === 'string' || isObject(uo)) &&
    typeof nonceKey === 'bigint' &&
    Number.isFinite(createdAtMs) &&
    (state === 'preparing' || state === 'notSent' || isSigned(record)) &&
    isEnd(record)
  )
}

const isState = (value: unknown): value is OperationState => states.some((state) => state === value)
const isHex = (value: unknown): value is Hex => typeof value === 'string' && /^0x[\da-f]*$/i.test(value)
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
const isAbsentOr = (value: unknown, is: (value: unknown) => boolean): boolean => value === undefined || is(value)

function isSigned({ request, hash }: Partial<OperationRecord>): boolean {
  if (!isHex(hash) || !isObject(request)) return false
  return isQuantity(request.nonce) && isHex(request.sender) && Object.values(request).every(isFieldValue)
}

const isQuantity = (value: unknown): boolean => isHex(value) && value.length > 2
const isFieldValue = (value: unknown): boolean => isAbsentOr(value ?? undefined, isHex)

function isEnd({ reason, transactionHash, blockNumber, evidence }: Partial<OperationRecord>): boolean {
  const isText = isAbsentOr(reason, (value) => typeof value === 'string')
  const isBlock = isAbsentOr(transactionHash, isHex) && isAbsentOr(blockNumber, (value) => typeof value === 'bigint')
  return isText && isBlock && isAbsentOr(evidence, isObject)
}

export function noOutbox(): BaseError {
  return new BaseError('This client stores no operations.', {
    code: 'OUTBOX_UNAVAILABLE',
    metaMessages: ['Pass `outbox`, or remove `outbox: false` from `createConfig`.'],
  })
}

import { requireUint } from '../../core/arguments.ts'
import { BaseError } from '../../core/errors/BaseError.ts'
import { requireEntityId } from './encoding.ts'

/** Validation function of a Modular Account v2 that verifies an operation. */
export type NonceEntity = { entityId: number; isGlobalValidation: boolean }

const options = { global: 1n, deferredAction: 2n } as const

/**
 * Encodes the EntryPoint's nonce key of a Modular Account v2: the app's own key (152 bits), the entity id (32) and the
 * options (8). Operations with different keys do not wait for one another.
 *
 * @throws `ARGUMENT_INVALID`.
 */
export function encodeNonceKey(
  key: bigint,
  { entityId, isGlobalValidation, hasDeferredAction }: NonceEntity & { hasDeferredAction: boolean },
): bigint {
  const entity = requireEntityId(entityId)
  const flags = (isGlobalValidation ? options.global : 0n) | (hasDeferredAction ? options.deferredAction : 0n)
  return (requireUint('The nonce key', key, 152) << 40n) | (entity << 8n) | flags
}

/** Returns the app's own key in the EntryPoint's nonce key. */
export const decodeNonceKey = (encoded: bigint): bigint => encoded >> 40n

/** Checks whether an operation with this nonce carries a deferred action. */
export const hasDeferredAction = (nonce: bigint): boolean => ((nonce >> 64n) & options.deferredAction) !== 0n

/**
 * Checks whether a deferred action can still be executed. Each action is bound to one nonce.
 *
 * @throws `ARGUMENT_INVALID` if operations with lower nonces of the same key are missing.
 */
export function isDeferredActionOpen(nonce: bigint, next: bigint): boolean {
  if (nonce <= next) return nonce === next
  throw new BaseError('The deferred action cannot be used yet.', {
    code: 'ARGUMENT_INVALID',
    metaMessages: [`Its nonce: ${nonce}`, `Next nonce of its key: ${next}`, 'Sign it for the next nonce.'],
  })
}

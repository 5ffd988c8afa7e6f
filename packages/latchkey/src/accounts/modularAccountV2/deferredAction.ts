import { type Address, concat, type Hex, numberToHex, size, type TypedDataDefinition } from 'viem'
import { requireBytes, requireUint } from '../../core/arguments.ts'

/** Change of an account that the owner signs in advance. An operation of another signer carries and executes it. */
export type DeferredAction = {
  /** Nonce of the operation that carries the action. Each action is valid for one nonce. */
  nonce: bigint
  /** Deadline in seconds since the epoch; 0 for none. */
  deadline: number
  /** Call data for the account, such as that of `installValidation`. */
  call: Hex
  /** Signature of {@link toDeferredActionTypedData}, by the owner's account. */
  signature: Hex
}

export declare namespace toDeferredActionTypedData {
  type Parameters = Omit<DeferredAction, 'signature'> & { account: Address; chainId: number }
  type ReturnType = TypedDataDefinition
}

/**
 * Returns the typed data of a deferred action, which the owner's account signs with `signTypedData`.
 *
 * @throws `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { toDeferredActionTypedData } from 'latchkey/accounts'
 * import { account, chain } from './config.ts'
 *
 * const nonce = await account.getNonce()
 * const action = { nonce, deadline: 0, call: '0x30009d52' } as const
 * const typedData = toDeferredActionTypedData({ ...action, account: account.address, chainId: chain.id })
 * console.log(typedData.primaryType)
 * ```
 */
export function toDeferredActionTypedData(
  parameters: toDeferredActionTypedData.Parameters,
): toDeferredActionTypedData.ReturnType {
  const { account, chainId, nonce, deadline, call } = parameters
  return {
    domain: { chainId, verifyingContract: account },
    types: {
      DeferredAction: [
        { name: 'nonce', type: 'uint256' },
        { name: 'deadline', type: 'uint48' },
        { name: 'call', type: 'bytes' },
      ],
    },
    primaryType: 'DeferredAction',
    message: { nonce, deadline: Number(requireUint('The deadline', BigInt(deadline), 48)), call },
  }
}

/** Encodes a deferred action of the account's owner for an operation's signature. */
export function encodeDeferredAction({ deadline, call, signature }: DeferredAction): Hex {
  const action = concat([ownerLocator, numberToHex(deadline, { size: 6 }), requireBytes('The deferred call', call)])
  return concat([toLength(action), action, toLength(signature), signature])
}

/** Validation function that verifies the action: the owner's (entity 0), with the global flag. */
const ownerLocator: Hex = `0x${'00'.repeat(20)}01`

const toLength = (data: Hex) => numberToHex(size(data), { size: 4 })

import { type Address, concat, getContractAddress, type Hex, keccak256, slice } from 'viem'
import type { AccountContract } from '../contract.ts'
import { encodeLightCalls } from './encodeLightCalls.ts'
import { minimalProxyCode } from './minimalProxyCode.ts'

/** What LightAccount v2.x with one owner and with several have in common. */
export const v2: Pick<AccountContract, 'entryPointVersion' | 'encodeCalls'> = {
  entryPointVersion: '0.7.0',
  encodeCalls: encodeLightCalls,
}

/**
 * Address a v2.x factory gives. It deploys a minimal ERC-1967 proxy: the owners are part of the salt, not of the init
 * code. The salt is the hash of the factory call's arguments.
 */
export function predictV2Address(parameters: { factory: Address; implementation: Address; createCall: Hex }): Address {
  const { factory, implementation, createCall } = parameters
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: keccak256(slice(createCall, 4)),
    bytecode: minimalProxyCode(implementation),
  })
}

/** A v2.x signature starts with a byte that says whose it is: a key's, or a contract's in the given form. */
export function markSigner(contractMark: (signer: Address) => Hex): AccountContract['wrapSignature'] {
  return (signature, { address, isContract }) => concat([isContract ? contractMark(address) : '0x00', signature])
}

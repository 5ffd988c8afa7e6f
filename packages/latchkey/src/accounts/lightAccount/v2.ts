import { type Address, concat, getContractAddress, type Hex, keccak256, slice } from 'viem'
import type { AccountContract } from '../contract.ts'
import { encodeLightCalls } from './encoding.ts'

/** Properties of all LightAccount and MultiOwnerLightAccount v2.x contracts. */
export const v2: Pick<AccountContract, 'entryPointVersion' | 'encodeCalls'> = {
  entryPointVersion: '0.7.0',
  encodeCalls: encodeLightCalls,
}

/**
 * Computes the address of an account of a v2.x factory. The salt is the hash of the factory call's arguments, which
 * include the owners. The proxy's init code does not contain the owners.
 */
export function predictV2Address(parameters: { factory: Address; implementation: Address; createCall: Hex }): Address {
  const { factory, implementation, createCall } = parameters
  return getContractAddress({
    opcode: 'CREATE2',
    from: factory,
    salt: keccak256(slice(createCall, 4)),
    bytecode: getProxyCode(implementation),
  })
}

/** Adds a prefix to a v2.x signature: 0x00 for a key, `contractMark` for a contract. */
export function markSigner(contractMark: (signer: Address) => Hex): AccountContract['wrapSignature'] {
  return (signature, { address, isContract }) => concat([isContract ? contractMark(address) : '0x00', signature])
}

function getProxyCode(implementation: Address): Hex {
  return concat([
    '0x603d3d8160223d3973',
    implementation,
    '0x60095155f3363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  ])
}

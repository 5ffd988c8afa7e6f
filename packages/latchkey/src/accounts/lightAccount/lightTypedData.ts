import type { TypedDataDefinition } from 'viem'
import type { AccountContract } from '../contract.ts'

/** What the owner signs for ERC-1271: the hash in the contract's own EIP-712 wrapper of a domain version. */
export function lightTypedData(domainVersion: '1' | '2'): AccountContract['typedDataOf'] {
  return ({ hash, address, chainId }): TypedDataDefinition => ({
    domain: { name: 'LightAccount', version: domainVersion, chainId, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: hash },
  })
}

import type { WrapHash } from '../contract.ts'

/** What the owner signs for ERC-1271: the hash in the EIP-712 domain of the account. */
export function lightTypedData(name: string, version: '1' | '2'): WrapHash {
  return ({ hash, address, chainId }) => ({
    domain: { name, version, chainId, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: hash },
  })
}

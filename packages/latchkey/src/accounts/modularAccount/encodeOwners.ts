import { type Address, encodeAbiParameters, type Hex } from 'viem'

/** What a MultiOwnerPlugin is installed with, and what the address of a modular account is made of. */
export function encodeOwners(owners: readonly Address[]): Hex {
  return encodeAbiParameters([{ type: 'address[]' }], [owners])
}

import { signerTypes } from '../wire/headers.ts'
import type { OwnerParameter, SmartAccountOwner } from './owner.ts'

/** A viem local account as an owner; an owner as it is. */
export function toOwner(owner: OwnerParameter): SmartAccountOwner {
  if ('getAddress' in owner) return owner
  return {
    signerType: owner.source === signerTypes.embedded ? signerTypes.embedded : signerTypes.local,
    getAddress: async () => owner.address,
    signMessage: (parameters) => owner.signMessage(parameters),
    signTypedData: (definition) => owner.signTypedData(definition),
  }
}

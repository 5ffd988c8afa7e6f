import { BaseError } from '../core/errors/BaseError.ts'
import { signerTypes } from '../wire/headers.ts'
import type { OwnerParameter, SmartAccountOwner } from './owner.ts'

/** Anything viem-like that signs, as an owner; an owner as it is. Throws `OWNER_NOT_FOUND`. */
export function toOwner(owner: OwnerParameter): SmartAccountOwner {
  if (typeof owner?.signMessage !== 'function' || ('request' in owner && !owner.account)) throw noOwner()
  if ('signerType' in owner) return owner
  if ('request' in owner) {
    const { account } = owner
    return {
      signerType: signerTypes.local,
      getAddress: async () => account.address,
      signMessage: ({ message }) => owner.signMessage({ account, message }),
      signTypedData: (definition) => owner.signTypedData({ ...definition, account }),
    }
  }
  const { sign } = owner
  return {
    signerType:
      owner.type === 'local' && owner.source === signerTypes.embedded ? signerTypes.embedded : signerTypes.local,
    isContract: owner.type === 'smart',
    getAddress: async () => owner.address,
    signMessage: (parameters) => owner.signMessage(parameters),
    signTypedData: (definition) => owner.signTypedData(definition),
    sign: sign && ((parameters) => sign(parameters)),
    getStubSignature: owner.type === 'smart' ? () => owner.getStubSignature() : undefined,
  }
}

function noOwner(): BaseError {
  return new BaseError('An account needs an owner that signs for it.', {
    code: 'OWNER_NOT_FOUND',
    metaMessages: ['Pass `owner`: a viem account, a wallet client with an account, or a signer.'],
  })
}

import { type Address, recoverMessageAddress, size } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type SignedAccountDescriptor, toSignedText } from './accountDescriptor.ts'
import { parseDescriptor } from './parseDescriptor.ts'
import { findPasskeySigner } from './passkeySignature.ts'

export declare namespace readAccountDescriptor {
  type Parameters = string
  /** `signer`: address of the owner that signed. For a passkey, see `AccountOwner`. */
  type ReturnType = Promise<SignedAccountDescriptor & { signer: Address }>
}

/**
 * Parses a descriptor of format 1 or 2 and verifies that one of its owners has signed it. Returns that owner as
 * `signer`. The signature only detects damage and changes: compare the address to make sure that the account is yours.
 *
 * @throws `ARGUMENT_INVALID`, `SIGNATURE_MISSING`, `SIGNATURE_INVALID`.
 *
 * @example
 * ```ts
 * import { describeAccount, readAccountDescriptor } from 'latchkey/accounts'
 * import { account } from './config.ts'
 *
 * const text = JSON.stringify(await describeAccount({ account }))
 * const { address, signer } = await readAccountDescriptor(text)
 * console.log(address, signer)
 * ```
 */
export async function readAccountDescriptor(text: readAccountDescriptor.Parameters): readAccountDescriptor.ReturnType {
  const descriptor = parseDescriptor(text)
  const signer = await findSigner(descriptor)
  if (signer !== undefined) return { ...descriptor, signer }
  throw new BaseError('No owner of the account has signed this descriptor as it is: it was altered or damaged.', {
    code: 'SIGNATURE_INVALID',
    metaMessages: ['Download it again, or make it again with the key of an owner.'],
  })
}

async function findSigner(descriptor: SignedAccountDescriptor): Promise<Address | undefined> {
  const { signature, owners, firstOwners } = descriptor
  const message = toSignedText(descriptor)
  // Longer signatures are a passkey's.
  if (size(signature) > 65) return findPasskeySigner(owners, { message, signature })
  const signer = await recoverMessageAddress({ message, signature }).catch(() => undefined)
  const keys = owners.flatMap((owner) => (owner.kind === 'passkey' ? [] : owner.address))
  return [...firstOwners, ...keys].includes(signer ?? '0x') ? signer : undefined
}

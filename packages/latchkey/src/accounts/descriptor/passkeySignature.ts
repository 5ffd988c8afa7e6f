import {
  type Address,
  concat,
  concatBytes,
  decodeAbiParameters,
  type Hex,
  hashMessage,
  hexToBytes,
  numberToHex,
  sha256,
  slice,
  stringToBytes,
  stringToHex,
} from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { assertionAbi } from '../modularAccountV2/moduleOwner.ts'
import { toIdentifier } from '../owners/passkeyPoint.ts'
import { signatureAbi } from '../owners/toPasskeyOwner.ts'
import type { DescribedOwner, DescribedPasskey } from './accountDescriptor.ts'

type Signed = { message: string; signature: Hex }

/**
 * Returns the address of the passkey that signed a message (EIP-191), in the encoding of its signer contract or of
 * WebAuthnValidationModule; undefined if it is none of the owners.
 *
 * @throws `SIGNATURE_UNSUPPORTED` on a page without the Web Cryptography API.
 */
export async function findPasskeySigner(
  owners: readonly DescribedOwner[],
  { message, signature }: Signed,
): Promise<Address | undefined> {
  const challenge = toBase64url(hashMessage(message))
  const assertion = decode(signature, challenge)
  if (!assertion) return undefined
  for (const owner of owners)
    if (owner.kind === 'passkey' && (await isSigned(owner, assertion))) return addressOf(owner)
  return undefined
}

/** Returns the address of a passkey: its signer contract, or an address that only identifies the passkey. */
export const addressOf = (owner: DescribedPasskey): Address =>
  'signer' in owner ? owner.signer : toIdentifier({ x: BigInt(owner.x), y: BigInt(owner.y) })

type Assertion = { authenticatorData: Hex; clientDataJSON: string; r: bigint; s: bigint }

/** Decodes a signature with the expected type and challenge (WebAuthn Level 3, section 7.2). */
function decode(signature: Hex, challenge: string): Assertion | undefined {
  const start = `{"type":"webauthn.get","challenge":"${challenge}",`
  try {
    // The module's encoding is one dynamic tuple, so its first word is the offset 32.
    if (BigInt(slice(signature, 0, 32)) === 32n) {
      const [assertion] = decodeAbiParameters(assertionAbi, signature)
      return assertion.clientDataJSON.startsWith(start) ? assertion : undefined
    }
    const [authenticatorData, fields, r, s] = decodeAbiParameters(signatureAbi, signature)
    return { authenticatorData, clientDataJSON: `${start}${fields}}`, r, s }
  } catch {
    return undefined
  }
}

async function isSigned(
  { x, y, rpId }: DescribedPasskey,
  { authenticatorData, clientDataJSON, r, s }: Assertion,
): Promise<boolean> {
  if (slice(authenticatorData, 0, 32) !== sha256(stringToHex(rpId))) return false
  // Pages without a secure context have no `subtle`.
  const { subtle } = crypto as Partial<Crypto>
  if (!subtle) throw unsupportedError()
  const signed = concatBytes([hexToBytes(authenticatorData), hexToBytes(sha256(stringToBytes(clientDataJSON)))])
  const raw = concatBytes([hexToBytes(numberToHex(r, { size: 32 })), hexToBytes(numberToHex(s, { size: 32 }))])
  try {
    const algorithm = { name: 'ECDSA', namedCurve: 'P-256' }
    const key = await subtle.importKey('raw', bytesOf(concat(['0x04', x, y])), algorithm, false, ['verify'])
    return await subtle.verify({ name: 'ECDSA', hash: 'SHA-256' }, key, copy(raw), copy(signed))
  } catch {
    return false
  }
}

const copy = (bytes: Uint8Array) => new Uint8Array(bytes)
const bytesOf = (hex: Hex) => copy(hexToBytes(hex))

function toBase64url(hash: Hex): string {
  const text = String.fromCharCode(...hexToBytes(hash))
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

function unsupportedError(): BaseError {
  return new BaseError('A passkey signed this descriptor, and this page cannot verify it.', {
    code: 'SIGNATURE_UNSUPPORTED',
    metaMessages: ['Open the page over https, or as a file.'],
  })
}

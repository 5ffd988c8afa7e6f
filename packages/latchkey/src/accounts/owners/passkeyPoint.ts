import { type Address, getAddress, type Hex, hexToBigInt, keccak256, numberToHex, size, slice, stringToHex } from 'viem'
import type { WebAuthnAccount } from 'viem/account-abstraction'
import { BaseError } from '../../core/errors/BaseError.ts'
import type { OwnerParameter } from '../owner.ts'

/** Public key of a passkey: the coordinates of a point on P-256. */
export type PasskeyPoint = { x: bigint; y: bigint }

export function isPasskey(owner: OwnerParameter | WebAuthnAccount): owner is WebAuthnAccount {
  return owner && 'type' in owner && owner.type === 'webAuthn'
}

/** Returns the public key of a passkey. @throws `ARGUMENT_INVALID` for a public key of another length. */
export function readPoint({ publicKey }: Pick<WebAuthnAccount, 'publicKey'>): PasskeyPoint {
  const length = size(publicKey)
  // The prefix 0x04 means that both coordinates follow (SEC 1).
  const isPrefixed = length === 65 && publicKey.startsWith('0x04')
  if (length !== 64 && !isPrefixed) {
    throw new BaseError('The public key of the passkey does not have 64 bytes.', {
      code: 'ARGUMENT_INVALID',
      metaMessages: ['Pass the account that `toWebAuthnAccount` of viem returns.'],
    })
  }
  const start = length - 64
  return {
    x: hexToBigInt(slice(publicKey, start, start + 32)),
    y: hexToBigInt(slice(publicKey, start + 32)),
  }
}

/**
 * Returns an address that identifies a passkey: the last 20 bytes of the public key's hash. It does not exist on the
 * chain.
 */
export function toIdentifier({ x, y }: PasskeyPoint): Address {
  const coordinates = [x, y].map((value) => numberToHex(value, { size: 32 }).slice(2))
  return getAddress(slice(keccak256(`0x${coordinates.join('')}`), 12))
}

type Assertion = Pick<Awaited<ReturnType<WebAuthnAccount['sign']>>, 'signature' | 'webauthn'>

/** Parameters of P-256 (NIST SP 800-186, section 3.2.1.3). */
const prime = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn
const b = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn

/** Checks whether a public key is a point on P-256: y² = x³ - 3x + b. */
export function isOnCurve({ x, y }: PasskeyPoint): boolean {
  return x < prime && y < prime && (y * y - (x * x * x - 3n * x + b)) % prime === 0n
}

/** Order of P-256. */
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

/** Returns `r` and the low `s` of an assertion's signature. Contracts do not accept the high `s`. */
export function readScalars({ signature }: Assertion): { r: bigint; s: bigint } {
  const s = hexToBigInt(slice(signature, 32, 64))
  return { r: hexToBigInt(slice(signature, 0, 32)), s: s > order / 2n ? order - s : s }
}

/** Dummy assertion with the longest common client data, so that no real assertion needs more gas. */
export const stubAssertion: { signature: Hex; webauthn: { authenticatorData: Hex; clientDataJSON: string } } = {
  signature: `0x${'7a'.repeat(64)}`,
  webauthn: {
    authenticatorData: `0x${'a5'.repeat(37)}`,
    clientDataJSON: /* @__PURE__ */ JSON.stringify({
      type: 'webauthn.get',
      challenge: 'c'.repeat(43),
      origin: `https://${'o'.repeat(60)}`,
      crossOrigin: false,
      other_keys_can_be_added_here: /* @__PURE__ */ stringToHex('e').repeat(25),
    }),
  },
}

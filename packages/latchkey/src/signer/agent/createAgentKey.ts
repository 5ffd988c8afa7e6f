import { toHex } from '../../web/encoding.ts'
import { compress } from '../runner/keys/createDeviceKeys.ts'

export declare namespace createAgentKey {
  /** Hex key pair: a compressed P-256 point and 32 bytes. Store the private key like a password. */
  type ReturnType = { publicKey: string; privateKey: string }
}

/**
 * Creates the key pair of a program that acts for users. Users add the public key to their account with a scope
 * (`signer.addAgentKey`).
 *
 * @example
 * ```ts
 * import { createAgentKey } from 'latchkey/server'
 *
 * const { publicKey, privateKey } = await createAgentKey()
 * console.log(publicKey, privateKey.length)
 * ```
 */
export async function createAgentKey(): Promise<createAgentKey.ReturnType> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const point = new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey))
  const pkcs8 = new Uint8Array(await crypto.subtle.exportKey('pkcs8', pair.privateKey))
  return { publicKey: compress(point), privateKey: toHex(pkcs8.slice(privateKeyAt, privateKeyAt + 32)) }
}

/** Offset of the private key in the PKCS #8 encoding of a P-256 key (RFC 5958 § 2, RFC 5915 § 3). */
const privateKeyAt = 36

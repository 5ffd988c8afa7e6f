import { toHex } from '../../web/encoding.ts'
import { compress } from '../runner/keys/createDeviceKeys.ts'

export declare namespace createAgentKey {
  /** Both in hex: a compressed P-256 point, and 32 bytes. Keep the private key as you keep a password. */
  type ReturnType = { publicKey: string; privateKey: string }
}

/**
 * Creates the key pair of a program that acts for users. Its public key is what users add to their account, with a scope
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

/** Place of the private key in PKCS #8 (RFC 5958 § 2, RFC 5915 § 3), for a P-256 key. */
const privateKeyAt = 36

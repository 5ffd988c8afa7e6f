import { type ApiKeyStamp, headers, stampSchemes } from 'latchkey-protocol'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { toBase64url, toDer, toHex } from '../../../web/encoding.ts'
import type { Platform } from '../../../web/platform.ts'
import type { Stamper } from '../api/createCustodyApi.ts'

export type DeviceKeys = {
  /** Creates and stores a key. Returns its compressed P-256 point in hex; null if the browser cannot store keys. */
  create(expiresAtMs: number): Promise<string | null>
  /** Stores a key that the frame created. */
  keep(publicKey: string, pair: CryptoKeyPair, expiresAtMs: number): Promise<void>
  has(publicKey: string): Promise<boolean>
  stamper(publicKey: string): Stamper
  remove(publicKey: string): Promise<void>
}

export declare namespace createDeviceKeys {
  type Parameters = { platform: Platform }
  type ReturnType = DeviceKeys
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' } as const

/** Creates the store of device keys, which sign for a session. The private keys are non-extractable. */
export function createDeviceKeys({ platform }: createDeviceKeys.Parameters): createDeviceKeys.ReturnType {
  const store = () => {
    if (!platform.deviceKeys) throw noDeviceKeysError()
    return platform.deviceKeys
  }
  return {
    async create(expiresAtMs) {
      const keep = store()
      const pair = await crypto.subtle.generateKey(algorithm, false, ['sign', 'verify'])
      const publicKey = compress(new Uint8Array(await crypto.subtle.exportKey('raw', pair.publicKey)))
      return keep.put(publicKey, pair, expiresAtMs).then(
        () => publicKey,
        () => null,
      )
    },
    keep: async (publicKey, pair, expiresAtMs) => platform.deviceKeys?.put(publicKey, pair, expiresAtMs),
    has: async (publicKey) => (await platform.deviceKeys?.get(publicKey).catch(() => null)) != null,
    stamper: (publicKey) => async (body) => {
      const pair = await store()
        .get(publicKey)
        .catch(() => null)
      if (!pair) throw lostKeyError()
      return {
        stampHeaderName: headers.apiKeyStamp,
        stampHeaderValue: await stampWith(publicKey, pair.privateKey, body),
      }
    },
    remove: async (publicKey) => platform.deviceKeys?.remove(publicKey),
  }
}

/** Signs a body with a P-256 key and returns the value of the stamp header. */
export async function stampWith(publicKey: string, key: CryptoKey, body: string): Promise<string> {
  const bytes = new TextEncoder().encode(body)
  const signature = new Uint8Array(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, key, bytes))
  const value: ApiKeyStamp = { publicKey, scheme: stampSchemes.p256, signature: toHex(toDer(signature)) }
  return toBase64url(new TextEncoder().encode(JSON.stringify(value)))
}

/** Compresses a P-256 point (SEC 1 § 2.3.3). */
export function compress(point: Uint8Array): string {
  return `${((point[64] ?? 0) & 1) === 0 ? '02' : '03'}${toHex(point.subarray(1, 33))}`
}

function noDeviceKeysError(): BaseError {
  return new BaseError('This platform cannot store keys, so it has no device sessions.', {
    code: 'CONFIG_INVALID',
    metaMessages: ["Omit `sessionKind: 'device'`, or pass a `platform` with `deviceKeys`."],
  })
}

function lostKeyError(): BaseError {
  return new BaseError('The key of this session is no longer in this browser.', {
    code: 'SIGNER_NOT_AUTHENTICATED',
    metaMessages: ['Its site data was cleared. Sign in again.'],
  })
}

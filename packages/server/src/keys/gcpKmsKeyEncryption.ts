import { createHash } from 'node:crypto'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded, isSecureUrl } from '../platform/http/fetchBounded.ts'
import { createGcpToken } from './createGcpToken.ts'
import type { KeyEncryption } from './keyEncryption.ts'
import { repeatBrief, type Try } from './repeatBrief.ts'

export declare namespace gcpKmsKeyEncryption {
  type Options = {
    /** `projects/…/locations/…/keyRings/…/cryptoKeys/…` of a symmetric key. */
    key: string
    /** A private endpoint in your network. @default https://cloudkms.googleapis.com */
    url?: string | undefined
    /** Metadata server that issues the token of this process's service account. @default Google's */
    metadataUrl?: string | undefined
    /** Milliseconds for all attempts of a call. @default 5000 */
    timeoutMs?: number | undefined
  }
}

const prefix = Buffer.from('gcp-kms:')

/**
 * Returns key encryption by Google Cloud KMS (REST v1), with the service account of this process: the key never leaves
 * KMS. The additional authenticated data is the SHA-256 of `aad`. Stores `gcp-kms:` and KMS's ciphertext, which
 * identifies the version of its key, so rotations in KMS need no re-wrapping.
 *
 * @throws `CONFIG_INVALID` immediately for invalid options; from each call `KEY_SERVICE_FAILED` (503) | `TIMEOUT` (504)
 * | `NETWORK_UNREACHABLE` (502)
 */
export function gcpKmsKeyEncryption(options: gcpKmsKeyEncryption.Options): KeyEncryption {
  const call = createCall(options)
  const owns = (wrapped: Uint8Array) => prefix.equals(wrapped.subarray(0, prefix.length))
  return {
    async wrap(dek, aad) {
      const bytes = await call('encrypt', 'ciphertext', { plaintext: base64(dek), ...toContext(aad) })
      return new Uint8Array(Buffer.concat([prefix, bytes]))
    },
    unwrap: (wrapped, aad) =>
      call('decrypt', 'plaintext', { ciphertext: base64(wrapped.subarray(prefix.length)), ...toContext(aad) }),
    owns,
    isCurrent: async (wrapped) => owns(wrapped),
  }
}

type KmsCall = (operation: 'encrypt' | 'decrypt', member: string, body: object) => Promise<Uint8Array>

function createCall(options: gcpKmsKeyEncryption.Options): KmsCall {
  const { key, url = 'https://cloudkms.googleapis.com', metadataUrl, timeoutMs = 5_000 } = options
  if (!/^projects\/[\w.:-]+\/locations\/[\w-]+\/keyRings\/[\w-]+\/cryptoKeys\/[\w-]+$/.test(key))
    throw misconfigured('a key: projects/…/locations/…/keyRings/…/cryptoKeys/…')
  if (!isSecureUrl(url)) throw misconfigured('an https URL: keys go there')
  const base = `${url.replace(/\/+$/, '')}/v1/${key}`
  const tokens = createGcpToken({ metadataUrl })
  return (operation, member, body) =>
    repeatBrief(timeoutMs, async (leftMs): Promise<Try<Uint8Array>> => {
      const token = await tokens.read(leftMs)
      const response = await fetchBounded(`${base}:${operation}`, {
        what: 'Google Cloud KMS',
        timeoutMs: leftMs,
        maxBytes: 65_536,
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      if (response.status === 200) return readBytes(response.body, member)
      if (response.status === 401) tokens.forget(token)
      return readRefusal(response)
    })
}

function toContext(aad: Uint8Array): { additionalAuthenticatedData: string } {
  return { additionalAuthenticatedData: createHash('sha256').update(aad).digest('base64') }
}

function readBytes(body: Uint8Array, member: string): Try<Uint8Array> {
  const text = readObject(body)[member]
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) return { refused: unreadable(), isBrief: false }
  return { value: new Uint8Array(Buffer.from(text, 'base64')) }
}

function readObject(body: Uint8Array): Record<string, unknown> {
  try {
    return (JSON.parse(new TextDecoder().decode(body)) ?? {}) as Record<string, unknown>
  } catch {
    return {}
  }
}

/** Advice by status of the error (google.rpc.Code). Response texts are not forwarded: they may quote the request. */
const advice: Readonly<Record<string, string>> = {
  FAILED_PRECONDITION: 'its key is disabled, or is to be destroyed: enable it',
  INVALID_ARGUMENT: 'what is stored was wrapped for another wallet or by another key, or was changed',
  NOT_FOUND: 'there is no such key',
  PERMISSION_DENIED: 'give its service account the role roles/cloudkms.cryptoKeyEncrypterDecrypter for this key',
  RESOURCE_EXHAUSTED: 'too many requests: raise the quota of the project',
  UNAUTHENTICATED: 'the token of its service account is not accepted',
  UNAVAILABLE: 'try again in a moment',
}

function readRefusal({ status, body }: fetchBounded.ReturnType): Try<Uint8Array> {
  const { status: name } = (readObject(body).error ?? {}) as { status?: unknown }
  const known = typeof name === 'string' && Object.hasOwn(advice, name) ? name : undefined
  const reason = (known && advice[known]) ?? 'see its log'
  const text = `Google Cloud KMS refused with status ${status}${known ? ` (${known})` : ''}: ${reason}.`
  // A refused token is discarded, and the next attempt requests a new one.
  return { refused: failed(text), isBrief: status === 401 || status === 429 || status >= 500 }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function unreadable(): ServerError {
  return failed('Google Cloud KMS responded in another form than its API does. Check its URL.')
}

function failed(message: string): ServerError {
  return new ServerError(message, { code: 'KEY_SERVICE_FAILED', status: 503 })
}

function misconfigured(name: string): ServerError {
  return configInvalid(`Key encryption by Google Cloud KMS needs ${name}.`)
}

import { createHash } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { fetchBounded, isSecureUrl } from '../platform/http/fetchBounded.ts'
import type { KeyEncryption } from './keyEncryption.ts'

export declare namespace awsKmsKeyEncryption {
  type Options = {
    /** ARN, id or alias of a symmetric key (`SYMMETRIC_DEFAULT`). */
    key: string
    /** Such as `eu-central-1`. */
    region: string
    accessKeyId: string
    /** Secret of a user allowed only `kms:Encrypt` and `kms:Decrypt` with this key. */
    secretAccessKey: string
    sessionToken?: string | undefined
    /** An endpoint of your network. @default the region's endpoint */
    url?: string | undefined
    /** Milliseconds for all tries of a call. @default 5000 */
    timeoutMs?: number | undefined
  }
}

const what = 'AWS KMS'
const prefix = Buffer.from('aws-kms:')
const maxTries = 4

/**
 * Returns key encryption by AWS KMS (JSON 1.1 API, Signature Version 4): the key never leaves KMS. The encryption
 * context is the SHA-256 of `aad`, since KMS logs contexts. Stores `aws-kms:` and KMS's bytes, which know the version
 * of their key: KMS rotations need no re-wrapping.
 *
 * @throws `CONFIG_INVALID` at once for options that cannot work; from each call `KEY_SERVICE_FAILED` (503) | `TIMEOUT`
 * (504) | `NETWORK_UNREACHABLE` (502)
 */
export function awsKmsKeyEncryption(options: awsKmsKeyEncryption.Options): KeyEncryption {
  const call = createCall(options)
  const owns = (wrapped: Uint8Array) => prefix.equals(wrapped.subarray(0, prefix.length))
  return {
    async wrap(dek, aad) {
      const bytes = await call('Encrypt', 'CiphertextBlob', {
        Plaintext: base64(dek),
        EncryptionContext: toContext(aad),
      })
      return new Uint8Array(Buffer.concat([prefix, bytes]))
    },
    async unwrap(wrapped, aad) {
      const CiphertextBlob = base64(wrapped.subarray(prefix.length))
      return call('Decrypt', 'Plaintext', { CiphertextBlob, EncryptionContext: toContext(aad) })
    },
    owns,
    isCurrent: async (wrapped) => owns(wrapped),
  }
}

/** Calls a KMS operation and returns the bytes in one member of the response. */
type KmsCall = (operation: 'Encrypt' | 'Decrypt', member: string, body: object) => Promise<Uint8Array>

function createCall(options: awsKmsKeyEncryption.Options): KmsCall {
  const { key, region, accessKeyId, secretAccessKey, sessionToken, timeoutMs = 5_000 } = options
  checkOptions(options)
  const url = options.url ?? regionUrl(region)
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) }
  async function send(operation: string, body: string, leftMs: number): Promise<fetchBounded.ReturnType> {
    // Loaded only if configured. Each try has its own signature and time.
    const { AwsV4Signer } = await import('aws4fetch')
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${operation}` }
    const signer = new AwsV4Signer({ ...credentials, method: 'POST', url, headers, body, service: 'kms', region })
    const signed = await signer.sign()
    return fetchBounded(url, {
      what,
      timeoutMs: leftMs,
      maxBytes: 65_536,
      method: 'POST',
      headers: Object.fromEntries(signed.headers),
      body,
    })
  }
  return async (operation, member, parameters) => {
    const body = JSON.stringify({ KeyId: key, ...parameters })
    const end = performance.now() + timeoutMs
    for (let tries = 1; ; tries++) {
      const response = await send(operation, body, Math.max(1, Math.ceil(end - performance.now())))
      if (response.status === 200) return readBytes(response.body, member)
      const refusal = readRefusal(response)
      // Both operations are idempotent. Random pauses keep replicas apart.
      const pauseMs = 50 * 2 ** tries * (0.5 + Math.random() / 2)
      if (!refusal.isBrief || tries >= maxTries || performance.now() + pauseMs >= end) throw refusal.error
      await setTimeout(pauseMs)
    }
  }
}

function checkOptions({ key, region, accessKeyId, secretAccessKey, sessionToken, url }: awsKmsKeyEncryption.Options) {
  if (!/^[\w:/-]{1,2048}$/.test(key)) throw misconfigured('a key: its ARN, id or alias')
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/.test(region)) throw misconfigured('a region such as eu-central-1')
  if (!/^\w{16,128}$/.test(accessKeyId)) throw misconfigured('the id of an access key')
  if (!/^[\x21-\x7e]{16,}$/.test(secretAccessKey)) throw misconfigured('the secret of that access key')
  if (sessionToken !== undefined && !/^[\x21-\x7e]+$/.test(sessionToken))
    throw misconfigured('a session token of one line')
  if (url !== undefined && !isSecureUrl(url)) throw misconfigured('an https URL: keys go there')
}

function regionUrl(region: string): string {
  return `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`
}

function toContext(aad: Uint8Array): Record<string, string> {
  return { latchkey: createHash('sha256').update(aad).digest('hex') }
}

function readBytes(body: Uint8Array, member: string): Uint8Array {
  const text = readObject(body)[member]
  if (typeof text !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(text)) throw unreadable()
  return new Uint8Array(Buffer.from(text, 'base64'))
}

function readObject(body: Uint8Array): Record<string, unknown> {
  try {
    return (JSON.parse(new TextDecoder().decode(body)) ?? {}) as Record<string, unknown>
  } catch {
    throw unreadable()
  }
}

/** Advice by KMS error. Other errors report only the status: response texts are not forwarded. */
const advice: Readonly<Record<string, string>> = {
  AccessDeniedException: 'allow kms:Encrypt and kms:Decrypt with this key to its user',
  DisabledException: 'its key is disabled: enable it',
  ExpiredTokenException: 'its session token has ended: give a new one',
  IncompleteSignatureException: 'check the access key',
  IncorrectKeyException: 'another key wrapped what is stored: name that one',
  InvalidCiphertextException: 'what is stored was wrapped for another wallet, or was changed',
  InvalidKeyUsageException: 'take a symmetric key that encrypts and decrypts',
  InvalidSignatureException: "check the secret of the access key, and this machine's clock",
  KMSInvalidStateException: 'its key is not ready, or is to be deleted: cancel that',
  KeyUnavailableException: 'its key is not ready: try again in a moment',
  NotFoundException: 'there is no such key in this region',
  ThrottlingException: 'too many requests: raise the quota of the region',
  UnrecognizedClientException: 'check the access key and its session token',
}

const brief = new Set(['KeyUnavailableException', 'ThrottlingException'])

function readRefusal({ status, body }: fetchBounded.ReturnType): { isBrief: boolean; error: ServerError } {
  const type = readType(body)
  const reason = advice[type] ?? (status >= 500 ? 'try again in a moment' : 'see its log (CloudTrail)')
  const known = Object.hasOwn(advice, type) ? ` (${type})` : ''
  const message = `AWS KMS refused with status ${String(status)}${known}: ${reason}.`
  return {
    isBrief: status >= 500 || brief.has(type),
    error: new ServerError(message, { code: 'KEY_SERVICE_FAILED', status: 503 }),
  }
}

/** Returns `ThrottlingException` of `com.amazonaws.kms#ThrottlingException`. */
function readType(body: Uint8Array): string {
  try {
    const type = readObject(body).__type
    return typeof type === 'string' ? (type.split('#').at(-1) ?? '') : ''
  } catch {
    return ''
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

function unreadable(): ServerError {
  return new ServerError('AWS KMS responded in another form than its API does. Check its URL.', {
    code: 'KEY_SERVICE_FAILED',
    status: 503,
  })
}

function misconfigured(name: string): ServerError {
  return configInvalid(`Key encryption by AWS KMS needs ${name}.`)
}

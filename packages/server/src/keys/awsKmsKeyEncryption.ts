import { createHash } from 'node:crypto'
import type { KMSClient } from '@aws-sdk/client-kms'
import { configInvalid, ServerError } from '../platform/errors/ServerError.ts'
import { isSecureUrl } from '../platform/http/fetchBounded.ts'
import type { KeyEncryption } from './keyEncryption.ts'
import { repeatBrief } from './repeatBrief.ts'

export declare namespace awsKmsKeyEncryption {
  type Options = {
    /** ARN, id or alias of a symmetric key (`SYMMETRIC_DEFAULT`). */
    key: string
    /** For example, `eu-central-1`. */
    region: string
    /**
     * An access key that is allowed only `kms:Encrypt` and `kms:Decrypt` with this key.
     *
     * @default the SDK's credential chain (environment, profile and SSO, web identity, container, instance), renewed
     * before expiry
     */
    accessKeyId?: string | undefined
    /** Secret of `accessKeyId`. */
    secretAccessKey?: string | undefined
    sessionToken?: string | undefined
    /** A private endpoint in your network. @default the region's endpoint */
    url?: string | undefined
    /** Milliseconds for all attempts of a call, including the credentials it needs. @default 5000 */
    timeoutMs?: number | undefined
  }
}

const prefix = Buffer.from('aws-kms:')

/**
 * Returns key encryption by AWS KMS: the key never leaves KMS. Uses Amazon's SDK (`@aws-sdk/client-kms`), which must be
 * installed separately and is loaded with the first call. The encryption context is the SHA-256 of `aad`, since KMS
 * logs contexts. Stores `aws-kms:` and KMS's ciphertext, which identifies the version of its key, so KMS rotations need
 * no re-wrapping.
 *
 * @throws `CONFIG_INVALID` immediately for invalid options, and from the first call if the SDK is not installed; from
 * each call `KEY_SERVICE_FAILED` (503) | `TIMEOUT` (504) | `NETWORK_UNREACHABLE` (502)
 */
export function awsKmsKeyEncryption(options: awsKmsKeyEncryption.Options): KeyEncryption {
  const call = createCall(options)
  const owns = (wrapped: Uint8Array) => prefix.equals(wrapped.subarray(0, prefix.length))
  return {
    async wrap(dek, aad) {
      const bytes = await call(async ({ client, EncryptCommand, KeyId, abortSignal }) => {
        const input = { KeyId, Plaintext: dek, EncryptionContext: toContext(aad) }
        return (await client.send(new EncryptCommand(input), { abortSignal })).CiphertextBlob
      })
      return new Uint8Array(Buffer.concat([prefix, bytes]))
    },
    unwrap: (wrapped, aad) =>
      call(async ({ client, DecryptCommand, KeyId, abortSignal }) => {
        const input = { KeyId, CiphertextBlob: wrapped.subarray(prefix.length), EncryptionContext: toContext(aad) }
        return (await client.send(new DecryptCommand(input), { abortSignal })).Plaintext
      }),
    owns,
    isCurrent: async (wrapped) => owns(wrapped),
  }
}

type Sdk = typeof import('@aws-sdk/client-kms')
type Parts = Pick<Sdk, 'EncryptCommand' | 'DecryptCommand'> & {
  client: KMSClient
  KeyId: string
  abortSignal: AbortSignal
}
type KmsCall = (request: (parts: Parts) => Promise<Uint8Array | undefined>) => Promise<Uint8Array>

function createCall(options: awsKmsKeyEncryption.Options): KmsCall {
  const { key, timeoutMs = 5_000 } = options
  checkOptions(options)
  let opened: Promise<{ sdk: Sdk; client: KMSClient }> | undefined
  return async (request) => {
    opened ??= openClient(options)
    const { sdk, client } = await opened
    const { EncryptCommand, DecryptCommand } = sdk
    return repeatBrief(timeoutMs, async (leftMs) => {
      const abortSignal = AbortSignal.timeout(leftMs)
      try {
        const parts = { client, EncryptCommand, DecryptCommand, KeyId: key, abortSignal }
        const value = await Promise.race([request(parts), rejectOn(abortSignal)])
        if (value instanceof Uint8Array && value.length > 0) return { value }
        return { refused: unreadable(), isBrief: false }
      } catch (cause) {
        return readRefusal(cause, timeoutMs)
      }
    })
  }
}

async function openClient(options: awsKmsKeyEncryption.Options): Promise<{ sdk: Sdk; client: KMSClient }> {
  const { region, accessKeyId, secretAccessKey, sessionToken, url: endpoint = regionUrl(region) } = options
  const sdk = await import('@aws-sdk/client-kms').catch((cause: unknown) => {
    throw configInvalid(
      "LATCHKEY_KEY_ENCRYPTION is aws-kms and Amazon's SDK is not installed beside latchkey-server: npm install @aws-sdk/client-kms",
      cause,
    )
  })
  const client = new sdk.KMSClient({
    region,
    endpoint,
    // Disables the SDK's own retries. Attempts are repeated here, within one time limit.
    maxAttempts: 1,
    ...(accessKeyId !== undefined &&
      secretAccessKey !== undefined && {
        credentials: { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) },
      }),
  })
  return { sdk, client }
}

/** Rejects on abort. Ends even a credential look-up, which accepts no signal. */
function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

function checkOptions({ key, region, accessKeyId, secretAccessKey, sessionToken, url }: awsKmsKeyEncryption.Options) {
  if (!/^[\w:/-]{1,2048}$/.test(key)) throw misconfigured('a key: its ARN, id or alias')
  if (!/^[a-z]{2}(?:-[a-z]+)+-\d{1,2}$/.test(region)) throw misconfigured('a region such as eu-central-1')
  if (accessKeyId !== undefined && !/^\w{16,128}$/.test(accessKeyId)) throw misconfigured('the id of an access key')
  if (secretAccessKey !== undefined && !/^[\x21-\x7e]{16,}$/.test(secretAccessKey))
    throw misconfigured('the secret of that access key')
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw misconfigured('both the id and the secret of an access key, or neither to use the role of this process')
  if (sessionToken !== undefined && (accessKeyId === undefined || !/^[\x21-\x7e]+$/.test(sessionToken)))
    throw misconfigured('a session token of one line, with its access key')
  if (url !== undefined && !isSecureUrl(url)) throw misconfigured('an https URL: keys go there')
}

function regionUrl(region: string): string {
  return `https://kms.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}/`
}

function toContext(aad: Uint8Array): Record<string, string> {
  return { latchkey: createHash('sha256').update(aad).digest('hex') }
}

/**
 * Advice by the name of an error, from KMS or, if a role is assumed, from STS. Other errors report only the status:
 * response texts are not forwarded.
 */
const advice: Readonly<Record<string, string>> = {
  AccessDenied: 'its role may not be assumed: check the trust policy and AWS_ROLE_ARN',
  AccessDeniedException: 'allow kms:Encrypt and kms:Decrypt with this key to its user',
  DisabledException: 'its key is disabled: enable it',
  ExpiredTokenException: 'its session token has expired: configure a new one',
  IncompleteSignatureException: 'check the access key',
  IncorrectKeyException: 'the stored keys are wrapped by another key: configure that key',
  InvalidCiphertextException: 'what is stored was wrapped for another wallet, or was changed',
  InvalidIdentityTokenException:
    'its web identity token is not accepted: check the identity provider and AWS_WEB_IDENTITY_TOKEN_FILE',
  InvalidKeyUsageException: 'take a symmetric key that encrypts and decrypts',
  InvalidSignatureException: "check the secret of the access key, and this machine's clock",
  KMSInvalidStateException: 'its key is not ready, or is to be deleted: cancel that',
  KeyUnavailableException: 'its key is not ready: try again in a moment',
  NotFoundException: 'there is no such key in this region',
  ThrottlingException: 'too many requests: raise the quota of the region',
  UnrecognizedClientException: 'check the access key and its session token',
}

const brief = new Set(['KeyUnavailableException', 'ThrottlingException', 'ECONNRESET', 'EPIPE'])

/** Does not forward the cause or its text, since both may quote the request and its credentials. */
function readRefusal(cause: unknown, timeoutMs: number): { refused: ServerError; isBrief: boolean } {
  if (cause instanceof ServerError) return { isBrief: false, refused: cause }
  const {
    name = '',
    code,
    $metadata,
  } = cause as {
    name?: string
    code?: unknown
    $metadata?: { httpStatusCode?: number }
  }
  const status = $metadata?.httpStatusCode ?? 0
  if (status >= 400) {
    const reason = advice[name] ?? (status >= 500 ? 'try again in a moment' : 'see its log (CloudTrail)')
    const known = Object.hasOwn(advice, name) ? ` (${name})` : ''
    const message = `AWS KMS refused with status ${String(status)}${known}: ${reason}.`
    return { isBrief: status >= 500 || brief.has(name), refused: failed(message) }
  }
  if (name === 'TimeoutError' || name === 'AbortError') return { isBrief: false, refused: late(timeoutMs) }
  if (/^(?:CredentialsProvider|TokenProvider|Provider)Error$/.test(name))
    return { isBrief: false, refused: noCredentials() }
  // Network error codes. A code that begins with ERR_ means that the response is not the API's.
  if (typeof code === 'string' && /^E[A-Z0-9]+$/.test(code)) return { isBrief: brief.has(code), refused: unreachable() }
  return { isBrief: false, refused: unreadable() }
}

function noCredentials(): ServerError {
  return failed(
    'AWS KMS was not asked, since no credentials were found. Give this process a role (web identity, container or instance), or set LATCHKEY_AWS_ACCESS_KEY_ID and LATCHKEY_AWS_SECRET_ACCESS_KEY.',
  )
}

function late(timeoutMs: number): ServerError {
  return new ServerError(`AWS KMS did not answer within ${timeoutMs} ms. Try again in a moment.`, {
    code: 'TIMEOUT',
    status: 504,
  })
}

function unreachable(): ServerError {
  return new ServerError('AWS KMS cannot be reached. Check that it is running and that its URL is right.', {
    code: 'NETWORK_UNREACHABLE',
    status: 502,
  })
}

function unreadable(): ServerError {
  return failed('AWS KMS responded in another form than its API does. Check its URL.')
}

function failed(message: string): ServerError {
  return new ServerError(message, { code: 'KEY_SERVICE_FAILED', status: 503 })
}

function misconfigured(name: string): ServerError {
  return configInvalid(`Key encryption by AWS KMS needs ${name}.`)
}

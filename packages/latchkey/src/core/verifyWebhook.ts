import {
  type ErrorCode,
  type WebhookEvent,
  webhookHeaders,
  webhookSecretPrefix,
  webhookToleranceSeconds,
  webhookTypes,
} from 'latchkey-protocol'
import { BaseError } from './errors/BaseError.ts'

export declare namespace verifyWebhook {
  type Parameters = {
    /** Raw request body, before any JSON parser: the signature covers its bytes. */
    body: string | Uint8Array<ArrayBuffer>
    headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
    /** Secret `whsec_…`; several during a rotation. */
    secret: string | readonly string[]
    /**
     * Maximum difference between the signature's time and now, in seconds.
     *
     * @default 300
     */
    toleranceSeconds?: number | undefined
    /** Current time in milliseconds since the epoch. @default Date.now() */
    now?: number | undefined
  }
  type ReturnType = Promise<WebhookEvent>
}

/**
 * Verifies a webhook's age and signature (HMAC-SHA256, Standard Webhooks) and returns its event. Events may arrive
 * twice or out of order: store `id` with your changes and skip stored ids. For Node, Deno, Bun and Workers.
 *
 * @throws `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `REQUEST_INVALID`, `ARGUMENT_INVALID`.
 *
 * @example
 * ```ts
 * import { verifyWebhook } from 'latchkey/webhooks'
 *
 * const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
 *
 * export async function receive(request: Request): Promise<Response> {
 *   const body = await request.text()
 *   const event = await verifyWebhook({ body, headers: request.headers, secret }).catch(() => undefined)
 *   if (!event) return new Response(null, { status: 400 })
 *   if (event.type === 'operation.included') console.log(event.data.userOpHash, event.data.success)
 *   return new Response(null, { status: 204 })
 * }
 * ```
 */
export async function verifyWebhook(parameters: verifyWebhook.Parameters): verifyWebhook.ReturnType {
  const { toleranceSeconds = webhookToleranceSeconds, now = Date.now() } = parameters
  const bytes = typeof parameters.body === 'string' ? new TextEncoder().encode(parameters.body) : parameters.body
  const [id, time, signatures] = [webhookHeaders.id, webhookHeaders.timestamp, webhookHeaders.signature].map((name) =>
    readHeader(parameters.headers, name),
  )
  if (!id || !time || !signatures)
    throw refused('The request is not a webhook: a header is missing. Pass its headers unchanged.', 'SIGNATURE_MISSING')
  if (!/^\d{1,12}$/.test(time) || Math.abs(now / 1000 - Number(time)) > toleranceSeconds)
    throw refused(
      'The webhook is too old, or a clock is wrong. Respond with 400: it is sent again.',
      'SIGNATURE_INVALID',
    )
  const secrets = typeof parameters.secret === 'string' ? [parameters.secret] : parameters.secret
  const keys = await Promise.all(secrets.map(importSecret))
  const signed = concat(new TextEncoder().encode(`${id}.${time}.`), bytes)
  if (!(await isSigned(keys, signatures, signed)))
    throw refused(
      'The webhook is not signed with this secret. Check that the body is unchanged, and that the secret is the endpoint’s.',
      'SIGNATURE_INVALID',
    )
  return parseEvent(bytes, id)
}

async function isSigned(keys: readonly CryptoKey[], signatures: string, signed: Uint8Array<ArrayBuffer>) {
  // Bounds the work. At most two secrets sign a webhook.
  for (const text of signatures.split(' ').slice(0, 8)) {
    const mac = text.startsWith('v1,') ? fromBase64(text.slice(3)) : undefined
    if (!mac) continue
    for (const key of keys) if (await crypto.subtle.verify('HMAC', key, mac, signed)) return true
  }
  return false
}

function importSecret(secret: string): Promise<CryptoKey> {
  const key = secret.startsWith(webhookSecretPrefix) ? fromBase64(secret.slice(webhookSecretPrefix.length)) : undefined
  if (!key || key.length < 24 || key.length > 64)
    throw refused('A webhook secret is whsec_ followed by 24 to 64 bytes in base64. Check yours.', 'ARGUMENT_INVALID')
  return crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Parses the event. Requires the id of the body to equal the header's id, which is signed. */
function parseEvent(bytes: Uint8Array, id: string): WebhookEvent {
  let event: Partial<WebhookEvent> | null = null
  try {
    event = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // The check below refuses invalid JSON.
  }
  if (event && isEvent(event) && event.id === id) return event
  throw refused('The webhook has a type that this version does not know. Update the package.', 'REQUEST_INVALID')
}

function isEvent(event: Partial<WebhookEvent>): event is WebhookEvent {
  return webhookTypes.some((type) => type === event.type) && typeof event.data === 'object'
}

function readHeader(headers: verifyWebhook.Parameters['headers'], name: string): string | undefined {
  if (isHeaders(headers)) return headers.get(name) ?? undefined
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return typeof value === 'string' ? value : value?.[0]
}

/** Detects headers objects by their methods: polyfills and older frameworks have their own `Headers` class. */
function isHeaders(headers: verifyWebhook.Parameters['headers']): headers is Headers {
  return typeof headers.get === 'function'
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

const refused = (message: string, code: ErrorCode) => new BaseError(message, { code, name: 'WebhookError' })

import { createHmac } from 'node:crypto'
import { webhookHeaders, webhookSecretPrefix } from 'latchkey-protocol'
import { configInvalid } from '../platform/errors/ServerError.ts'

/**
 * Returns the key of a webhook's secret: `whsec_` and 24 to 64 bytes in base64. `name`: the setting, for the error
 * message.
 *
 * @throws `CONFIG_INVALID`.
 */
export function parseWebhookSecret(secret: string, name: string): Uint8Array {
  const text = secret.startsWith(webhookSecretPrefix) ? secret.slice(webhookSecretPrefix.length) : ''
  const key = Buffer.from(text, 'base64')
  const isWhole = key.toString('base64').replace(/=+$/, '') === text.replace(/=+$/, '')
  if (isWhole && key.length >= 24 && key.length <= 64) return key
  throw configInvalid(
    `${name} must be whsec_ and 24 to 64 random bytes in base64: echo "whsec_$(openssl rand -base64 32)" makes one.`,
  )
}

export declare namespace signWebhook {
  type Parameters = {
    id: string
    body: string
    /** One key, or two during a rotation. */
    keys: readonly Uint8Array[]
    /** Milliseconds since the epoch. */
    now: number
  }
}

/**
 * Returns a webhook's headers according to Standard Webhooks: HMAC-SHA256 over id, time and body, with one signature
 * per key.
 */
export function signWebhook({ id, body, keys, now }: signWebhook.Parameters): Record<string, string> {
  const seconds = Math.floor(now / 1000)
  const signatures = keys.map(
    (key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`,
  )
  return {
    [webhookHeaders.id]: id,
    [webhookHeaders.timestamp]: String(seconds),
    [webhookHeaders.signature]: signatures.join(' '),
  }
}

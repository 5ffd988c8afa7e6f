import { type WebhookType, webhookTypes } from 'latchkey-protocol'
import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'

/**
 * Endpoint of a project's webhooks. Configured only in the projects file, so that database writes cannot redirect it.
 */
export type WebhookEndpoint = {
  /** Identifies the endpoint in the outbox, even after the URL changes. */
  id: string
  /** https, without user or fragment. */
  url: string
  /** Event types to send. */
  events: readonly WebhookType[]
  /** Name of the secret: `LATCHKEY_WEBHOOK_SECRET_…`. */
  secret: string
  /** Name of the replaced secret, if any. If set, webhooks carry two signatures, one with each secret. */
  previousSecret?: string | undefined
}

/** A project with its configured endpoints. */
export type WebhookProject = {
  id: string
  organizationId?: string | null | undefined
  webhooks?: readonly WebhookEndpoint[] | undefined
}

/** Names of settings that may contain a webhook's secret. The projects file cannot refer to other settings. */
export const webhookSecretName = /^LATCHKEY_WEBHOOK_SECRET_[A-Z0-9_]{1,64}$/

const maxEndpoints = 8

/**
 * Checks the endpoints of a project.
 *
 * @throws `CONFIG_INVALID`.
 */
export function checkEndpoints({ id, webhooks = [] }: WebhookProject): void {
  if (webhooks.length > maxEndpoints) throw invalid(id, `it has more than ${maxEndpoints} webhooks`)
  if (new Set(webhooks.map((endpoint) => endpoint.id)).size < webhooks.length)
    throw invalid(id, 'two of its webhooks have the same id')
  for (const endpoint of webhooks) checkEndpoint(id, endpoint)
}

function checkEndpoint(project: string, { id, url: text, events, secret, previousSecret }: WebhookEndpoint): void {
  const what = `its webhook ${JSON.stringify(id)}`
  if (!/^[\w-]{1,64}$/.test(id)) throw invalid(project, `${what} needs an id of letters, digits, _ and -`)
  const url = parseUrl(text)
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isThisMachine(url.hostname))
  if (!url || !isSecure || url.username || url.password || url.hash)
    throw invalid(project, `${what} needs an https URL without user, password or fragment`)
  const unknown = events.find((type) => !webhookTypes.includes(type))
  if (events.length === 0 || unknown !== undefined)
    throw invalid(project, `${what} needs events, of ${webhookTypes.join(', ')}`)
  for (const name of [secret, previousSecret])
    if (name !== undefined && !webhookSecretName.test(name))
      throw invalid(project, `${what} names a secret that does not begin with LATCHKEY_WEBHOOK_SECRET_`)
}

function invalid(id: string, why: string): ServerError {
  return configInvalid(`Project ${JSON.stringify(id)} is not valid: ${why}.`)
}

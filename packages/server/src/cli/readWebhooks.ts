import type { ServerOptions, WebhooksOptions } from '../app/options.ts'
import { webhookSecretName } from '../store/webhookEndpoints.ts'
import { parseWebhookSecret } from '../webhooks/signWebhook.ts'
import type { Reader } from './createReader.ts'
import { settings } from './settings.ts'

/** Reads the webhook secrets that the projects file refers to, each from its own setting. */
export function readWebhooks(
  reader: Reader,
  { projects = [] }: Pick<ServerOptions, 'projects'> = {},
): WebhooksOptions | undefined {
  const endpoints = projects.flatMap(({ webhooks = [] }) => webhooks)
  const names = new Set(endpoints.flatMap(({ secret, previousSecret }) => [secret, previousSecret ?? secret]))
  const secrets: Record<string, string> = {}
  for (const name of names) {
    if (!webhookSecretName.test(name)) {
      reader.report(`LATCHKEY_PROJECTS_FILE: the secret of a webhook is named LATCHKEY_WEBHOOK_SECRET_…, not ${name}`)
      continue
    }
    const secret = reader.readText(name)
    if (secret === undefined) reader.report(`${name} is missing: secret of a webhook in LATCHKEY_PROJECTS_FILE`)
    else if (isSecret(secret)) secrets[name] = secret
    else reader.report(`${name} must be whsec_ and 24 to 64 random bytes in base64`)
  }
  return reader.read(settings.pick({ LATCHKEY_MODE: true }), (values) => ({ secrets, mode: values.LATCHKEY_MODE }))
}

function isSecret(text: string): boolean {
  try {
    return parseWebhookSecret(text, '').length > 0
  } catch {
    return false
  }
}

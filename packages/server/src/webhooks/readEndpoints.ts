import { configInvalid } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'
import { isPrivateHost } from '../platform/http/publicLookup.ts'
import { checkEndpoints, type WebhookEndpoint, type WebhookProject } from '../store/webhookEndpoints.ts'
import { parseWebhookSecret } from './signWebhook.ts'

/** An endpoint with the keys of its secrets, the current one first. */
export type Endpoint = Pick<WebhookEndpoint, 'id' | 'url'> & {
  projectId: string
  keys: readonly Uint8Array[]
  /** Whether the endpoint is on this machine, which only development allows. */
  isLocal: boolean
}

export declare namespace readEndpoints {
  type Parameters = {
    projects: readonly WebhookProject[]
    /** Secrets by their names in the projects. */
    secrets: Readonly<Record<string, string>>
    mode: 'production' | 'development'
  }
}

/**
 * Returns the endpoints of all projects.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readEndpoints({ projects, secrets, mode }: readEndpoints.Parameters): Endpoint[] {
  const readKey = (name: string) => {
    const secret = Object.hasOwn(secrets, name) ? secrets[name] : undefined
    if (secret === undefined) throw configInvalid(`A webhook names the secret ${name}, which is missing. Set it.`)
    return parseWebhookSecret(secret, name)
  }
  return projects.flatMap((project) => {
    checkEndpoints(project)
    return (project.webhooks ?? []).map(({ id, url, secret, previousSecret }) => {
      const isLocal = isThisMachine(new URL(url).hostname)
      if (mode === 'production') assertPublic(project.id, { id, url })
      return {
        id,
        url,
        projectId: project.id,
        isLocal: isLocal && mode === 'development',
        keys: [secret, ...(previousSecret === undefined ? [] : [previousSecret])].map(readKey),
      }
    })
  })
}

/** Refuses private hosts. The IP addresses of a host name are also checked at each connection. */
function assertPublic(project: string, { id, url: text }: Pick<WebhookEndpoint, 'id' | 'url'>): void {
  const url = new URL(text)
  if (url.protocol === 'https:' && !isThisMachine(url.hostname) && !isPrivateHost(url.hostname)) return
  throw configInvalid(
    `The webhook ${JSON.stringify(id)} of project ${JSON.stringify(project)} must be https on the public Internet. Elsewhere it works in development only.`,
  )
}

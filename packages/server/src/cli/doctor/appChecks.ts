import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import type { ProjectOptions } from '../../app/options.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { isThisMachine } from '../../platform/http/fetchBounded.ts'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { toProjectRow } from '../../store/upsertProject.ts'
import type { Config } from '../readConfig.ts'
import { type Check, type Network, type Skipped, type Subject, skip } from './checks.ts'
import { listPublicUrls, readPage } from './frameChecks.ts'
import { findRefused } from './readPolicy.ts'

/** Checks apps and their projects: origins, the `rpId` of passkeys, and the Content-Security-Policy. */
export function appChecks({ server, network }: Subject): Check[] {
  const { projects = [], signerApi } = server
  if (!signerApi) return []
  if (projects.length === 0)
    return [skip('projects', 'none are configured: set LATCHKEY_PROJECTS_FILE to check their apps')]
  return projects.flatMap((project) => [
    { name: `origins of ${project.id}`, run: async () => checkOrigins(project) },
    { name: `site of ${project.id}`, run: async () => checkSite(project, server) },
    { name: `signing of ${project.id}`, run: async () => describeSigning(project) },
    { name: `passkeys of ${project.id}`, run: () => checkPasskeys(project, network) },
    { name: `CSP of ${project.id}`, run: () => checkPolicies(project, server, network) },
  ])
}

function describeSigning({ signing, confirmations, exportsTo, importsTo }: ProjectOptions): string {
  if (signing?.blind === 'allow')
    return "digests are signed, so a script in the app's page can have anything signed (signing.blind in the projects file)"
  if (exportsTo === 'frame')
    return "custody reads what it signs; exports go to the app's frame, whose key a script in the app's page can replace (exportsTo in the projects file)"
  if (importsTo === 'frame')
    return "custody reads what it signs; imports come from the app's frame without a confirmation, so a script in the app's page can import a wallet that it knows (importsTo in the projects file)"
  return confirmations === 'none'
    ? 'custody reads what it signs, and asks nobody to confirm (confirmations in the projects file)'
    : 'custody reads what it signs, and users confirm what changes who may act for them'
}

function checkOrigins(project: ProjectOptions): string {
  const { allowed_origins: origins, redirect_urls: redirects } = toProjectRow(project)
  if (origins.length === 0)
    throw configInvalid('no page may use it: name the origins of its pages in allowedOrigins of the projects file')
  const plain = origins.filter((origin) => !origin.startsWith('https:') && !isThisMachine(new URL(origin).hostname))
  if (plain.length > 0)
    throw configInvalid(`${plain.join(', ')} can be changed on the way to a browser: serve it over https`)
  const stray = redirects.filter((url) => !origins.includes(new URL(url).origin))
  if (stray.length > 0)
    throw configInvalid(
      `emails link to ${stray[0]}, which may not use the project: add ${new URL(stray[0] ?? '').origin} to allowedOrigins, or remove it from redirectUrls`,
    )
  return `${origins.length} allowed; emails link to no others`
}

/**
 * Checks that the auth frame is on the same site as the project's pages. Otherwise browsers give the frame temporary
 * storage, or no storage.
 */
function checkSite(project: ProjectOptions, server: Config['server']): string | Skipped {
  const frame = listPublicUrls(server).find(({ what }) => what === 'auth frame')?.url
  if (!frame) return { skipped: 'no auth frame is configured' }
  const { allowed_origins: origins } = toProjectRow(project)
  const others = origins.filter((origin) => readSite(new URL(origin)) !== readSite(frame))
  if (others.length === 0) return `${frame.host} is on the same site as every page`
  if (others.length < origins.length)
    return `${frame.host} is on the same site as the pages except ${others.join(', ')}, where a session may end with the tab`
  const domain = readSite(new URL(origins[0] ?? frame))
  throw configInvalid(
    `${frame.host} is on another site than every page, so browsers may block its storage and sessions may end with the tab: serve the frames on a subdomain of the pages, such as auth.${domain}, and set LATCHKEY_AUTH_FRAME_URL`,
  )
}

/**
 * Returns a URL's site (HTML, "schemelessly same site"): the registrable domain of the Public Suffix List, or the host.
 */
const readSite = ({ hostname }: URL): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname

/** WebAuthn L3 § 5.11.1: browsers compare at least this many labels. */
const maxRelatedLabels = 5

async function checkPasskeys(project: ProjectOptions, network: Network): Promise<string> {
  const origins = toProjectRow(project).allowed_origins.map((origin) => new URL(origin))
  const { rpId } = project
  const numbers = origins.filter(({ hostname }) => isIP(hostname) || hostname.startsWith('['))
  if (numbers[0])
    throw configInvalid(`browsers store no passkeys for ${numbers[0].host}: use a host name instead of an IP address`)
  const hosts = [...new Set(origins.map(({ hostname }) => hostname))]
  if (rpId === undefined)
    return hosts.length < 2
      ? `stored for ${hosts[0] ?? 'no host'}`
      : `each of ${hosts.length} hosts has its own passkeys: to share them, set rpId in the app and in the projects file`
  const isBelow = (host: string) => host === rpId || host.endsWith(`.${rpId}`)
  if (!hosts.some(isBelow))
    throw configInvalid(
      `custody refuses them: rpId ${rpId} is neither the host of an allowed origin nor a domain above one. Add https://${rpId} to allowedOrigins`,
    )
  const others = origins.filter(({ hostname }) => !isBelow(hostname)).map(({ origin }) => origin)
  if (others.length === 0) return `stored for ${rpId}, shared by all its hosts`
  const related = await readRelatedOrigins(rpId, origins, network)
  const missing = others.filter((origin) => !related.includes(origin))
  if (missing.length > 0)
    throw configInvalid(
      `browsers refuse rpId ${rpId} on ${missing.join(', ')}: add it to "origins" of https://${rpId}/.well-known/webauthn`,
    )
  const labels = new Set(related.map((origin) => new URL(origin).hostname.split('.').at(-2)))
  if (labels.size > maxRelatedLabels)
    throw configInvalid(
      `https://${rpId}/.well-known/webauthn names ${labels.size} different domains, and browsers look at ${maxRelatedLabels}: leave out what is not used`,
    )
  return `stored for ${rpId}, also usable on ${others.join(', ')}`
}

async function readRelatedOrigins(rpId: string, origins: readonly URL[], network: Network): Promise<string[]> {
  // The origin of a local server has a port, but `rpId` has no port.
  const base = origins.find(({ hostname }) => hostname === rpId)?.origin ?? `https://${rpId}`
  const where = `https://${rpId}/.well-known/webauthn`
  const wanted = `serve { "origins": [${origins.map(({ origin }) => `"${origin}"`).join(', ')}] } there as application/json`
  const { status, headers, body } = await readPage(
    'The page of related origins',
    `${base}/.well-known/webauthn`,
    network,
  )
  if (status !== 200) throw configInvalid(`${where} is not there (${status}): ${wanted}`)
  if (!headers['content-type']?.startsWith('application/json'))
    throw configInvalid(`${where} is not sent as JSON, so browsers do not read it: ${wanted}`)
  const { origins: listed } = (parseJson(body) ?? {}) as { origins?: unknown }
  if (!Array.isArray(listed)) throw configInvalid(`${where} has no list of origins: ${wanted}`)
  return listed.flatMap((item) => parseUrl(String(item))?.origin ?? [])
}

async function checkPolicies(
  project: ProjectOptions,
  server: Config['server'],
  network: Network,
): Promise<string | Skipped> {
  const places = listPublicUrls(server)
  const frames = places.filter(({ what }) => what !== 'custody').map(({ url }) => url.origin)
  const connections = places.filter(({ what }) => what === 'custody').map(({ url }) => url.origin)
  const wanted = `frame-src ${frames.join(' ')}; connect-src 'self' ${connections.join(' ')} and the origins of signer API and gateway`
  const origins = toProjectRow(project).allowed_origins
  let read = 0
  for (const origin of origins) {
    const page = await readPage('The app', `${origin}/`, network).catch(() => undefined)
    if (!page) continue
    read++
    const html = new TextDecoder().decode(page.body)
    for (const [directive, urls] of [
      ['frame-src', frames],
      ['connect-src', connections],
    ] as const) {
      const refused = findRefused({ headers: page.headers, html, directive, urls, self: origin })
      if (refused.length > 0)
        throw configInvalid(`${origin} refuses ${refused.join(' ')} (${directive}): send ${wanted}`)
    }
    if (/publickey-credentials-get=\(\)/.test(String(page.headers['permissions-policy'] ?? '')))
      throw configInvalid(
        `${origin} forbids passkeys: remove publickey-credentials-get=() from its Permissions-Policy header`,
      )
  }
  if (read === 0) return { skipped: `no page responds; the app's policy needs: ${wanted}` }
  return `allows the frames and custody (${read} of ${origins.length} page(s) respond and were checked)`
}

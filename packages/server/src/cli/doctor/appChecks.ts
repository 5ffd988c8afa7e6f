import { isIP } from 'node:net'
import { getDomain } from 'tldts'
import type { ProjectOptions } from '../../app/options.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { isThisMachine } from '../../platform/http/fetchBounded.ts'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { toProjectRow } from '../../store/upsertProject.ts'
import type { Config } from '../readConfig.ts'
import type { Check, Network, Subject } from './checks.ts'
import { listPublicUrls, readPage } from './frameChecks.ts'
import { findRefused } from './readPolicy.ts'

/** Checks apps and their projects: lists of origins, the `rpId` of passkeys, and the Content-Security-Policy. */
export function appChecks({ server, network }: Subject): Check[] {
  const { projects = [], signerApi } = server
  if (!signerApi) return []
  return projects.flatMap((project) => [
    { name: `origins of ${project.id}`, run: async () => checkOrigins(project) },
    { name: `site of ${project.id}`, run: async () => checkSite(project, server) },
    { name: `passkeys of ${project.id}`, run: () => checkPasskeys(project, network) },
    { name: `CSP of ${project.id}`, run: () => checkPolicies(project, server, network) },
  ])
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
      `mails lead to ${stray[0]}, whose page may not use the project: add ${new URL(stray[0] ?? '').origin} to allowedOrigins, or take it out of redirectUrls`,
    )
  return `${origins.length} allowed, and mails lead to no other`
}

/**
 * Checks that the auth frame is on the same site as the project's pages. Otherwise browsers give it temporary storage,
 * or none.
 */
function checkSite(project: ProjectOptions, server: Config['server']): string {
  const frame = listPublicUrls(server).find(({ what }) => what === 'auth frame')?.url
  if (!frame) return 'no auth frame is named'
  const { allowed_origins: origins } = toProjectRow(project)
  const others = origins.filter((origin) => readSite(new URL(origin)) !== readSite(frame))
  if (others.length === 0) return `${frame.host} is on the site of every page`
  if (others.length < origins.length)
    return `${frame.host} is on the site of the pages, but of ${others.join(', ')}: there a session may end with the tab`
  const domain = readSite(new URL(origins[0] ?? frame))
  throw configInvalid(
    `${frame.host} is another site than every page, so browsers may keep nothing for it and sessions end with the tab: serve the frames below the pages' own domain, such as auth.${domain}, and set LATCHKEY_AUTH_FRAME_URL`,
  )
}

/**
 * Returns a URL's site (HTML, "schemelessly same site"): the registrable domain of the Public Suffix List, or the host.
 */
const readSite = ({ hostname }: URL): string => getDomain(hostname, { allowPrivateDomains: true }) ?? hostname

/** WebAuthn L3 § 5.11.1: browsers compare at least this many labels. */
const maxRelatedLabels = 5

/** Checks that browsers and custody accept passkeys of the project's `rpId` on each of its origins. */
async function checkPasskeys(project: ProjectOptions, network: Network): Promise<string> {
  const origins = toProjectRow(project).allowed_origins.map((origin) => new URL(origin))
  const { rpId } = project
  const numbers = origins.filter(({ hostname }) => isIP(hostname) || hostname.startsWith('['))
  if (numbers[0])
    throw configInvalid(
      `browsers keep no passkeys for ${numbers[0].host}: give the page a host name instead of an address`,
    )
  const hosts = [...new Set(origins.map(({ hostname }) => hostname))]
  if (rpId === undefined)
    return hosts.length < 2
      ? `kept for ${hosts[0] ?? 'no host'}`
      : `each of ${hosts.length} hosts has its own: where they should be shared, set rpId in the app and in the projects file`
  const isBelow = (host: string) => host === rpId || host.endsWith(`.${rpId}`)
  if (!hosts.some(isBelow))
    throw configInvalid(
      `custody refuses them: rpId ${rpId} is neither the host of an allowed origin nor a domain above one. Add https://${rpId} to allowedOrigins`,
    )
  const others = origins.filter(({ hostname }) => !isBelow(hostname)).map(({ origin }) => origin)
  if (others.length === 0) return `kept for ${rpId}, which all its hosts share`
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
  return `kept for ${rpId}, also on ${others.join(', ')}`
}

async function readRelatedOrigins(rpId: string, origins: readonly URL[], network: Network): Promise<string[]> {
  // A local server's port is not in the name.
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

/** Reads the front page of each origin that responds. */
async function checkPolicies(project: ProjectOptions, server: Config['server'], network: Network): Promise<string> {
  const places = listPublicUrls(server)
  const frames = places.filter(({ what }) => what !== 'custody').map(({ url }) => url.origin)
  const connections = places.filter(({ what }) => what === 'custody').map(({ url }) => url.origin)
  const wanted = `frame-src ${frames.join(' ')}; connect-src 'self' ${connections.join(' ')} and the origins of signer API and gateway`
  let read = 0
  for (const origin of toProjectRow(project).allowed_origins) {
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
        `${origin} forbids passkeys: take publickey-credentials-get=() out of its header Permissions-Policy`,
      )
  }
  if (read === 0) return `not read, as no page responds; if the app sends one: ${wanted}`
  return `lets the frames and custody in (${read} page(s) read)`
}

import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { toConfirmationUrl } from '../../app/toConfirmationUrl.ts'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { fetchBounded, isThisMachine } from '../../platform/http/fetchBounded.ts'
import { parseUrl } from '../../platform/http/parseUrl.ts'
import type { Config } from '../readConfig.ts'
import { type Check, type Network, type Skipped, type Subject, skip } from './checks.ts'

/** Checks the public URLs as browsers see them: names, certificates, and the headers of the frames' pages. */
export function frameChecks({ server, network }: Subject): Check[] {
  const frames = listPublicUrls(server).filter(({ what }) => what !== 'custody')
  return [
    ...(server.custody ? [{ name: 'mail links', run: () => checkMailLinks(server, network) }] : []),
    ...listPublicUrls(server).flatMap(({ what, url }) => hostChecks(what, url, network)),
    ...(server.signerApi && frames.length > 0
      ? [
          { name: 'frame origins', run: async () => checkOriginsApart(server) },
          ...frames.map(({ what, url }) => ({
            name: `page of ${what}`,
            run: () => checkPage(what, url, server, network),
          })),
        ]
      : []),
  ]
}

function hostChecks(what: string, url: URL, network: Network): Check[] {
  const [dns, tls] = [`DNS of ${what}`, `TLS of ${what}`]
  if (isThisMachine(url.hostname)) {
    const reason = `${url.hostname} is this machine`
    return [skip(dns, reason), skip(tls, reason)]
  }
  return [
    { name: dns, run: () => checkAddress(url, network) },
    url.protocol === 'https:'
      ? { name: tls, run: () => checkTls(url, network) }
      : skip(tls, `${url.origin} is served without TLS`),
  ]
}

export function listPublicUrls({ urls }: Pick<Config['server'], 'urls'>): { what: string; url: URL }[] {
  const all = [
    ['custody', urls.custody],
    ['auth frame', urls.authFrame],
    ['export frame', urls.exportFrame],
    ['import frame', urls.importFrame],
  ] as const
  return all.flatMap(([what, text]) => {
    const url = parseUrl(text)
    return url ? [{ what, url }] : []
  })
}

async function checkAddress({ hostname }: URL, network: Network): Promise<string> {
  const addresses = await network.readAddresses(hostname).catch(() => {
    throw configInvalid(
      `no resolver answers for ${hostname}: set LATCHKEY_DNS_SERVERS to one that this machine can reach`,
    )
  })
  if (addresses.length > 0) return addresses.join(', ')
  throw configInvalid(`${hostname} has no address: add an A or AAAA record that leads to its server or balancer`)
}

async function checkTls(url: URL, network: Network): Promise<string | Skipped> {
  const addresses = await network.readAddresses(url.hostname).catch(() => [])
  if (addresses.length === 0) return { skipped: 'not checked without an address' }
  const found = await checkCertificate(url, network)
  for (const { what, ...offer } of oldTls) {
    const socket = openTls(url, network, { ...offer, rejectUnauthorized: false })
    const isTaken = await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => resolve(true))
      socket.on('error', () => resolve(false))
      socket.once('timeout', () => resolve(false))
    })
    socket.destroy()
    if (isTaken)
      throw configInvalid(
        `${url.hostname} accepts ${what}: configure its server or load balancer for TLS 1.2 and 1.3 only, with the cipher suites of RFC 9325`,
      )
  }
  return found
}

/** Obsolete TLS versions and cipher suites (RFC 8996, RFC 9325 § 4.1), each offered alone. */
const oldTls = [
  { what: 'TLS 1.0 or 1.1', minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' },
  {
    what: 'cipher suites without forward secrecy or without a certificate',
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.2',
    ciphers: 'kRSA:aNULL:eNULL:@SECLEVEL=0',
  },
] as const

function openTls(
  { hostname, port }: URL,
  { lookup, authorities }: Network,
  options: ConnectionOptions = {},
): TLSSocket {
  return connectTls({
    host: hostname,
    port: Number(port || 443),
    servername: hostname,
    timeout: 5_000,
    ...(lookup && { lookup }),
    ...(authorities.length > 0 && { ca: [...authorities] }),
    ...options,
  })
}

/** Minimum days until a certificate expires. Automatic renewal usually happens 30 days before expiry. */
const leastDays = 14

function checkCertificate(url: URL, network: Network): Promise<string> {
  const { hostname: host } = url
  return new Promise((resolve, reject) => {
    const fail = (why: string) => reject(configInvalid(why))
    const socket = openTls(url, network)
    socket.once('timeout', () => socket.destroy(new TypeError('The TLS handshake timed out.')))
    socket.once('error', (error: NodeJS.ErrnoException) => {
      socket.destroy()
      const code = error.code ?? 'no handshake'
      if (code === 'CERT_HAS_EXPIRED') return fail(`the certificate of ${host} has expired: renew it`)
      if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
        return fail(`the certificate is not for ${host}: get one that includes this name`)
      if (/CERT|^UNABLE_TO_/.test(code))
        return fail(
          `browsers do not trust the certificate of ${host} (${code}): send the full chain of a public authority`,
        )
      fail(`no TLS at ${host} (${code}): make its server or load balancer listen there with a certificate`)
    })
    socket.once('secureConnect', () => {
      const end = new Date(socket.getPeerCertificate().valid_to)
      const protocol = socket.getProtocol() ?? 'TLS'
      socket.destroy()
      const days = Math.floor((end.getTime() - Date.now()) / 86_400_000)
      if (days < leastDays)
        return fail(
          `the certificate of ${host} expires in ${days} day(s): renew it, and check why automatic renewal failed`,
        )
      resolve(`${protocol}, certificate until ${end.toISOString().slice(0, 10)}`)
    })
  })
}

async function checkMailLinks({ urls, projects = [] }: Config['server'], network: Network): Promise<string | Skipped> {
  const url = toConfirmationUrl(urls.authFrame)
  const isNeeded = projects.length === 0 || projects.some(({ confirmations }) => confirmations !== 'none')
  if (url === undefined && !isNeeded) return { skipped: 'not needed: no project uses confirmations' }
  if (url === undefined)
    throw configInvalid('lead nowhere: set LATCHKEY_AUTH_FRAME_URL, or "confirmations": "none" in all projects')
  const { status, headers } = await readPage('The auth frame', url, network)
  const isHtml = headers['content-type']?.startsWith('text/html')
  if (status !== 200 || !isHtml)
    throw configInvalid(
      `lead to no page (${status}): set LATCHKEY_AUTH_FRAME_URL to the frames role that hosts the auth page`,
    )
  if (!/frame-ancestors 'none'/.test(String(headers['content-security-policy'] ?? '')))
    throw configInvalid(
      'lead to a page that may be framed: make the proxy keep the Content-Security-Policy of the frames role',
    )
  return 'lead to a page that cannot be framed'
}

/** Checks that no two pages share an origin, since another page on a frame's origin can read the frame's keys. */
function checkOriginsApart(server: Config['server']): string {
  const places = listPublicUrls(server).map(({ what, url }) => [what, url.origin] as const)
  const apps = (server.projects ?? []).flatMap(({ id, allowedOrigins }) =>
    allowedOrigins.map((origin) => [`an app of project ${id}`, parseUrl(origin)?.origin ?? ''] as const),
  )
  const owners = new Map<string, string>()
  for (const [what, origin] of [...places, ...apps]) {
    const other = owners.get(origin)
    const isFrame = what.endsWith('frame') || other?.endsWith('frame')
    if (other !== undefined && isFrame)
      throw configInvalid(
        `${what} and ${other} share ${origin}, so each can read the other's keys: give every frame its own host name`,
      )
    owners.set(origin, what)
  }
  return 'each frame has its own'
}

async function checkPage(
  what: string,
  url: URL,
  { projects = [] }: Config['server'],
  network: Network,
): Promise<string> {
  const { status, headers } = await readPage(`The ${what}`, url.href, network)
  if (status !== 200 || !headers['content-type']?.startsWith('text/html'))
    throw configInvalid(
      `no page (${status}): point the URL to a frames role with LATCHKEY_FRAMES_PAGE=${what.replace(' frame', '')}`,
    )
  const policy = String(headers['content-security-policy'] ?? '')
  const ancestors = /(?:^|;)\s*frame-ancestors ([^;]*)/.exec(policy)?.[1]?.split(' ')
  if (ancestors === undefined)
    throw configInvalid('any page may embed it: let the proxy keep the Content-Security-Policy of the role frames')
  const strangers = projects.flatMap(({ id, allowedOrigins }) =>
    allowedOrigins.flatMap((text) => {
      const origin = parseUrl(text)?.origin
      return origin === undefined || ancestors.includes(origin) ? [] : [`${origin} of ${id}`]
    }),
  )
  if (strangers.length > 0)
    throw configInvalid(
      `pages of ${strangers.slice(0, 3).join(', ')} may not embed it: give its server the same LATCHKEY_PROJECTS_FILE`,
    )
  if (headers['x-frame-options'] !== undefined)
    throw configInvalid('a proxy adds X-Frame-Options, so no page can embed it: let it leave that header out')
  return projects.length > 0 ? 'may be embedded by the pages of the projects' : 'is served with its headers'
}

export function readPage(
  what: string,
  url: string,
  { lookup, authorities }: Network,
): Promise<fetchBounded.ReturnType> {
  return fetchBounded(url, {
    what,
    timeoutMs: 10_000,
    headers: { accept: 'text/html' },
    connection: { ...(lookup && { lookup }), ...(authorities.length > 0 && { ca: [...authorities] }) },
  })
}

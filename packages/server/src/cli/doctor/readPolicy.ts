import type { IncomingHttpHeaders } from 'node:http'

export declare namespace findRefused {
  type Parameters = {
    headers: IncomingHttpHeaders
    /** HTML of the page, whose meta elements can also carry a policy (CSP Level 3 § 3.3). */
    html: string
    directive: 'frame-src' | 'connect-src'
    /** Origins that the page must reach. */
    urls: readonly string[]
    /** Origin of the page itself. */
    self: string
  }
}

/**
 * Returns the origins that a page's Content-Security-Policy blocks. If there are several policies, each must allow a
 * request.
 */
export function findRefused({ headers, html, directive, urls, self }: findRefused.Parameters): string[] {
  const sent = String(headers['content-security-policy'] ?? '').split(',')
  const policies = [...sent, ...listMetaPolicies(html)].map(readDirectives)
  return urls.filter((url) =>
    policies.some((directives) => {
      const sources = fallbacks[directive].map((name) => directives.get(name)).find((found) => found !== undefined)
      return sources !== undefined && !sources.some((source) => matches(source, new URL(url), self))
    }),
  )
}

/** Fallbacks of missing directives (CSP Level 3 § 6.8.3). */
const fallbacks = {
  'frame-src': ['frame-src', 'child-src', 'default-src'],
  'connect-src': ['connect-src', 'default-src'],
} as const

function readDirectives(policy: string): Map<string, string[]> {
  const directives = new Map<string, string[]>()
  for (const part of policy.split(';')) {
    const [name = '', ...sources] = part.trim().split(/\s+/)
    // If a directive is repeated, only the first counts (§ 2.2.1).
    if (name !== '' && !directives.has(name.toLowerCase())) directives.set(name.toLowerCase(), sources)
  }
  return directives
}

function listMetaPolicies(html: string): string[] {
  return [...html.matchAll(/<meta\b[^>]*>/gi)].flatMap(([tag]) => {
    if (!/http-equiv\s*=\s*["']?content-security-policy\b/i.test(tag)) return []
    const [, double, single] = /\scontent\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(tag) ?? []
    return [(double ?? single ?? '').replaceAll('&#39;', "'").replaceAll('&quot;', '"')]
  })
}

/** Implements CSP Level 3 § 6.7.2.8 without paths, since origins have none. */
function matches(source: string, url: URL, self: string): boolean {
  if (source === "'self'") return url.origin === new URL(self).origin
  if (source === '*') return true
  if (/^[a-z][a-z\d+.-]*:$/i.test(source)) return url.protocol === source.toLowerCase()
  const [, scheme, host = '', port] = /^(?:([a-z][a-z\d+.-]*):\/\/)?([^/:]+)(?::(\d+|\*))?(?:\/|$)/i.exec(source) ?? []
  if (scheme !== undefined && `${scheme.toLowerCase()}:` !== url.protocol) return false
  if (scheme === undefined && url.protocol !== 'https:' && url.protocol !== new URL(self).protocol) return false
  const name = host.toLowerCase()
  const isHost = name.startsWith('*.') ? url.hostname.endsWith(name.slice(1)) : url.hostname === name
  return isHost && (port === '*' || (port ?? '') === url.port)
}

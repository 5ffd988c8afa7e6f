import { DevError } from '../errors.ts'

/** Default URLs of Vite apps, Next.js apps and Latchkey's docs. They are always registered. */
export const defaultAppUrls = ['http://localhost:5173/', 'http://localhost:3000/', 'http://localhost:4180/'] as const

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Parses the URL of an app under development. Accepts only pages on this machine, because registered pages may request
 * sign-in e-mails and embed the frames.
 *
 * @throws `CONFIG_INVALID`
 */
export function parseAppUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash) {
    throw invalid(`"${text}" is not the address of a page, such as http://localhost:5173.`)
  }
  if (!loopbackHosts.has(url.hostname) && !url.hostname.endsWith('.localhost')) {
    throw invalid(`${url.host} is not this machine: the page must be on localhost or 127.0.0.1.`)
  }
  return url.href
}

/** Returns the pages that may use the devnet. By default, e-mail links open the first page. */
export function registeredPages(walletUrl: string, appUrls: readonly string[]): { urls: string[]; origins: string[] } {
  const urls = [...new Set([walletUrl, ...appUrls, ...defaultAppUrls].map(parseAppUrl))]
  return { urls, origins: [...new Set(urls.map((url) => new URL(url).origin))] }
}

function invalid(message: string): DevError {
  return new DevError(message, { code: 'CONFIG_INVALID' })
}

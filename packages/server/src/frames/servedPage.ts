import { createHash } from 'node:crypto'
import { fetchBounded } from '../http/fetchBounded.ts'
import { pageHashes } from './pageHashes.ts'

export declare namespace servedPage {
  type Parameters = {
    /** Where the frame is served, such as `https://auth.example.com`. */
    url: string
    /** Folder of the pages to compare with. @default the ones inside this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** The page that it is, such as `auth/index.html`; the URL when it is none of ours. */
    path: string
    /** SHA-256 of the page before it was filled in, in the form of Subresource Integrity: `sha256-…`. */
    hash: string
    isPublished: boolean
    /** What the server has filled in. The page is only as good as this: compare it with what you expect. */
    filledIn: { parentOrigins: string; bundleSigningKey: string }
  }
}

/** The two places of a page that are its server's. */
const places = /(<meta name="latchkey-(parent-origins|bundle-signing-key)" content=")([^"]*)(")/g

/**
 * Asks a frame's server for its page, as a browser does, and compares it with the published one. The page decides over all
 * it loads: it names the hashes of its script and style, and browsers heed them.
 *
 * @throws ServerError `TIMEOUT` | `NETWORK_UNREACHABLE` | `RESPONSE_INVALID` | `CONFIG_INVALID`
 */
export async function servedPage({ url, pagesDir }: servedPage.Parameters): Promise<servedPage.ReturnType> {
  const published = pageHashes({ pagesDir }).filter((file) => file.isPublished)
  const { body } = await fetchBounded(url, { what: "The frame's server", maxBytes: 100_000 })
  const filled: Record<string, string> = {}
  const page = new TextDecoder().decode(body).replace(places, (_all, before, name, value, after) => {
    filled[name] = value
    return `${before}__${name.toUpperCase().replaceAll('-', '_')}__${after}`
  })
  const hash = `sha256-${createHash('sha256').update(page).digest('base64')}`
  const same = published.find((file) => file.hash === hash && file.path.endsWith('/index.html'))
  return {
    path: same?.path ?? url,
    hash,
    isPublished: same !== undefined,
    filledIn: { parentOrigins: filled['parent-origins'] ?? '', bundleSigningKey: filled['bundle-signing-key'] ?? '' },
  }
}

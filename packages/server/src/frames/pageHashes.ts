import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { configInvalid } from '../platform/errors/ServerError.ts'
import { fetchBounded } from '../platform/http/fetchBounded.ts'

const manifest = 'hashes.json'
const builtPages = () => fileURLToPath(new URL('../../pages', import.meta.url))

export declare namespace pageHashes {
  type Options = {
    /** Folder with one subfolder per frame. @default the folder in this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** For example, `auth/index.html`. */
    path: string
    /** SHA-256 of the file on disk, as in Subresource Integrity: `sha256-…`. */
    hash: string
    /** Whether `hashes.json` of the build contains the same hash. */
    isPublished: boolean
  }[]
}

/**
 * Returns the files that the frames role serves, for comparison with a release's hashes and with files that browsers
 * received. In the served index.html, the two placeholders are filled in.
 *
 * @throws `CONFIG_INVALID` if the pages are not built.
 */
export function pageHashes({ pagesDir = builtPages() }: pageHashes.Options = {}): pageHashes.ReturnType {
  const published = readManifest(join(pagesDir, manifest))
  return readdirSync(pagesDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, relative(pagesDir, file).split(sep).join('/')] as const)
    .filter(([, path]) => path !== manifest)
    .sort(([, one], [, other]) => (one < other ? -1 : 1))
    .map(([file, path]) => {
      const hash = integrity(readFileSync(file))
      return { path, hash, isPublished: published[path] === hash }
    })
}

export declare namespace servedPage {
  type Parameters = {
    /** URL of the frame, such as `https://auth.example.com`. */
    url: string
    /** Folder of the pages to compare with. @default the folder in this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** Path of the published page, such as `auth/index.html`, or the URL if it is not one of our pages. */
    path: string
    /** SHA-256 of the page before placeholders were filled in, as in Subresource Integrity: `sha256-…`. */
    hash: string
    isPublished: boolean
    /**
     * Values that the server filled in. The page is only as safe as these values, so compare them with the expected
     * ones.
     */
    filledIn: { parentOrigins: string; bundleSigningKey: string }
  }
}

/** Meta elements with a placeholder. */
const places = /(<meta name="latchkey-(parent-origins|bundle-signing-key|custody-url)" content=")([^"]*)(")/g

/**
 * Fetches a page from a frame's server, as a browser does, and compares it with the published one. The page determines
 * everything it loads: browsers check its script and style against its hashes.
 *
 * @throws `TIMEOUT`, `NETWORK_UNREACHABLE`, `RESPONSE_INVALID`, `CONFIG_INVALID`.
 */
export async function servedPage({ url, pagesDir }: servedPage.Parameters): Promise<servedPage.ReturnType> {
  const published = pageHashes({ pagesDir }).filter((file) => file.isPublished)
  const { body } = await fetchBounded(url, { what: "The frame's server", maxBytes: 100_000 })
  const filled: Record<string, string> = {}
  const page = new TextDecoder().decode(body).replace(places, (_all, before, name, value, after) => {
    filled[name] = value
    return `${before}__${name.toUpperCase().replaceAll('-', '_')}__${after}`
  })
  const hash = integrity(page)
  const same = published.find((file) => file.hash === hash && file.path.endsWith('/index.html'))
  return {
    path: same?.path ?? url,
    hash,
    isPublished: same !== undefined,
    filledIn: { parentOrigins: filled['parent-origins'] ?? '', bundleSigningKey: filled['bundle-signing-key'] ?? '' },
  }
}

function integrity(content: string | Uint8Array): string {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`
}

function readManifest(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  } catch (cause) {
    throw configInvalid(`The frames' pages are not built: ${path} cannot be read. Run the build.`, cause)
  }
}

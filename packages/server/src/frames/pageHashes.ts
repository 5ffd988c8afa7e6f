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
    /** Folder with a folder for each frame. @default the one inside this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** Such as `auth/index.html`. */
    path: string
    /** SHA-256 of the file on disk, in the form of Subresource Integrity: `sha256-…`. */
    hash: string
    /** Whether `hashes.json`, which the build wrote, says the same. */
    isPublished: boolean
  }[]
}

/**
 * The files that the frames role serves, to compare with the hashes of a release and with what browsers get. An index.html
 * is served with its two placeholders filled in.
 *
 * @throws `CONFIG_INVALID` when the pages are not built.
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
    /** Where the frame is served, such as `https://auth.example.com`. */
    url: string
    /** Folder of the pages to compare with. @default the ones inside this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** Path of the published page, such as `auth/index.html`; the URL when it is none of ours. */
    path: string
    /** SHA-256 of the page before it was filled in, in the form of Subresource Integrity: `sha256-…`. */
    hash: string
    isPublished: boolean
    /** What the server has filled in. The page is only as safe as this: compare it with what you expect. */
    filledIn: { parentOrigins: string; bundleSigningKey: string }
  }
}

/** The two places of a page that its server fills in. */
const places = /(<meta name="latchkey-(parent-origins|bundle-signing-key|custody-url)" content=")([^"]*)(")/g

/**
 * Fetches a page from a frame's server, as a browser does, and compares it with the published one. The page decides about
 * all it loads: it names the hashes of its script and style, and browsers check them.
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

/** In the form of Subresource Integrity. */
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

import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { gzipSync } from 'node:zlib'
import { configInvalid } from '../errors/ServerError.ts'

/** `etag`: without quotes. `gzip`: set if compression saves space. */
export type PageFile = {
  content: Uint8Array<ArrayBuffer>
  contentType: string
  etag: string
  gzip?: Uint8Array<ArrayBuffer>
}

/**
 * Names with a content hash: eight characters, including a digit, before the extension. Browsers cache these files
 * forever.
 */
const hashedName = /[.-](?=[^.]*\d)[0-9A-Za-z_-]{8}\.(?:js|css|svg)$/

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/** Minimum bytes for compression. */
const worthPacking = 1024

/**
 * Reads a folder of built pages into memory, by URL path (`/index.html`), so that no request touches the file system.
 * Skips unknown file types.
 */
export function readPages(directory: string): ReadonlyMap<string, PageFile> {
  if (!existsSync(join(directory, 'index.html')))
    throw configInvalid(
      `The pages are not built: ${join(directory, 'index.html')} is missing. Run the build, or give their folder.`,
    )
  const files = new Map<string, PageFile>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes[extname(entry.name)]
    if (!entry.isFile() || !contentType) continue
    const path = join(entry.parentPath, entry.name)
    const content = new Uint8Array(readFileSync(path))
    const etag = createHash('sha256').update(content).digest('base64url').slice(0, 22)
    // HTML is not compressed here, since pages are rendered for each request.
    const isPacked = content.length > worthPacking && !entry.name.endsWith('.html')
    files.set(`/${relative(directory, path).split(sep).join('/')}`, {
      content,
      contentType,
      etag,
      ...(isPacked && { gzip: new Uint8Array(gzipSync(content, { level: 9 })) }),
    })
  }
  return files
}

/**
 * Returns the response for a page's file: cached forever if its name contains a content hash, otherwise revalidated by
 * its tag.
 */
export function assetResponse(
  file: PageFile,
  { path, asked, headers: common }: { path: string; asked: Headers; headers: Record<string, string> },
): Response {
  const isGzip =
    file.gzip !== undefined && /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?(?:,|$))/.test(asked.get('accept-encoding') ?? '')
  // Each encoding is a separate representation (RFC 9110 § 8.8.3).
  const etag = isGzip ? `"${file.etag}-gzip"` : `"${file.etag}"`
  const headers = {
    ...common,
    'content-type': file.contentType,
    'cache-control': hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    vary: 'accept-encoding',
    etag,
    ...(isGzip && { 'content-encoding': 'gzip' }),
  }
  const known = asked.get('if-none-match')?.split(',')
  const isFresh = known?.some((tag) => tag.trim().replace(/^W\//, '') === etag)
  return isFresh
    ? new Response(null, { status: 304, headers })
    : new Response(isGzip ? file.gzip : file.content, { headers })
}

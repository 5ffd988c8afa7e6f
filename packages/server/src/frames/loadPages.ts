import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join, relative, sep } from 'node:path'
import { ServerError } from '../http/ServerError.ts'

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export type PageFile = { content: Uint8Array<ArrayBuffer>; contentType: string; etag: string }

export declare namespace loadPages {
  /** By URL path: `/index.html`. */
  type ReturnType = ReadonlyMap<string, PageFile>
  type ErrorType = ServerError
}

/**
 * Reads a folder of built pages into memory, so that no request ever touches the file system. Files of unknown kinds
 * are left out. Throws `CONFIG_INVALID` when the folder holds no index.html.
 */
export function loadPages(directory: string): loadPages.ReturnType {
  if (!existsSync(join(directory, 'index.html')))
    throw new ServerError(
      `The frame's pages are not built: ${join(directory, 'index.html')} is missing. Run the build, or give their folder.`,
      { code: 'CONFIG_INVALID', status: 500 },
    )
  const files = new Map<string, PageFile>()
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    const contentType = contentTypes[extname(entry.name)]
    if (!entry.isFile() || !contentType) continue
    const path = join(entry.parentPath, entry.name)
    const content = new Uint8Array(readFileSync(path))
    const etag = `"${createHash('sha256').update(content).digest('base64url').slice(0, 22)}"`
    files.set(`/${relative(directory, path).split(sep).join('/')}`, { content, contentType, etag })
  }
  return files
}

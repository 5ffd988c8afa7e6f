import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ServerError } from '../http/ServerError.ts'

export declare namespace pageHashes {
  type Options = {
    /** Folder with a folder for each frame. @default the one inside this package */
    pagesDir?: string | undefined
  }
  type ReturnType = {
    /** Such as `auth/index.html`. */
    path: string
    /** SHA-256 of the file as it lies there, in the form of Subresource Integrity: `sha256-…`. */
    hash: string
    /** Whether `hashes.json`, which the build wrote, says the same. */
    isPublished: boolean
  }[]
}

const manifest = 'hashes.json'
const builtPages = () => fileURLToPath(new URL('../../pages', import.meta.url))

/**
 * What the frames role serves, to be compared with the hashes of a release and with what browsers get. An index.html is
 * served with its two placeholders filled in. Throws `CONFIG_INVALID` when the pages are not built.
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
      const hash = `sha256-${createHash('sha256').update(readFileSync(file)).digest('base64')}`
      return { path, hash, isPublished: published[path] === hash }
    })
}

function readManifest(path: string): Record<string, unknown> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>
  } catch (cause) {
    throw new ServerError(`The frames' pages are not built: ${path} cannot be read. Run the build.`, {
      code: 'CONFIG_INVALID',
      status: 500,
      cause,
    })
  }
}

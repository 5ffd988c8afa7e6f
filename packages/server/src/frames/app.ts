import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { errorResponse } from '../http/errorResponse.ts'
import { type Logger, silentLogger } from '../http/logger.ts'
import type { Db } from '../store/openStore.ts'
import { listAllowedOrigins } from '../store/projects/listAllowedOrigins.ts'
import { frameHeaders } from './frameHeaders.ts'
import { loadPages, type PageFile } from './loadPages.ts'

/** The same depth from `src/frames` and from `dist/frames`. */
const builtAuthPages = fileURLToPath(new URL('../../pages/auth', import.meta.url))
/** In the page's meta element; the frame talks to no other parent. */
const originsPlaceholder = '__PARENT_ORIGINS__'
/** Eight characters with a digit among them before the ending: named by content, so it may be kept for ever. */
const hashedName = /[.-](?=[^.]*\d)[0-9A-Za-z_-]{8}\.(?:js|css|svg)$/

export declare namespace framesApp {
  type Deps = {
    db: Db
    logger?: Logger | undefined
    /** Folder of the built auth frame. @default the one inside this package */
    authPagesDir?: string | undefined
  }
  type ReturnType = Hono
}

/**
 * The frames role: the auth frame's files on an origin of their own. The page may be embedded by the projects' allowed
 * origins and is told them. Throws `CONFIG_INVALID` at once when the pages are not built.
 */
export function framesApp(deps: framesApp.Deps): framesApp.ReturnType {
  const logger = deps.logger ?? silentLogger
  const files = loadPages(deps.authPagesDir ?? builtAuthPages)

  const app = new Hono()
  app.get('*', async (context) => {
    const path = context.req.path.endsWith('/') ? `${context.req.path}index.html` : context.req.path
    const file = files.get(path)
    if (!file) return context.notFound()
    if (path.endsWith('.html')) return page(file, await listAllowedOrigins(deps.db))
    return asset(file, path, context.req.header('if-none-match'))
  })
  app.notFound(() => new Response('Not found', { status: 404, headers: frameHeaders([]) }))
  app.onError((error, context) => errorResponse(error, logger, { path: context.req.path }))
  return app
}

/** Never stored: who may embed the page can change at any time. */
function page(file: PageFile, parentOrigins: readonly string[]): Response {
  const html = new TextDecoder()
    .decode(file.content)
    .replaceAll(originsPlaceholder, escapeHtml(parentOrigins.join(' ')))
  return new Response(html, {
    headers: { ...frameHeaders(parentOrigins), 'content-type': file.contentType, 'cache-control': 'no-store' },
  })
}

function asset(file: PageFile, path: string, ifNoneMatch: string | undefined): Response {
  const headers = {
    ...frameHeaders([]),
    'content-type': file.contentType,
    'cache-control': hashedName.test(path) ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag: file.etag,
  }
  const fresh = ifNoneMatch?.split(',').some((tag) => tag.trim().replace(/^W\//, '') === file.etag)
  return fresh ? new Response(null, { status: 304, headers }) : new Response(file.content, { headers })
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
}

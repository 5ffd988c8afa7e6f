import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname, join, normalize, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hono } from 'hono'
import { compress } from 'hono/compress'
import { listen } from 'latchkey-server'
import { DevError } from '../errors.ts'
import { ownOriginOnly } from './ownOriginOnly.ts'

export declare namespace serveExample {
  type Parameters = {
    port: number
    /** Content of `/config.json`: the page's settings for this devnet. */
    config: Record<string, unknown>
    /** Origins that the page may connect to, and those of its frames. */
    connect: readonly string[]
    frames: readonly string[]
    /** Folder of the built page. @default the folder in this package */
    folder?: string | undefined
  }
  type ReturnType = { url: string; close(): Promise<void> }
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
}

/** Serves the built example wallet on loopback, with this devnet's URLs at `/config.json`. */
export async function serveExample(parameters: serveExample.Parameters): Promise<serveExample.ReturnType> {
  const folder = parameters.folder ?? fileURLToPath(new URL('../../example/', import.meta.url))
  if (!existsSync(join(folder, 'index.html'))) {
    throw new DevError('The example wallet is not built.', {
      code: 'CHILD_MISSING',
      hint: 'Run `npm run build`, or start without it: --no-example.',
    })
  }
  const policy = contentSecurityPolicy(parameters)
  const app = new Hono()
  app.use(ownOriginOnly())
  // Compresses like a real server, so that tests with slow connections are realistic.
  app.use(compress({ encoding: 'gzip' }))
  app.use(async (context, next) => {
    await next()
    context.header('Content-Security-Policy', policy)
    // Sends no referrer, because the query of an e-mail link contains a credential bundle.
    context.header('Referrer-Policy', 'no-referrer')
    context.header('X-Content-Type-Options', 'nosniff')
  })
  app.get('/config.json', (context) => context.json(parameters.config, 200, { 'Cache-Control': 'no-store' }))
  app.get('*', async (context) => {
    const found = await findFile(folder, context.req.path)
    if (!found) return context.json({ code: 'NOT_FOUND', message: 'No such file in the example wallet.' }, 404)
    const cache = found.path.includes(`${sep}assets${sep}`) ? 'max-age=31536000, immutable' : 'no-cache'
    return context.body(new Uint8Array(found.content), 200, {
      'Content-Type': types[extname(found.path)] ?? 'application/octet-stream',
      'Cache-Control': cache,
    })
  })
  return listen((request) => app.fetch(request), { port: parameters.port })
}

function contentSecurityPolicy({ connect, frames }: serveExample.Parameters): string {
  return [
    "default-src 'self'",
    `connect-src 'self' ${connect.join(' ')}`,
    `frame-src ${frames.join(' ')}`,
    "img-src 'self' data:",
    "style-src 'self' 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; ')
}

async function findFile(folder: string, urlPath: string): Promise<{ path: string; content: Buffer } | undefined> {
  const relative = normalize(decode(urlPath))
  const path = join(folder, relative.endsWith(sep) ? join(relative, 'index.html') : relative)
  if (!path.startsWith(folder.endsWith(sep) ? folder : folder + sep) || path.includes('\0')) return undefined
  try {
    return { path, content: await readFile(path) }
  } catch {
    // A path without an extension is a route of the page, not a file.
    if (extname(path) !== '') return undefined
    const index = join(folder, 'index.html')
    return { path: index, content: await readFile(index) }
  }
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return '/'
  }
}

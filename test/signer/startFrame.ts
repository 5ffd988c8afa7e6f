import { execFile } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { type Listening, listen } from './listen.ts'

const root = new URL('../../', import.meta.url)
const pages = new URL('packages/server/pages/auth/', root)
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

/** Builds the auth frame. Runs the command a release runs, so that what is tested is what is shipped. */
export async function buildFrame(): Promise<void> {
  await promisify(execFile)(process.execPath, [fileURLToPath(new URL('packages/frames/build.mjs', root))])
}

/** Serves the built auth frame with its content security policy. `listed`: filled into the page; `framing`: the CSP's. */
export async function startFrame(listed: () => string, framing: () => string = listed): Promise<Listening> {
  const files = new Map<string, Buffer>()
  for (const name of await readdir(pages)) files.set(`/${name}`, await readFile(new URL(name, pages)))
  return listen((request, response) => {
    const path = request.url === '/' ? '/index.html' : (request.url ?? '')
    const file = files.get(path)
    if (!file) {
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${framing()}`,
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    })
    response.end(path === '/index.html' ? file.toString('utf8').replace('__PARENT_ORIGINS__', listed()) : file)
  })
}

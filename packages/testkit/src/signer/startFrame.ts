import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { assetHeaders, frameHeaders } from '../../../server/src/frames/frameHeaders.ts'
import { type Listening, listen } from './listen.ts'

const build = fileURLToPath(new URL('../../../frames/build.mjs', import.meta.url))
const types: Record<string, string> = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' }

export type FrameName = 'auth' | 'export' | 'export-and-sign' | 'import' | 'paper-key'

let built: Promise<Map<string, Buffer>> | undefined

async function buildFrames(): Promise<Map<string, Buffer>> {
  const folder = await mkdtemp(join(tmpdir(), 'latchkey-frame-'))
  try {
    await promisify(execFile)(process.execPath, [build, folder])
    const files = await readdir(folder, { recursive: true, withFileTypes: true })
    const paths = files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name))
    return new Map(
      await Promise.all(paths.map(async (path) => [relative(folder, path), await readFile(path)] as const)),
    )
  } finally {
    await rm(folder, { recursive: true })
  }
}

/**
 * Serves a built frame like the server. `listed` origins are inserted into the page, `framing` origins into the content
 * security policy; null omits the policy. Without `bundleSigningKey`, the placeholder remains in the page. Files are
 * delayed by `delayMs`.
 */
export async function startFrame(
  listed: () => string,
  framing: (() => string) | null = listed,
  options: { page?: FrameName; bundleSigningKey?: () => string; delayMs?: number } = {},
): Promise<Listening> {
  const page = options.page ?? 'auth'
  built ??= buildFrames()
  const files = await built
  const index = () => {
    const text = String(files.get(`${page}/index.html`)).replace('__PARENT_ORIGINS__', listed())
    return options.bundleSigningKey ? text.replace('__BUNDLE_SIGNING_KEY__', options.bundleSigningKey()) : text
  }
  return listen(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const path = pathname === '/' ? '/index.html' : pathname
    const file = files.get(`${page}${path}`)
    if (path !== '/index.html') await sleep(options.delayMs ?? 0)
    if (!file) {
      response.writeHead(404).end()
      return
    }
    const headers = path === '/index.html' ? frameHeaders(framing?.().split(' ') ?? []) : assetHeaders
    const { 'content-security-policy': policy, ...others } = headers
    response.writeHead(200, {
      'content-type': types[extname(path)] ?? 'application/octet-stream',
      ...others,
      ...(framing && { 'content-security-policy': policy }),
    })
    response.end(path === '/index.html' ? index() : file)
  })
}

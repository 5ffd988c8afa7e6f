import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Rolldown } from 'vite'

export type Built = readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]

const types: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
  json: 'application/json',
  wasm: 'application/wasm',
}

/** Serves a built page like a production server, compressed. `html`: page to use if the build has none. */
export async function serveBuilt(built: Built, html?: string): Promise<{ url: string; close(): void }> {
  const files = new Map(
    built.map((file) => [`/${file.fileName}`, gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 })]),
  )
  if (html !== undefined) files.set('/index.html', gzipSync(html))
  const server = createServer((request, response) => {
    const [asked = '/'] = (request.url ?? '/').split('?')
    const path = asked === '/' ? '/index.html' : asked
    const body = files.get(path)
    response.setHeader('content-type', types[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream')
    if (body) response.setHeader('content-encoding', 'gzip')
    response.writeHead(body ? 200 : 404).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { url: `http://localhost:${port}/`, close: () => server.close() }
}

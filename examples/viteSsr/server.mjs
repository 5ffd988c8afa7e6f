import { createReadStream, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { basename, extname, join } from 'node:path'
import { Transform } from 'node:stream'
import { render } from './dist/server/entryServer.js'

const client = join(import.meta.dirname, 'dist/client')
const [start, end] = readFileSync(join(client, 'index.html'), 'utf8').split('<!--page-->')
const types = { '.js': 'text/javascript', '.css': 'text/css' }

createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const asset = pathname.startsWith('/assets/') && join(client, 'assets', basename(pathname))
  if (asset && existsSync(asset)) {
    response.setHeader('content-type', types[extname(asset)] ?? 'application/octet-stream')
    createReadStream(asset).pipe(response)
    return
  }
  // The page depends on the cookie, so no cache may serve it to other users.
  response.setHeader('cache-control', 'private, no-store')
  response.setHeader('content-type', 'text/html; charset=utf-8')
  try {
    const { page, state } = await render(pathname, request.headers.cookie)
    response.write(start.replace('<!--state-->', () => state))
    const rest = new Transform({
      transform: (chunk, _, done) => done(null, chunk),
      flush(done) {
        this.push(end)
        done()
      },
    })
    page.pipe(rest).pipe(response)
  } catch (error) {
    console.error(error)
    response.statusCode = 500
    response.end('The page could not be rendered.')
  }
}).listen(Number(process.env.PORT ?? 3000), () => console.log('ready'))

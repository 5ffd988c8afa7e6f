import { buildScript } from '@latchkey/testkit/buildScript'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'

/** Serves the page with the published clients on two sites, `localhost` and `127.0.0.1`. */
export async function startStamperPage(): Promise<Listening> {
  const code = await buildScript(new URL('./stamperPage.ts', import.meta.url))
  return listen((request, response) => {
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html', 'cache-control': 'no-store' })
    response.end(isScript ? code : html)
  })
}

const html = `<!doctype html><title>Clients</title><link rel="icon" href="data:,">
<script type="module" src="/page.js"></script>`

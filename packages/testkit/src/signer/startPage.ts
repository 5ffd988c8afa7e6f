import { buildScript } from '../buildScript.ts'
import { type Listening, listen } from './listen.ts'
import type { PageConfig } from './page.ts'

/** Where the page is without a signer. */
export const emptyPath = '/empty'

let script: Promise<string> | undefined

/** The page's script, built once from the sources. */
export function pageScript(): Promise<string> {
  script ??= buildScript(new URL('./page.ts', import.meta.url), {
    resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'default'] },
  })
  return script
}

/** Serves a page with a signer in it. */
export async function startPage(config: () => PageConfig): Promise<Listening> {
  const code = await pageScript()
  return listen((request, response) => {
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html', 'cache-control': 'no-store' })
    response.end(isScript ? code : request.url === emptyPath ? '<!doctype html>' : pageHtml(config()))
  })
}

export function pageHtml(config: PageConfig): string {
  return `<!doctype html><title>Signer</title><link rel="icon" href="data:,">
<script type="application/json" id="config">${JSON.stringify(config)}</script>
<script type="module" src="/page.js"></script>`
}

import { buildScript } from '../buildScript.ts'
import { type Listening, listen } from './listen.ts'
import type { PageConfig } from './page.ts'

/** Path of a page without a signer. */
export const emptyPath = '/empty'

let script: Promise<string> | undefined

export function pageScript(): Promise<string> {
  script ??= buildScript(new URL('./page.ts', import.meta.url), {
    resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'default'] },
  })
  return script
}

export type SignerPage = Listening & {
  /**
   * URL of the same server as another site. It embeds the page at `/around`, and with passkey permission at
   * `/around?allow`.
   */
  elsewhere: string
  config: PageConfig
  /** URL of a server that replaces the page, for an app whose origin the project allows. */
  instead: string | undefined
}

export async function startPage(config: PageConfig = { signerApiUrl: 'http://localhost:1' }): Promise<SignerPage> {
  const own: Pick<SignerPage, 'config' | 'instead'> = { config, instead: undefined }
  const page = await listen(async (request, response) => {
    if (own.instead) {
      const reply = await fetch(`${own.instead}${request.url}`)
      response.writeHead(reply.status, { 'content-type': reply.headers.get('content-type') ?? 'text/html' })
      return response.end(Buffer.from(await reply.arrayBuffer()))
    }
    const isScript = request.url === '/page.js'
    response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html', 'cache-control': 'no-store' })
    if (request.url?.startsWith('/around')) return response.end(around(`${page.url}/`, request.url.endsWith('?allow')))
    return response.end(
      isScript ? await pageScript() : request.url === emptyPath ? '<!doctype html>' : pageHtml(config),
    )
  })
  return Object.assign(own, page, { elsewhere: page.url.replace('localhost', '127.0.0.1') })
}

export function around(url: string, isAllowed: boolean): string {
  const allow = isAllowed ? 'allow="publickey-credentials-get *; publickey-credentials-create *"' : ''
  return `<!doctype html><title>Around</title><link rel="icon" href="data:,"><iframe ${allow} src="${url}"></iframe>`
}

export function pageHtml(config: PageConfig): string {
  return `<!doctype html><title>Signer</title><link rel="icon" href="data:,">
<script type="application/json" id="config">${JSON.stringify(config)}</script>
<script type="module" src="/page.js"></script>`
}

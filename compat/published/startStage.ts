import { startTestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { type Listening, listen } from '@latchkey/testkit/signer/listen'
import { startFrame } from '@latchkey/testkit/signer/startFrame'
import { startTestSignerApi, testApiKey } from '@latchkey/testkit/signerApi'
import { startHosts } from '@latchkey/testkit/startHosts'
import { custodyPaths } from 'latchkey-protocol'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { readConfirmationMail } from '../../packages/dev/src/testing/readConfirmationMail.ts'
import { upsertProject } from '../../packages/server/src/store/upsertProject.ts'
import { untilAwaited } from './untilAwaited.ts'

export type Stage = Awaited<ReturnType<typeof startStage>>

export declare namespace startStage {
  type Parameters = {
    /** Scripts of the page, with its own script last. */
    scripts: readonly string[]
    /** Migrated app, served at `/moved`. */
    moved?: string | undefined
    /** Host at which the clients expect the chain. */
    chainHost: string
    chainId?: number | undefined
    /** Project settings that override the defaults, which require confirmations by e-mail and allow codes. */
    project?: Omit<Partial<upsertProject.Parameters>, 'id' | 'name'> | undefined
  }
}

/**
 * Serves a page with published clients. The public hosts that they use resolve to Latchkey's server and frames. No
 * request is intercepted, so preflights are real.
 */
export async function startStage({ scripts, moved, chainHost, chainId, project }: startStage.Parameters) {
  let config = {}
  const app = await listen((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const pages = pathname === '/moved' ? ['moved'] : [...scripts.keys()].map(String)
    const script = pathname === '/moved.js' ? moved : scripts[Number(/^\/(\d+)\.js$/.exec(pathname)?.[1] ?? -1)]
    response.setHeader('content-type', script === undefined ? 'text/html' : 'text/javascript')
    response.end(script ?? renderPage(pages, config))
  })
  const page = { allowedOrigins: [app.url], redirectUrls: [`${app.url}/`] }
  const [devnet, gateway] = await Promise.all([
    startTestSignerApi({
      project: {
        ...page,
        confirmations: 'mail',
        exportsTo: 'frame',
        importsTo: 'frame',
        signerCodes: 'allowed',
        ...project,
      },
    }),
    startTestGateway({ chainId }),
  ])
  await upsertProject(gateway.db, { id: 'app', name: 'App', apiKey: testApiKey, ...page })
  config = { rootOrgId: devnet.custody.rootOrganizationId, chainId: gateway.chainId, apiKey: testApiKey }
  const frames = {
    auth: await startFrame(() => app.url),
    export: await startFrame(() => app.url, undefined, {
      page: 'export',
      bundleSigningKey: () => devnet.custody.bundleSigner,
    }),
  }
  const hosts = await startHosts({
    'api.g.alchemy.com': (request, env) =>
      (new URL(request.url).pathname.startsWith('/signer/') ? devnet.app : gateway.app).fetch(request, env),
    [chainHost]: (request, env) => gateway.app.fetch(toChain(request, gateway.chainId), env),
    'api.turnkey.com': (request, env) => devnet.custody.app.fetch(request, env),
    'auth.turnkey.com': toFrame(frames.auth),
    'export.turnkey.com': toFrame(frames.export),
  })
  return {
    appUrl: app.url,
    devnet,
    gateway,
    browserArgs: hosts.browserArgs,
    /** Waits for the first e-mail to an address, and for the response to the page that requested it. */
    async mailed(email: string, asking: Page) {
      await expect.poll(() => devnet.inbox.messages({ to: email }).length, { timeout: 60_000 }).toBeGreaterThan(0)
      await untilAwaited(asking)
    },
    /**
     * Confirms with the e-mail after the first `skip` e-mails. With `passed-on`, expects that another address must
     * confirm, too.
     */
    async confirmByMail(email: string, skip = 0, state: 'confirmed' | 'passed-on' = 'confirmed') {
      const link = await readConfirmationMail({ urls: { inbox: devnet.inbox.url } }, email, { skip })
      const body = JSON.stringify({ secret: new URL(link).hash.slice(1), decision: 'accept' })
      const { body: decided } = await devnet.custody.send(custodyPaths.decideConfirmation, body)
      expect(decided.confirmation).toMatchObject({ state, email })
    },
    async close() {
      await Promise.all([hosts.close(), app.close(), frames.auth.close(), frames.export.close()])
      await Promise.all([devnet.close(), gateway.close()])
    },
  }
}

/** Rewrites a request. The hosted gateway identifies the chain by host, Latchkey's gateway by path. */
function toChain(request: Request, chainId: number): Request {
  const url = new URL(request.url)
  url.pathname = `/${chainId}${url.pathname}`
  return new Request(url, request)
}

function toFrame(frame: Listening): (request: Request) => Promise<Response> {
  return ({ url }) => fetch(`${frame.url}${new URL(url).pathname}${new URL(url).search}`)
}

function renderPage(scripts: readonly string[], config: object): string {
  const tags = scripts.map((name) =>
    name === scripts.at(-1)
      ? `<script type="module" src="/${name}.js"></script>`
      : `<script src="/${name}.js"></script>`,
  )
  return `<!doctype html><title>Published</title><link rel="icon" href="data:,">
<div id="alchemy-signer-iframe-container" style="display:none"></div><div id="export"></div><div id="root"></div>
<script type="application/json" id="config">${JSON.stringify(config)}</script>${tags.join('')}`
}

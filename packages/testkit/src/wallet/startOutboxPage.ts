import type { Browser, Page } from 'playwright-core'
import type { Hex } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { buildScript } from '../buildScript.ts'
import type { TestChain } from '../chain.ts'
import { listen, readBody } from '../signer/listen.ts'
import type { OutboxPageConfig } from './outboxPage.ts'

const bundlerMethods = /^eth_(send|estimate|get)UserOperation|^eth_supportedEntryPoints$/

export type OutboxRun = {
  owner: Hex
  steps: string[]
  /** Step at which the page is closed, counted from 1. */
  killAt: number
  kill: () => void
}

/** Serves a page with an outbox on a chain and its bundler, and receives the page's steps. */
export async function startOutboxPage(devnet: Pick<TestChain, 'chainId' | 'nodeUrl' | 'bundlerUrl'>, browser: Browser) {
  const script = await buildScript(new URL('./outboxPage.ts', import.meta.url), {
    resolve: { conditions: ['@latchkey/source', 'module', 'browser', 'default'] },
  })
  const runs = new Map<string, OutboxRun>()
  /** A step of a closed page never resolves. */
  const step = async (run: OutboxRun, name: string) => {
    run.steps.push(name)
    if (run.steps.length !== run.killAt) return
    run.kill()
    await new Promise(() => {})
  }
  const server = await listen(async (request, response) => {
    const [, kind, name = ''] = request.url?.split('/') ?? []
    const run = runs.get(name)
    if (!run) {
      const isScript = request.url === '/page.js'
      response.writeHead(200, { 'content-type': isScript ? 'text/javascript' : 'text/html' })
      response.end(
        isScript ? script : '<!doctype html><title>Outbox</title><script type="module" src="/page.js"></script>',
      )
      return
    }
    const body = await readBody(request)
    if (kind === 'step') {
      await step(run, body)
      response.end()
      return
    }
    const { method } = JSON.parse(body)
    await step(run, `before ${method}`)
    const url = bundlerMethods.test(method) ? devnet.bundlerUrl : devnet.nodeUrl
    const reply = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const text = await reply.text()
    await step(run, `after ${method}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end(text)
  })
  let count = 0
  return {
    url: server.url,
    close: () => server.close(),
    async start(version: OutboxPageConfig['version']) {
      const name = `run${++count}`
      const run: OutboxRun = { owner: generatePrivateKey(), steps: [], killAt: 0, kill: () => {} }
      runs.set(name, run)
      const context = await browser.newContext()
      const config: OutboxPageConfig = { chainId: devnet.chainId, owner: run.owner, version, run: name }
      return {
        run,
        async open(): Promise<Page> {
          const page = await context.newPage()
          await page.goto(server.url)
          await page.waitForFunction(() => window.outbox !== undefined)
          await page.evaluate(async (given) => {
            window.client = await window.outbox.open(given)
          }, config)
          return page
        },
        close: () => context.close(),
      }
    },
  }
}

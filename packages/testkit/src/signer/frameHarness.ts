import type { BrowserContext, Frame, Page } from 'playwright-core'
import { type Listening, listen } from './listen.ts'

// Page that embeds a frame and records all messages.

export type Message = {
  type: string
  value?: unknown
  requestId?: string
  organizationId?: string
  userId?: string
  storage?: string
  keyFormat?: string
  address?: string
}
export type Harness = {
  window: Message[]
  port: Message[]
  frame: HTMLIFrameElement
  post(message: Message): void
  send(message: Message): void
  init(): void
}
declare global {
  interface Window {
    harness: Harness
  }
}

export function startParent(): Promise<Listening> {
  return listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Parent</title><link rel="icon" href="data:,">')
  })
}

const idle = new WeakMap<BrowserContext, Page[]>()

/**
 * Ends a test, but reuses its context and pages for the next test, because a new page is slow to open. Deletes the data
 * of `origins`.
 */
export async function reusePages(context: BrowserContext, ...origins: string[]): Promise<void> {
  await context.clearPermissions()
  const pages = context.pages()
  idle.set(context, pages)
  if (!pages[0]) return
  const session = await context.newCDPSession(pages[0])
  for (const origin of origins) await session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' })
  await session.detach()
}

export async function openInParent(
  context: BrowserContext,
  options: embed.Options & { parent: string },
): Promise<Page> {
  const page = idle.get(context)?.pop() ?? (await context.newPage())
  await page.goto(options.parent)
  await embed(page, options)
  return page
}

export declare namespace embed {
  /** With `channel`, the page transfers a port after the frame has loaded. */
  type Options = { url: string; channel: boolean; allow?: string; sandbox?: string }
}

export async function embed(page: Page | Frame, options: embed.Options): Promise<void> {
  await page.evaluate(
    async ([url, channel, allow, sandbox]) => {
      const { port1, port2 } = new MessageChannel()
      const iframe = document.createElement('iframe')
      // A sandboxed frame without an origin can be addressed only by `*`.
      const target = sandbox.includes('allow-same-origin') ? new URL(url).origin : '*'
      const harness: Harness = {
        window: [],
        port: [],
        frame: iframe,
        post: (message) => iframe.contentWindow?.postMessage(message, target),
        send: (message) => port1.postMessage(message),
        init: () => iframe.contentWindow?.postMessage({ type: 'TURNKEY_INIT_MESSAGE_CHANNEL' }, target, [port2]),
      }
      window.harness = harness
      window.addEventListener('message', ({ data }) => harness.window.push(data))
      port1.onmessage = ({ data }) => harness.port.push(data)
      iframe.setAttribute('sandbox', sandbox)
      iframe.allow = allow
      iframe.src = url
      // The decision must be fully visible.
      iframe.width = '360'
      iframe.height = '420'
      const loaded = new Promise((resolve) => iframe.addEventListener('load', resolve))
      document.body.append(iframe)
      await loaded
      if (channel) harness.init()
    },
    [options.url, options.channel, options.allow ?? '', options.sandbox ?? 'allow-scripts allow-same-origin'] as const,
  )
}
export const received = async (page: Page | Frame, from: 'window' | 'port', count: number): Promise<Message[]> => {
  await page.waitForFunction(([name, wanted]) => window.harness[name].length >= wanted, [from, count] as const)
  return page.evaluate((name) => window.harness[name], from)
}
export const send = (page: Page | Frame, messages: Message[]) =>
  page.evaluate((list) => {
    for (const message of list) window.harness.send(message)
  }, messages)
export const post = (page: Page | Frame, messages: Message[]) =>
  page.evaluate((list) => {
    for (const message of list) window.harness.post(message)
  }, messages)

import type { BrowserContext, Page } from 'playwright-core'
import { type Listening, listen } from './listen.ts'

// A page around a frame that keeps every message it gets.

export type Message = {
  type: string
  value?: unknown
  requestId?: string
  organizationId?: string
  userId?: string
  storage?: string
  keyFormat?: string
}
export type Harness = {
  /** Every message the window got, and every one the port got. */
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

/** An empty page that may embed frames. */
export function startParent(): Promise<Listening> {
  return listen((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end('<!doctype html><title>Parent</title><link rel="icon" href="data:,">')
  })
}

/** A page with the frame in it. With `channel` the port is handed over when the frame has loaded. */
export async function openInParent(
  context: BrowserContext,
  options: { url: string; parent: string; channel: boolean; allow?: string; sandbox?: string },
): Promise<Page> {
  const page = await context.newPage()
  await page.goto(options.parent)
  await page.evaluate(
    async ([url, channel, allow, sandbox]) => {
      const { port1, port2 } = new MessageChannel()
      const iframe = document.createElement('iframe')
      // A sandbox without an origin of its own can only be named by the star.
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
      const loaded = new Promise((resolve) => iframe.addEventListener('load', resolve))
      document.body.append(iframe)
      await loaded
      if (channel) harness.init()
    },
    [options.url, options.channel, options.allow ?? '', options.sandbox ?? 'allow-scripts allow-same-origin'] as const,
  )
  return page
}
export const received = async (page: Page, from: 'window' | 'port', count: number): Promise<Message[]> => {
  await page.waitForFunction(([name, wanted]) => window.harness[name].length >= wanted, [from, count] as const)
  return page.evaluate((name) => window.harness[name], from)
}
export const send = (page: Page, messages: Message[]) =>
  page.evaluate((list) => {
    for (const message of list) window.harness.send(message)
  }, messages)
export const post = (page: Page, messages: Message[]) =>
  page.evaluate((list) => {
    for (const message of list) window.harness.post(message)
  }, messages)

import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { listen, readBody } from './signer/listen.ts'

export type WebhookReceiver = Awaited<ReturnType<typeof startWebhookReceiver>>

/** Starts an app's server that takes `takesMs` to handle a webhook. */
export async function startWebhookReceiver({ takesMs = 0 } = {}) {
  const open = new Map<string, number>()
  let most = 0
  const { url, close } = await listen(async (request, response) => {
    const id = String(request.headers['webhook-id'])
    open.set(id, (open.get(id) ?? 0) + 1)
    most = Math.max(most, open.get(id) ?? 0)
    receiver.received.push({ headers: request.headers, body: await readBody(request) })
    const status = receiver.statuses.shift() ?? 204
    setTimeout(() => {
      open.set(id, (open.get(id) ?? 1) - 1)
      response.writeHead(status).end(status === 204 ? undefined : 'what a receiver says')
    }, takesMs)
  }, '127.0.0.1')
  const receiver = {
    url: `${url}/hooks`,
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    received: [] as { headers: IncomingHttpHeaders; body: string }[],
    /** Statuses of the next responses. If empty, all webhooks are accepted. */
    statuses: [] as number[],
    /** Returns the maximum number of concurrent deliveries of one id. */
    mostAtOnce: () => most,
    close,
  }
  return receiver
}

import { randomBytes } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export type WebhookReceiver = {
  url: string
  /** `whsec_…`. */
  secret: string
  received: { headers: IncomingHttpHeaders; body: string }[]
  /** Responds to the next webhooks; an empty list takes everything. */
  statuses: number[]
  /** How many were sent at the same time with one id, at most. */
  mostAtOnce(): number
  close(): Promise<void>
}

/** An app's server that takes webhooks, each for `takesMs`. */
export async function startWebhookReceiver({ takesMs = 0 } = {}): Promise<WebhookReceiver> {
  const open = new Map<string, number>()
  let most = 0
  const server = createServer((request, response) => {
    const id = String(request.headers['webhook-id'])
    open.set(id, (open.get(id) ?? 0) + 1)
    most = Math.max(most, open.get(id) ?? 0)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      receiver.received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
      const status = receiver.statuses.shift() ?? 204
      setTimeout(() => {
        open.set(id, (open.get(id) ?? 1) - 1)
        response.writeHead(status).end(status === 204 ? undefined : 'what a receiver says')
      }, takesMs)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const receiver: WebhookReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    secret: `whsec_${randomBytes(32).toString('base64')}`,
    received: [],
    statuses: [],
    mostAtOnce: () => most,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
  return receiver
}

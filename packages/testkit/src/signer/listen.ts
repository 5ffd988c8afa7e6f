import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toListener } from '../toListener.ts'

export type Listening = { url: string; close(): Promise<void> }

/** Starts a server on a free loopback port. `host` is the host name in the returned URL. */
export async function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
  host: 'localhost' | '127.0.0.1' = 'localhost',
): Promise<Listening> {
  const server = createServer(toListener(handle))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${host}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts).toString('utf8')
}

import { createServer as createHttpServer, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { devAddresses } from '../../dev/src/chain/devAddresses.ts'
import { framesApp } from '../../server/src/frames/app.ts'
import { bundleSigningPublicKey } from '../../server/src/keys/bundleSigningPublicKey.ts'
import type { TestCertificate } from './certificate.ts'

export type TestShop = Awaited<ReturnType<typeof startTestShop>>

/** Starts the hosts of `shop.test` on one port, and a node. Tests may change their responses. */
export async function startTestShop(certificate: TestCertificate, signingKey: string) {
  const servers: Server[] = []
  async function listen(server: Server): Promise<number> {
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
    return (server.address() as AddressInfo).port
  }
  const replies = {
    appHeaders: {} as Record<string, string>,
    appPage: '<!doctype html><title>Shop</title>',
    related: undefined as unknown,
    /** Changes the headers of a frame, like a proxy in front of it. */
    changeHeaders: (headers: Headers) => headers,
    /** Responses of node and bundler. */
    chainId: '0x7a69' as unknown,
    entryPoints: Object.values(devAddresses.entryPoints) as unknown,
  }
  let port = 0
  const at = (host: string) => `https://${host}:${port}`
  const project = () => ({
    id: 'shop',
    name: 'Shop',
    apiKey: 'key of the shop',
    redirectUrls: [`${at('shop.test')}/`],
    allowedOrigins: [at('shop.test'), at('www.shop.test')],
    rpId: 'shop.test',
  })
  const frames = new Map<string, ReturnType<typeof framesApp>>()
  const getFrames = (page: 'auth' | 'export' | 'import') => {
    const app =
      frames.get(page) ??
      framesApp({
        page,
        projects: [project()],
        custodyUrl: at('custody.shop.test'),
        bundleSigningPublicKey: bundleSigningPublicKey(signingKey),
      })
    frames.set(page, app)
    return app
  }
  async function serve(host: string, path: string, reply: ServerResponse): Promise<void> {
    const { appHeaders, appPage, related, changeHeaders } = replies
    const [name = ''] = host.split(':')
    const [label] = name.split('.')
    if (label === 'auth' || label === 'export' || label === 'import') {
      const response = await getFrames(label).request(path)
      const headers = changeHeaders(new Headers(response.headers))
      reply.writeHead(response.status, Object.fromEntries(headers)).end(Buffer.from(await response.arrayBuffer()))
    } else if (path === '/.well-known/webauthn')
      reply.writeHead(related ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(related))
    else reply.writeHead(200, { 'content-type': 'text/html', ...appHeaders }).end(appPage)
  }
  port = await listen(
    createTlsServer(
      certificate,
      (request, response) => void serve(request.headers.host ?? '', request.url ?? '', response),
    ),
  )
  /** Starts a node. `chainId` simulates another chain. */
  const startNode = async (chainId?: string) => {
    const node = createHttpServer(async (request, response) => {
      const { method } = JSON.parse(Buffer.concat(await request.toArray()).toString())
      const result = method === 'eth_chainId' ? (chainId ?? replies.chainId) : replies.entryPoints
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result }))
    })
    return `http://127.0.0.1:${await listen(node)}`
  }
  return {
    replies,
    rpcUrl: await startNode(),
    startNode,
    at,
    project,
    /** Servers of the frames. Tests may replace them; deleted ones are created again. */
    frames,
    listen,
    close() {
      for (const server of servers) server.close()
    },
  }
}

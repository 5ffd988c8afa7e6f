import { randomInt } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse, request as send } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { freePorts } from '../devnet/freePorts.ts'
import { DevError } from '../errors.ts'

export declare namespace guardNode {
  type Parameters = {
    /** TCP port on 127.0.0.1. */
    port: number
    /** Address of the node. Pages must not be able to guess it. */
    node: { host: string; port: number }
    /** Origins of pages that may send requests. Programs, which send no `Origin`, may always send requests. */
    allowOrigins: readonly string[]
  }
  type ReturnType = { close(): Promise<void> }
}

/**
 * Starts the public proxy of the chain's node. The node checks neither `Host` nor a WebSocket's `Origin`, so any page
 * in a local browser could change the chain. The proxy checks both, for HTTP and WebSocket.
 *
 * @throws `PORT_TAKEN`
 */
export async function guardNode(parameters: guardNode.Parameters): Promise<guardNode.ReturnType> {
  const { port, node } = parameters
  const allowed = new Set(parameters.allowOrigins)
  const sockets = new Set<Duplex>()
  const server = createServer((request, response) => {
    const refused = refusal(request, allowed)
    if (refused) return respond(response, refused.status, refused.message)
    const { origin } = request.headers
    if (origin !== undefined) permit(request, response, origin)
    if (request.method === 'OPTIONS') response.writeHead(204).end()
    else pass(request, response, node)
  })
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const refused = refusal(request, allowed)
    if (refused) socket.end(`HTTP/1.1 ${refused.status} Refused\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
    else keep(sockets, socket, tunnel({ request, socket, head, node }))
  })
  await listening(server, port)
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Refusal = { status: number; message: string }

function refusal({ headers }: IncomingMessage, allowed: ReadonlySet<string>): Refusal | undefined {
  if (!isLoopback(headers.host)) return { status: 421, message: 'Only loopback host names are served here.' }
  const { origin } = headers
  if (origin === undefined || allowed.has(origin)) return undefined
  return { status: 403, message: `The origin ${origin} may not call the chain. Start with --app-url to allow a page.` }
}

function isLoopback(host: string | undefined): boolean {
  const url = `http://${host}/`
  if (host === undefined || !URL.canParse(url)) return false
  const { hostname } = new URL(url)
  return ['localhost', '127.0.0.1', '[::1]'].includes(hostname) || hostname.endsWith('.localhost')
}

function permit(request: IncomingMessage, response: ServerResponse, origin: string): void {
  response.setHeader('Access-Control-Allow-Origin', origin)
  // A page with an allowed origin may send any header.
  const wanted = request.headers['access-control-request-headers']
  if (wanted !== undefined) response.setHeader('Access-Control-Allow-Headers', wanted)
  response.setHeader('Access-Control-Allow-Methods', 'POST')
  response.setHeader('Access-Control-Max-Age', '600')
  response.setHeader('Vary', 'Origin')
}

/** Responds like a node with a JSON-RPC error, so that clients show the message. */
function respond(response: ServerResponse, status: number, message: string): void {
  if (response.headersSent) return void response.destroy()
  response.writeHead(status, { 'Content-Type': 'application/json', Connection: 'close' })
  response.end(JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }))
}

type Node = guardNode.Parameters['node']

function pass(request: IncomingMessage, response: ServerResponse, node: Node): void {
  const { method, url, headers } = request
  const { origin: _, ...rest } = headers
  // The timeout is long, because the node dumps a long history slowly.
  const passed = send({ ...node, method, path: url, headers: rest, timeout: 120_000 }, (reply) => {
    response.writeHead(reply.statusCode ?? 502, reply.headers)
    reply.pipe(response)
    reply.on('error', () => response.destroy())
  })
  passed.on('timeout', () => passed.destroy())
  passed.on('error', () => respond(response, 502, 'The chain does not respond.'))
  response.on('close', () => passed.destroy())
  request.pipe(passed)
}

type Tunnel = { request: IncomingMessage; socket: Socket; head: Buffer; node: Node }

/** Forwards the upgrade request to the node, then connects both sockets. */
function tunnel({ request, socket, head, node }: Tunnel): Socket {
  const { method, url, httpVersion, rawHeaders } = request
  const far = connect(node)
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`)
  }
  far.write(`${lines.join('\r\n')}\r\n\r\n`)
  far.write(head)
  far.pipe(socket).pipe(far)
  return far
}

/** Closes each socket when the other closes. */
function keep(sockets: Set<Duplex>, ...pair: Duplex[]): void {
  for (const socket of pair) {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => {
      for (const each of pair) {
        each.destroy()
        sockets.delete(each)
      }
    })
  }
}

function listening(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const taken = cause.code === 'EADDRINUSE'
      const message = taken ? `Port ${port} of the chain is taken.` : 'The chain cannot be served.'
      reject(new DevError(message, { code: taken ? 'PORT_TAKEN' : 'CONFIG_INVALID', cause }))
    })
    server.listen(port, '127.0.0.1', () => resolve())
  })
}

export declare namespace hiddenAddress {
  type ReturnType = { host: string; port: number }
}

/**
 * Returns an address for the node behind `guardNode`. On Linux, this is a random address in 127.0.0.0/8, which a page
 * cannot find by trying. Elsewhere it is a random port of 127.0.0.1.
 */
export async function hiddenAddress(port: number): Promise<hiddenAddress.ReturnType> {
  if (process.platform !== 'linux') return { host: '127.0.0.1', port: await freePorts(1) }
  const host = ['127', randomInt(1, 255), randomInt(0, 256), randomInt(1, 255)].join('.')
  return { host, port }
}

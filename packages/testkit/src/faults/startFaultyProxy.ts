import { type IncomingHttpHeaders, request as send } from 'node:http'
import { listen } from '../signer/listen.ts'

export type Passed = { status: number; headers: IncomingHttpHeaders; body: Buffer }
type Request = { method: string; path: string; body: Buffer }
/** Fault of a proxy: forwards the request, returns another response, or cuts the connection. */
export type Bend = (request: Request, pass: () => Promise<Passed>) => Promise<Passed | 'cut'>

export type FaultyProxy = Awaited<ReturnType<typeof startFaultyProxy>>

/**
 * Starts a proxy that applies faults to an HTTP server's requests. Uses several servers in turn, like a load balancer.
 */
export async function startFaultyProxy(...targets: readonly [string, ...string[]]) {
  const behind = targets.map((target) => ({ to: new URL(target), served: 0 }))
  let next = 0
  let bent: Bend | undefined
  const { url, close } = await listen(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { method = 'GET', url: path = '/', headers } = request
    async function pass(): Promise<Passed> {
      const one = behind[next++ % behind.length] as (typeof behind)[number]
      const { hostname: host, port } = one.to
      const reply = await forwardRequest({ host, port: Number(port), method, path, headers }, body)
      one.served++
      return reply
    }
    const reply = await (bent ? bent({ method, path, body }, pass) : pass()).catch(() => 'cut' as const)
    if (reply === 'cut') return response.destroy()
    const { 'transfer-encoding': _, connection: __, ...kept } = reply.headers
    response.writeHead(reply.status, { ...kept, 'content-length': reply.body.length }).end(reply.body)
  }, '127.0.0.1')
  return {
    url,
    close,
    /** Applies `bend` to all requests from now on. Without it, forwards requests unchanged. */
    bend(bend?: Bend) {
      bent = bend
    },
    /** Returns the number of requests that each server has received. */
    served: () => behind.map(({ served }) => served),
  }
}

type To = { host: string; port: number; method: string; path: string; headers: IncomingHttpHeaders }

function forwardRequest({ headers, ...to }: To, body: Buffer): Promise<Passed> {
  return new Promise((resolve, reject) => {
    const passed = send({ ...to, headers: { ...headers, host: `localhost:${to.port}` } }, async (reply) => {
      const chunks: Buffer[] = []
      try {
        for await (const chunk of reply) chunks.push(chunk as Buffer)
        resolve({ status: reply.statusCode ?? 502, headers: reply.headers, body: Buffer.concat(chunks) })
      } catch (error) {
        reject(error)
      }
    })
    passed.on('error', reject)
    passed.end(body)
  })
}

/** Sends each request twice at the same time and returns the later response. */
export const twice: Bend = async (_, pass) => {
  const replies: Passed[] = []
  const keep = async () => void replies.push(await pass())
  await Promise.all([keep(), keep()])
  return replies[1] ?? 'cut'
}

export function rpcReply(request: { body: Buffer }, outcome: { result: unknown } | { error: object }): Passed {
  const { id } = JSON.parse(request.body.toString()) as { id: unknown }
  const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

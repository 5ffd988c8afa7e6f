import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toListener } from '../toListener.ts'

/** A node in front of another that has all its methods but some, as nodes of other makes do. */
export async function startLimitedNode({ nodeUrl, without }: { nodeUrl: string; without: readonly string[] }) {
  const server = createServer(
    toListener(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      const { id, method } = JSON.parse(body) as { id: number; method: string }
      const error = { code: -32601, message: `the method ${method} does not exist/is not available` }
      if (without.includes(method)) return response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
      await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (passed) => response.end(await passed.text()))
        .catch(() => response.destroy())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

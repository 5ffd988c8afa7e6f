import { listen, readBody } from '../signer/listen.ts'

/** Starts a proxy to a node that refuses the methods in `without`, like nodes of other types. */
export async function startLimitedNode({ nodeUrl, without }: { nodeUrl: string; without: readonly string[] }) {
  return listen(async (request, response) => {
    const body = await readBody(request)
    const { id, method } = JSON.parse(body) as { id: number; method: string }
    const error = { code: -32601, message: `the method ${method} does not exist/is not available` }
    if (without.includes(method)) return response.end(JSON.stringify({ jsonrpc: '2.0', id, error }))
    await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      .then(async (passed) => response.end(await passed.text()))
      .catch(() => response.destroy())
  }, '127.0.0.1')
}

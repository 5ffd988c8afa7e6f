import { listen, readBody } from '../signer/listen.ts'

export type HoldingNode = Awaited<ReturnType<typeof startHoldingNode>>

/** Starts a proxy to a node. Calls whose text contains all of `holds` wait until `release`. */
export async function startHoldingNode({ nodeUrl, holds }: { nodeUrl: string; holds: readonly string[] }) {
  let most = 0
  let isReleased = false
  const waiting = new Set<() => void>()
  const { url, close } = await listen(async (request, response) => {
    const body = await readBody(request)
    if (!isReleased && holds.every((text) => body.includes(text)))
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
        most = Math.max(most, waiting.size)
      })
    await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
      .then(async (passed) => response.end(await passed.text()))
      .catch(() => response.destroy())
  }, '127.0.0.1')
  return {
    url,
    close,
    held: () => waiting.size,
    most: () => most,
    /** Releases all waiting calls. Later calls do not wait. */
    release() {
      isReleased = true
      for (const resume of waiting) resume()
      waiting.clear()
    },
  }
}

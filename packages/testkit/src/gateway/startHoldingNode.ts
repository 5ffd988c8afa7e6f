import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toListener } from '../toListener.ts'

export type HoldingNode = {
  url: string
  /** Calls that it keeps now. */
  held(): number
  /** The most there were at once. */
  most(): number
  /** Lets all go on, those that come later, too. */
  release(): void
  close(): Promise<void>
}

/** A node in front of another that keeps calls whose text holds all of `holds` until they are released, as a busy one. */
export async function startHoldingNode({ nodeUrl, holds }: { nodeUrl: string; holds: readonly string[] }) {
  let most = 0
  let isReleased = false
  const waiting = new Set<() => void>()
  const server = createServer(
    toListener(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const body = Buffer.concat(chunks).toString()
      if (!isReleased && holds.every((text) => body.includes(text)))
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
          most = Math.max(most, waiting.size)
        })
      await fetch(nodeUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
        .then(async (passed) => response.end(await passed.text()))
        .catch(() => response.destroy())
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const node: HoldingNode = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    held: () => waiting.size,
    most: () => most,
    release() {
      isReleased = true
      for (const resume of waiting) resume()
      waiting.clear()
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return node
}

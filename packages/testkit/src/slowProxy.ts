import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** Starts a proxy to a database that delays all requests by `delayMs`. */
export async function startSlowProxy(databaseUrl: string, delayMs: number) {
  let delay = delayMs
  const target = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const database = connect(Number(target.port), target.hostname)
    for (const socket of [client, database]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        client.destroy()
        database.destroy()
      })
    }
    // Preserves the order of chunks, even after the delay was reduced.
    let sent = Promise.resolve()
    client.on('data', (chunk) => {
      const due = performance.now() + delay
      sent = sent.then(async () => {
        const leftMs = due - performance.now()
        if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs))
        database.write(chunk)
      })
    })
    database.pipe(client)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = new URL(databaseUrl)
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    setDelay(ms: number) {
      delay = ms
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
